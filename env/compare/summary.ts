import { digestKeys, type Hash } from './row-keys.ts';
import type { Ties } from './ties.ts';

/** A result as digests, one for each sense in which two results can be equal. */
export interface ResultSummary {
  readonly rowCount: number;
  /** Of the rows in their order. */
  readonly ordered: string;
  /** Of the rows as a multiset. */
  readonly bag: string;
  /** Of the distinct rows. */
  readonly set: string;
}

/** What is known of a gold apart from its rows. */
export interface GoldFacts {
  readonly columnCount: number;
  /** The gold has an ORDER BY of its own, at its top level. */
  readonly orderMatters: boolean;
  /** How its rows tie on its sort keys; undefined if that is unknown. */
  readonly ties: Ties | undefined;
  /** It reads the clock or a random function. */
  readonly volatile: boolean;
}

/** A gold's result as plain data of a few strings: it can be cached, and compared with on any thread. */
export interface GoldSummary extends ResultSummary {
  readonly columnCount: number;
  readonly orderMatters: boolean;
  /** Lengths of the runs of rows that are equal on the gold's sort keys; undefined if they are unknown. */
  readonly tieSizes: readonly number[] | undefined;
  /** Digest of the rows with each such run sorted; undefined if they are unknown. */
  readonly tied: string | undefined;
  /** Digest of the one value of a result of one row and one column; undefined for other results. */
  readonly scalar: string | undefined;
  /** Its LIMIT cuts between rows that are equal on its sort keys. */
  readonly tie: boolean;
  readonly volatile: boolean;
}

/** Digests a result, given the keys of its rows. */
export function summarize(rowKeys: readonly string[], hash: Hash): ResultSummary {
  const sorted = rowKeys.toSorted();
  return {
    rowCount: rowKeys.length,
    ordered: digestKeys(rowKeys, hash),
    bag: digestKeys(sorted, hash),
    set: digestKeys(distinctSorted(sorted), hash),
  };
}

/** Digests a gold's result, given the keys of its rows and what else is known of it. */
export function summarizeGold(
  rowKeys: readonly string[],
  facts: GoldFacts,
  hash: Hash,
): GoldSummary {
  const tieSizes = facts.ties?.tieSizes;
  return {
    ...summarize(rowKeys, hash),
    columnCount: facts.columnCount,
    orderMatters: facts.orderMatters,
    tieSizes,
    tied: tieSizes && digestTied(rowKeys, tieSizes, hash),
    scalar: scalarDigest(rowKeys, facts.columnCount, hash),
    tie: facts.ties?.tie ?? false,
    volatile: facts.volatile,
  };
}

/** Digest of a result's one value; undefined for results of another shape than one row and one column. */
export function scalarDigest(
  rowKeys: readonly string[],
  columnCount: number,
  hash: Hash,
): string | undefined {
  return rowKeys.length === 1 && columnCount === 1 ? digestKeys(rowKeys, hash) : undefined;
}

/** Digest of rows with each run of the given lengths sorted: equal where rows are permuted within the runs only. */
export function digestTied(
  rowKeys: readonly string[],
  tieSizes: readonly number[],
  hash: Hash,
): string {
  const sorted: string[] = [];
  let start = 0;
  for (const size of tieSizes) {
    const run = rowKeys.slice(start, start + size);
    for (const key of size === 1 ? run : run.toSorted()) sorted.push(key);
    start += size;
  }
  return digestKeys(sorted, hash);
}

/** The distinct keys of a sorted list, sorted. */
export function distinctSorted(sorted: readonly string[]): string[] {
  return sorted.filter((key, index) => index === 0 || key !== sorted[index - 1]);
}
