import { randomOf } from './random.ts';

/** When episodes begin. */
export type Loop =
  /** A batch begins when the one before has ended, as in a trainer. */
  | { readonly kind: 'closed' }
  /** Episodes arrive at a rate, whether the server keeps up or not. */
  | {
      readonly kind: 'open';
      /** Episodes a second. */
      readonly rate: number;
      readonly arrivals: 'poisson' | 'uniform';
    };

const ARRIVALS_STREAM = 4;

/** Intended starts of the episodes of an open loop, one after another, in milliseconds from the start of the load. */
export function* arrivalTimes(
  loop: Extract<Loop, { kind: 'open' }>,
  seed: number,
): Generator<number, never, void> {
  const random = randomOf(seed, ARRIVALS_STREAM);
  const meanMs = 1_000 / loop.rate;
  let atMs = 0;
  for (let index = 0; ; index += 1) {
    // Not a running sum where the gaps are equal: it would drift.
    if (loop.arrivals === 'uniform') yield index * meanMs;
    else yield (atMs += -Math.log(1 - random.next()) * meanMs);
  }
}
