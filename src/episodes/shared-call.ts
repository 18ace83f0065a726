import { CancelSource, type CancelSignal } from '../cancel.ts';

/** What became of the work. */
type Outcome<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Work that several callers wait for: a call, and its repeats that came while it ran. Each may give up on its own; the
 * work is stopped when the last of them has. Made in every step, so it keeps a list instead of chains of promises.
 */
export class SharedCall<T> {
  readonly #controller = new CancelSource();
  #outcome: Outcome<T> | undefined;
  #onEnd: ((outcome: Outcome<T>) => void)[] = [];
  #waiterCount = 0;

  /** Starts the work a moment later, so that whoever makes the call can put it in its place first. */
  constructor(run: (signal: CancelSignal) => Promise<T>) {
    queueMicrotask(() => this.#start(run));
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
      this.#whenOver((outcome) => {
        signal.removeEventListener('abort', leave);
        if (outcome.kind === 'value') resolve(outcome.value);
        else reject(outcome.error as Error);
      });
    });
  }

  /** Waits until the work has come to its end, whatever that is, or this caller gives up. */
  async settled(signal: CancelSignal): Promise<void> {
    signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const leave = (): void => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
      this.#whenOver(() => {
        signal.removeEventListener('abort', leave);
        resolve();
      });
    });
  }

  #start(run: (signal: CancelSignal) => Promise<T>): void {
    let work: Promise<T>;
    try {
      work = run(this.#controller.signal);
    } catch (error) {
      this.#end({ kind: 'failed', error });
      return;
    }
    // A failure that nobody waits for any more is no news.
    work.then(
      (value) => this.#end({ kind: 'value', value }),
      (error: unknown) => this.#end({ kind: 'failed', error }),
    );
  }

  #end(outcome: Outcome<T>): void {
    this.#outcome = outcome;
    const listeners = this.#onEnd;
    this.#onEnd = [];
    for (const listener of listeners) listener(outcome);
  }

  #whenOver(listener: (outcome: Outcome<T>) => void): void {
    if (this.#outcome === undefined) this.#onEnd.push(listener);
    else listener(this.#outcome);
  }
}
