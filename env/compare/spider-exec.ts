import { columnsMatchInAnyOrder, columnsMatchInOrder } from './column-permutation.ts';
import { internResults, type InternedResults, type NumberRows } from './interned-results.ts';
import type { SqlRow } from './value.ts';

/**
 * The comparison of test-suite-sql-eval (`spider-exec@1`): rows as a multiset, or in order when `orderMatters`, under
 * any permutation of the answer's columns; cells by Python's equality. Two results without rows are equal whatever
 * their columns. What to run, and whether order matters, comes from `planExecution`.
 *
 * One quirk decides verdicts and is kept: cells are sorted within rows by text before anything else, and rows must
 * agree then. 1 and 1.0 are equal but sort differently, so (1, 1.5) and (1.0, 1.5) don't match.
 */
export function spiderResultsMatch(
  gold: readonly SqlRow[],
  answer: readonly SqlRow[],
  orderMatters: boolean,
): boolean {
  if (gold.length === 0 && answer.length === 0) return true;
  if (gold.length !== answer.length) return false;
  if (gold[0]?.length !== answer[0]?.length) return false;
  if (isSame(gold, answer)) return true;
  const results = internResults(gold, answer);
  if (!sortedRowsAgree(results, orderMatters)) return false;
  const goldRows = byEquality(results, results.gold);
  const answerRows = byEquality(results, results.answer);
  return orderMatters
    ? columnsMatchInOrder(goldRows, answerRows)
    : columnsMatchInAnyOrder(goldRows, answerRows);
}

/**
 * Most right answers are the same row by row, with the same types: then all that follows would pass, and takes a hundred
 * times as long. BLOBs and invalid TEXT go the long way.
 */
function isSame(gold: readonly SqlRow[], answer: readonly SqlRow[]): boolean {
  return gold.every((row, index) => {
    const other = answer[index] ?? [];
    return row.every((cell, column) => Object.is(cell, other[column]));
  });
}

/** The quick rejection: as lists when order matters, else as sets. */
function sortedRowsAgree(results: InternedResults, orderMatters: boolean): boolean {
  const gold = results.gold.map((row) => sortedRowKey(results, row));
  const answer = results.answer.map((row) => sortedRowKey(results, row));
  if (orderMatters) return gold.every((key, index) => key === answer[index]);
  const goldKeys = new Set(gold);
  const answerKeys = new Set(answer);
  return goldKeys.size === answerKeys.size && gold.every((key) => answerKeys.has(key));
}

function sortedRowKey({ ranks, equalities }: InternedResults, row: readonly number[]): string {
  return row
    .toSorted((a, b) => (ranks[a] ?? 0) - (ranks[b] ?? 0))
    .map((cell) => equalities[cell])
    .join();
}

function byEquality({ equalities }: InternedResults, rows: NumberRows): NumberRows {
  return rows.map((row) => row.map((cell) => equalities[cell] ?? 0));
}
