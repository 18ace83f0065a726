import { rowKey } from './row-keys.ts';
import type { SqlRow } from './value.ts';

/** How a gold's rows tie on its sort keys. */
export interface Ties {
  /** Lengths of the runs of rows that are equal on the sort keys; they add up to the number of rows. */
  readonly tieSizes: readonly number[];
  /** The LIMIT cuts between rows that are equal on the sort keys, so other rows would have been as right. */
  readonly tie: boolean;
}

/** A gold's rows, and those of its sort-key query (`sortKeyQuery` in `sort-keys.ts`). */
export interface TieInput {
  readonly goldRowKeys: readonly string[];
  /** The gold's columns followed by `keyCount` sort keys; one row more than the gold if its LIMIT leaves one out. */
  readonly keyRows: readonly SqlRow[];
  readonly keyCount: number;
  /** The gold's literal LIMIT; undefined if it has none. */
  readonly limit: number | undefined;
}

/**
 * Derives ties from the rows of the sort-key query, after checking that it is the gold's own result: as many rows, and in each
 * run of equal keys the same rows, whatever their order. (A run that the LIMIT cuts may hold others.) Undefined if it is not;
 * then only the gold's own order is right.
 */
export function deriveTies(input: TieInput): Ties | undefined {
  const { goldRowKeys, keyRows, keyCount, limit } = input;
  const rowCount = goldRowKeys.length;
  const extraCount = keyRows.length - rowCount;
  const cutByLimit = extraCount === 1 && limit === rowCount;
  if (extraCount !== 0 && !cutByLimit) return undefined;
  const sortKeys = keyRows.map((row) => rowKey(row.slice(row.length - keyCount)));
  const tie = cutByLimit && rowCount > 0 && sortKeys[rowCount] === sortKeys[rowCount - 1];

  const tieSizes: number[] = [];
  for (let start = 0; start < rowCount;) {
    let end = start + 1;
    while (end < rowCount && sortKeys[end] === sortKeys[start]) end += 1;
    const run = keyRows.slice(start, end).map((row) => rowKey(row.slice(0, -keyCount)));
    const cut = tie && end === rowCount;
    if (!cut && !sameBag(run, goldRowKeys.slice(start, end))) return undefined;
    tieSizes.push(end - start);
    start = end;
  }
  return { tieSizes, tie };
}

function sameBag(left: readonly string[], right: readonly string[]): boolean {
  if (left.length === 1) return left[0] === right[0];
  const sorted = right.toSorted();
  return left.toSorted().every((key, index) => key === sorted[index]);
}
