import type { ComparisonMode } from '../grade.ts';
import { digestKeys, rowKeys, type Hash } from './row-keys.ts';
import { digestTied, distinctSorted, summarizeGold, type GoldSummary } from './summary.ts';
import type { SqlRow } from './value.ts';

/** What a direct comparison needs to know of the gold. */
export interface CompareOptions {
  /** The gold has an ORDER BY of its own, at its top level. */
  readonly orderMatters: boolean;
  /** Lengths of the runs of gold rows that are equal on its sort keys; undefined if they are unknown. */
  readonly tieSizes: readonly number[] | undefined;
}

/**
 * Compares an answer's rows with a gold's under one mode. Columns count by position and names never count; no rows equal no
 * rows, whatever the columns.
 *
 * `bag@1`: multisets, or sequences if the gold is ordered. `set@1`: sets. `rows@1`: as `bag@1`, but rows that are equal on
 * the gold's sort keys may change places.
 */
export function judgeRows(
  mode: ComparisonMode,
  gold: GoldSummary,
  answerRowKeys: readonly string[],
  hash: Hash,
): boolean {
  if (mode === 'set@1') {
    return digestKeys(distinctSorted(answerRowKeys.toSorted()), hash) === gold.set;
  }
  if (answerRowKeys.length !== gold.rowCount) return false;
  if (!gold.orderMatters) return digestKeys(answerRowKeys.toSorted(), hash) === gold.bag;
  if (mode === 'rows@1' && gold.tieSizes !== undefined) {
    return digestTied(answerRowKeys, gold.tieSizes, hash) === gold.tied;
  }
  return digestKeys(answerRowKeys, hash) === gold.ordered;
}

/** {@link judgeRows} on the rows themselves. */
export function compareRows(
  mode: ComparisonMode,
  goldRows: readonly SqlRow[],
  answerRows: readonly SqlRow[],
  options: CompareOptions,
): boolean {
  const ties = options.tieSizes && { tieSizes: options.tieSizes, tie: false };
  const facts = { columnCount: 0, orderMatters: options.orderMatters, ties, volatile: false };
  return judgeRows(
    mode,
    summarizeGold(rowKeys(goldRows), facts, itself),
    rowKeys(answerRows),
    itself,
  );
}

/** A hash without collisions: the text. */
function itself(text: string): string {
  return text;
}
