/** The calls that run now, so that a shutdown can wait for them, and stop those that take too long. */
export class RunningCalls {
  readonly #aborts = new Set<(reason: Error) => void>();
  readonly #nowMs: () => number;
  #lastMs: number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#lastMs = nowMs();
  }

  /** Notes that a call began; returns what to call when it is over. */
  enter(abort: (reason: Error) => void): () => void {
    this.#aborts.add(abort);
    this.#lastMs = this.#nowMs();
    return () => {
      this.#aborts.delete(abort);
      this.#lastMs = this.#nowMs();
    };
  }

  /** Calls that run now. */
  get count(): number {
    return this.#aborts.size;
  }

  /** Milliseconds since a call last began or ended; 0 while one runs. */
  get quietMs(): number {
    return this.#aborts.size > 0 ? 0 : this.#nowMs() - this.#lastMs;
  }

  /** Stops all of them. */
  abortAll(reason: Error): void {
    for (const abort of this.#aborts) abort(reason);
  }
}
