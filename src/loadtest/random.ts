/** A seeded stream of numbers: the same seed and keys give the same numbers on every machine. */
export interface Random {
  /** The next number, 0 <= x < 1. */
  next(): number;
  /** The next whole number from `min` to `max`, both included. */
  whole(min: number, max: number): number;
}

/**
 * The stream that belongs to a seed and a place in the plan, such as (batch, episode). Every place has a stream of its own, so
 * that a batch can be planned without the ones before it, in any process. The generator is sfc32, seeded by splitmix32: small,
 * fast, and good for far more draws than an episode makes.
 */
export function randomOf(seed: number, ...keys: readonly number[]): Random {
  let state = 0x9e3779b9;
  for (const key of [seed, ...keys]) {
    state = mix(state ^ mix(key | 0) ^ mix(Math.floor(key / 2 ** 32) + 0x51ed270b));
  }
  let a = mix(state + 1);
  let b = mix(state + 2);
  let c = mix(state + 3);
  let counter = 1;
  const step = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    c |= 0;
    return sum >>> 0;
  };
  // The first numbers still show the seed.
  for (let count = 0; count < 12; count += 1) step();
  const next = (): number => step() / 2 ** 32;
  return { next, whole: (min, max) => min + Math.floor(next() * (max - min + 1)) };
}

/** The items in an order that the stream decides. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const order = items.map((item) => ({ item, key: random.next() }));
  // A stable sort: equal keys keep their places.
  return order.toSorted((a, b) => a.key - b.key).map(({ item }) => item);
}

/** The finalizer of splitmix32. */
function mix(value: number): number {
  let z = (value + 0x9e3779b9) | 0;
  z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
  z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
  return (z ^ (z >>> 15)) | 0;
}
