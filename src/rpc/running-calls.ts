import { Slots } from '../slots.ts';

/** The calls that run now, so that a shutdown can wait for them, and stop those that take too long. */
export class RunningCalls {
  readonly #aborts = new Slots<(reason: Error) => void>();
  readonly #streamEnds = new Set<() => void>();
  readonly #nowMs: () => number;
  #lastMs: number;

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs;
    this.#lastMs = nowMs();
  }

  /** Notes that a call began; returns what to call when it is over. */
  enter(abort: (reason: Error) => void): () => void {
    const slot = this.#aborts.add(abort);
    this.#lastMs = this.#nowMs();
    return () => {
      this.#aborts.remove(slot);
      this.#lastMs = this.#nowMs();
    };
  }

  /** Notes an open stream; returns what to call when it is over. It counts as a call only through the calls on it. */
  enterStream(end: () => void): () => void {
    this.#streamEnds.add(end);
    return () => this.#streamEnds.delete(end);
  }

  /** Lets streams end that have nothing under way, and the others as soon as that is answered. */
  endStreams(): void {
    for (const end of this.#streamEnds) end();
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
