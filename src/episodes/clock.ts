/** Where the server's times come from; tests bring their own. */
export interface Clock {
  /** Milliseconds that only ever grow: leases and durations. A clock that is set back or forth ends no lease. */
  readonly monotonicMs: () => number;
  /** Milliseconds since 1970: what the record says. */
  readonly wallMs: () => number;
}

/** The machine's clocks. */
export const SYSTEM_CLOCK: Clock = {
  monotonicMs: () => performance.now(),
  wallMs: () => Date.now(),
};
