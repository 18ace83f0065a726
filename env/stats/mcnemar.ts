/** How sure one can be that two paired runs differ, from the pairs on which they do. */
export interface McNemarTest {
  /** Two-sided p by the chi-squared distribution, with continuity correction. */
  readonly corrected: number;
  /** Two-sided p by the binomial distribution: right for few pairs, too. */
  readonly exact: number;
}

/**
 * McNemar's test on paired rows: `gained` are wrong in the first run and right in the second, `lost` the other way round.
 * Rows on which both runs agree say nothing about their difference.
 */
export function mcNemarTest(gained: number, lost: number): McNemarTest {
  const count = gained + lost;
  if (count === 0) return { corrected: 1, exact: 1 };
  const excess = Math.max(0, Math.abs(gained - lost) - 1);
  const chiSquared = excess ** 2 / count;
  return {
    corrected: complementaryError(Math.sqrt(chiSquared / 2)),
    exact: Math.min(1, 2 * fairCoinTail(count, Math.min(gained, lost))),
  };
}

/** The chance of at most `heads` heads in `tosses` tosses. In logarithms: 2 to the power of 2,000 is no number. */
function fairCoinTail(tosses: number, heads: number): number {
  let logChance = -tosses * Math.LN2;
  let tail = Math.exp(logChance);
  for (let k = 1; k <= heads; k += 1) {
    logChance += Math.log(tosses - k + 1) - Math.log(k);
    tail += Math.exp(logChance);
  }
  return tail;
}

/** Where the series gets slow and the continued fraction fast. */
const SERIES_END = 2.5;

/** The complementary error function for x >= 0. */
function complementaryError(x: number): number {
  return x < SERIES_END ? 1 - errorSeries(x) : errorFraction(x);
}

/** The series of erf with positive terms only, so that nothing cancels out. */
function errorSeries(x: number): number {
  let term = x;
  let sum = x;
  for (let n = 1; term > sum * Number.EPSILON; n += 1) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}

/** Laplace's continued fraction of erfc, from its far end. */
function errorFraction(x: number): number {
  let fraction = x;
  for (let n = 60; n >= 1; n -= 1) fraction = x + n / 2 / fraction;
  return Math.exp(-x * x) / (fraction * Math.sqrt(Math.PI));
}
