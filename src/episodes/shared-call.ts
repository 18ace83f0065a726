import { type CancelSignal, CancelSource } from '../cancel.ts';
/**
 * Work that several callers wait for: a call, and its repeats that came while it ran. Each may give up on its own; the
 * work is stopped when the last of them has.
 */
export class SharedCall<T> {
  readonly #controller = new CancelSource();
  readonly #result: Promise<T>;
  #waiterCount = 0;

  /** Starts the work a moment later, so that whoever makes the call can put it in its place first. */
  constructor(run: (signal: CancelSignal) => Promise<T>) {
    this.#result = Promise.resolve().then(() => run(this.#controller.signal));
    // Each waiter sees a failure through its own promise; a failure that nobody waits for any more is no news.
    this.#result.catch(() => {});
  }

  /** True once it was told to stop; it may still be about to. */
  get aborted(): boolean {
    return this.#controller.signal.aborted;
  }

  /** Stops the work, whoever waits for it. */
  abort(reason: Error): void {
    this.#controller.abort(reason);
  }

  /** Waits for the outcome; rejects with the signal's reason when this caller gives up first. */
  join(signal: CancelSignal): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const leave = (): void => {
        this.#waiterCount -= 1;
        if (this.#waiterCount === 0) this.#controller.abort(signal.reason);
        reject(signal.reason as Error);
      };
      this.#waiterCount += 1;
      if (signal.aborted) {
        leave();
        return;
      }
      signal.addEventListener('abort', leave, { once: true });
      this.#result.finally(() => signal.removeEventListener('abort', leave)).then(resolve, reject);
    });
  }

  /** Waits until the work has come to its end, whatever that is, or this caller gives up. */
  async settled(signal: CancelSignal): Promise<void> {
    signal.throwIfAborted();
    const settled = this.#result.then(
      () => {},
      () => {},
    );
    let leave = (): void => {};
    const gaveUp = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      await Promise.race([settled, gaveUp]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }
}
