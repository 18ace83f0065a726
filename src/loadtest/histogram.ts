/** The half width of a bucket in proportion to its middle: no quantile is further off. */
export const RELATIVE_ERROR = 0.005;

/** Times up to this one, milliseconds, share the first bucket. */
const VALUE_MIN_MS = 0.001;

const GROWTH = (1 + RELATIVE_ERROR) / (1 - RELATIVE_ERROR);
const LOG_GROWTH = Math.log(GROWTH);

/** Up to about 17 minutes; what is longer shares the last bucket, and `max` is exact all the same. */
const BUCKET_COUNT = Math.ceil(Math.log(1_000_000 / VALUE_MIN_MS) / LOG_GROWTH) + 2;

/** A histogram as plain data: pairs of bucket and count. */
export interface HistogramData {
  readonly buckets: readonly number[];
  readonly counts: readonly number[];
  readonly sum: number;
  readonly min: number;
  readonly max: number;
}

/**
 * Times in milliseconds, kept as counts in buckets that grow geometrically: every quantile is within {@link RELATIVE_ERROR} of
 * the true one, and a billion times take as much memory (8 kB) as one. Sum, minimum and maximum are exact.
 */
export class Histogram {
  #counts: Uint32Array = new Uint32Array(0);
  #count = 0;
  #sum = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;

  get count(): number {
    return this.#count;
  }

  get sum(): number {
    return this.#sum;
  }

  /** 0 if it is empty. */
  get mean(): number {
    return this.#count === 0 ? 0 : this.#sum / this.#count;
  }

  /** 0 if it is empty. */
  get min(): number {
    return this.#count === 0 ? 0 : this.#min;
  }

  /** 0 if it is empty. */
  get max(): number {
    return this.#max;
  }

  /** Adds one time, milliseconds; below 0 counts as 0. */
  record(ms: number): void {
    const value = Math.max(0, ms);
    this.#add(bucketOf(value), 1);
    this.#sum += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
  }

  /** Adds all times of another one. */
  merge(other: HistogramData): void {
    for (const [index, bucket] of other.buckets.entries()) {
      this.#add(bucket, other.counts[index] ?? 0);
    }
    if (other.counts.length === 0) return;
    this.#sum += other.sum;
    this.#min = Math.min(this.#min, other.min);
    this.#max = Math.max(this.#max, other.max);
  }

  /**
   * The smallest time that at least this share of the times (0 to 1) do not exceed, by nearest rank; 0 if there are none.
   */
  quantile(share: number): number {
    if (this.#count === 0) return 0;
    const rank = Math.max(1, Math.ceil(share * this.#count - 1e-9));
    if (rank >= this.#count) return this.#max;
    let seen = 0;
    for (const [bucket, count] of this.#counts.entries()) {
      seen += count;
      if (seen >= rank) return Math.min(this.#max, Math.max(this.#min, middleOf(bucket)));
    }
    return this.#max;
  }

  /** What is in it, as data that can be sent and stored. */
  data(): HistogramData {
    const buckets: number[] = [];
    const counts: number[] = [];
    for (const [bucket, count] of this.#counts.entries()) {
      if (count === 0) continue;
      buckets.push(bucket);
      counts.push(count);
    }
    return { buckets, counts, sum: this.#sum, min: this.min, max: this.#max };
  }

  #add(bucket: number, count: number): void {
    if (this.#counts.length === 0) this.#counts = new Uint32Array(BUCKET_COUNT);
    const index = Math.min(BUCKET_COUNT - 1, bucket);
    this.#counts[index] = (this.#counts[index] ?? 0) + count;
    this.#count += count;
  }
}

/** The bounds of a bucket, milliseconds. */
export function boundsOf(bucket: number): { readonly fromMs: number; readonly toMs: number } {
  const toMs = VALUE_MIN_MS * GROWTH ** bucket;
  return { fromMs: bucket === 0 ? 0 : toMs / GROWTH, toMs };
}

function bucketOf(ms: number): number {
  if (ms <= VALUE_MIN_MS) return 0;
  return Math.min(BUCKET_COUNT - 1, Math.ceil(Math.log(ms / VALUE_MIN_MS) / LOG_GROWTH));
}

/** The value that is equally far, in proportion, from both bounds. */
function middleOf(bucket: number): number {
  if (bucket === 0) return VALUE_MIN_MS;
  return (2 * VALUE_MIN_MS * GROWTH ** bucket) / (GROWTH + 1);
}
