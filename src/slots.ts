/**
 * Items that come and go by the thousand, each known by the number of its slot.
 *
 * Where they would be in a `Set` or be values of a `Map`, they outlive their end: such a collection moves to a new table now and then, and
 * in V8 the table that it leaves refers to the next one and keeps what was in it. Once a table is old enough for the old generation,
 * all that was ever in those after it is kept by each collection of the young one, and copied.
 */
export class Slots<T> implements Iterable<T> {
  readonly #items: (T | undefined)[] = [];
  readonly #free: number[] = [];

  /** How many there are. */
  get size(): number {
    return this.#items.length - this.#free.length;
  }

  /** Puts one in, and gives the slot to take it out by. */
  add(item: T): number {
    const slot = this.#free.pop() ?? this.#items.length;
    this.#items[slot] = item;
    return slot;
  }

  /** Takes one out, once: afterwards another one may be there. */
  remove(slot: number): void {
    this.#items[slot] = undefined;
    this.#free.push(slot);
  }

  /** In no order. What is added meanwhile may come, what is removed does not. */
  *[Symbol.iterator](): Iterator<T> {
    for (const item of this.#items) if (item !== undefined) yield item;
  }
}
