/**
 * What tells work to stop. An `AbortSignal` is one; making an `AbortSignal` takes Node 20 longer than all else that a step
 * needs of the main thread, so where one is made for each call it is a {@link CancelSource}.
 */
export interface CancelSignal {
  readonly aborted: boolean;
  readonly reason: unknown;
  throwIfAborted(): void;
  /** The listener is called once, at the first abort; never if that has been before. */
  addEventListener(
    type: 'abort',
    listener: () => void,
    options?: { readonly once?: boolean },
  ): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** A signal and the way to fire it, in one object. */
export class CancelSource implements CancelSignal {
  #aborted = false;
  #reason: unknown;
  /** Mostly one, so that no set is made for it. */
  #listeners: (() => void)[] | undefined;

  get aborted(): boolean {
    return this.#aborted;
  }

  get reason(): unknown {
    return this.#reason;
  }

  get signal(): CancelSignal {
    return this;
  }

  /** Fires it; only the first time counts. */
  abort(reason: unknown = new Error('cancelled')): void {
    if (this.#aborted) return;
    this.#aborted = true;
    this.#reason = reason;
    // One at a time: a listener may take away another one that has not been called yet.
    for (;;) {
      const listener = this.#listeners?.shift();
      if (listener === undefined) return;
      listener();
    }
  }

  throwIfAborted(): void {
    if (this.#aborted) throw this.#reason;
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    if (!this.#aborted) (this.#listeners ??= []).push(listener);
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    const index = this.#listeners?.indexOf(listener) ?? -1;
    if (index >= 0) this.#listeners?.splice(index, 1);
  }
}
