/** The median; the mean of both middle values where there are two. NaN for no values. */
export function median(values: readonly number[]): number {
  if (values.length === 0) return Number.NaN;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** Makes the median absolute deviation of normally distributed values their standard deviation. */
const NORMAL = 1.4826;

/**
 * How far values are spread around their median, in proportion to it: a robust standard deviation (1.48 x MAD), so that one batch
 * that was disturbed counts for little. Undefined for fewer than three values, or a median of 0.
 */
export function relativeSpread(values: readonly number[]): number | undefined {
  const middle = median(values);
  if (values.length < 3 || middle === 0) return undefined;
  return (NORMAL * median(values.map((value) => Math.abs(value - middle)))) / Math.abs(middle);
}
