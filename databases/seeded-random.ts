/**
 * A small seeded random number generator (mulberry32), so that generated rows are the same on every machine.
 * It uses 32-bit integer arithmetic only: no floating-point result could differ between processors or Node versions.
 */
export class SeededRandom {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** The next integer from 0 to 2^32 - 1. */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  }

  /** An integer from `low` to `high`, both included. */
  between(low: number, high: number): number {
    return low + (this.next() % (high - low + 1));
  }

  /** True in `percent` of 100 calls. */
  chance(percent: number): boolean {
    return this.next() % 100 < percent;
  }

  /** One element of a list that isn't empty. */
  pick<Element>(elements: readonly Element[]): Element {
    if (elements.length === 0) throw new Error('nothing to pick from');
    return elements[this.next() % elements.length] as Element;
  }

  /** `length` random bytes. */
  bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.next() >>> 24));
  }
}
