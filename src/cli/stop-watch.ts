const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Lets a user end long work early. */
export interface StopWatch {
  /** Aborts with the first signal. */
  readonly signal: AbortSignal;
  /** What a shell sees of the signal; undefined as long as there was none. */
  readonly exitCode: number | undefined;
  /** Gives the signals back; idempotent. */
  close(): void;
}

/** Watches for SIGINT and SIGTERM: the first one ends the work, a second one the process. */
export function watchStop(): StopWatch {
  const stop = new AbortController();
  let exitCode: number | undefined;
  const listeners = Object.entries(EXIT_CODES).map(([signal, code]) => {
    const listener = (): void => {
      if (exitCode !== undefined) process.exit(code);
      exitCode = code;
      stop.abort();
    };
    process.on(signal, listener);
    return { signal, listener };
  });
  return {
    signal: stop.signal,
    get exitCode() {
      return exitCode;
    },
    close: () => {
      for (const { signal, listener } of listeners) process.off(signal, listener);
    },
  };
}
