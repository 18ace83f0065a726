import { equalityKey } from '../../env/compare/python-equality.ts';
import type { ComparisonMode } from '../../env/grade.ts';
import type { AnswerComparison, RowDifference } from './ports.ts';
import { cellValue, type ResultTable } from './result-text.ts';

/** What decides whether two results are equal. */
export interface DiffOptions {
  readonly mode: ComparisonMode;
  /** The gold has an ORDER BY of its own, at its top level. */
  readonly orderMatters: boolean;
  /** Lengths of the runs of gold rows that are equal on its sort keys; undefined if they are unknown. */
  readonly tieSizes: readonly number[] | undefined;
}

/** Rows side by side, and how many there are of each kind, those that are not kept included. */
export type RowsDiff = Pick<AnswerComparison, 'rows' | 'counts'>;

type Kind = RowDifference['kind'];

/** Rows that are kept to be shown. */
export const SHOWN_ROW_COUNT_MAX = 1_000;

/** Keys of rows that are equal exactly where the comparison calls the rows equal. */
export function keysOf(rows: ResultTable['rows']): string[] {
  return rows.map((row) => row.map((json) => equalityKey(cellValue(json))).join(''));
}

/**
 * Pairs the rows of a gold and an answer as a comparison mode does. Of more rows than can be shown, those that differ are kept
 * first; they stay in their order: the gold's, then the extra ones.
 */
export function diffRows(gold: ResultTable, answer: ResultTable, options: DiffOptions): RowsDiff {
  const sides = {
    gold: sideOf(gold, options.mode === 'set@1'),
    answer: sideOf(answer, options.mode === 'set@1'),
  };
  const partners = pairRows(sides.gold, sides.answer);
  const ordered = options.mode !== 'set@1' && options.orderMatters;
  const inPlace = ordered ? rowsInPlace(partners, sides.gold.rows.length, options) : undefined;
  const taken = new Set(partners.filter((partner) => partner !== undefined));
  const rows: RowDifference[] = sides.gold.rows.map((goldRow, index) => {
    const partner = partners[index];
    const answerRow = partner === undefined ? undefined : sides.answer.rows[partner];
    if (answerRow === undefined) return { kind: 'missing', gold: goldRow, answer: undefined };
    const moved = inPlace !== undefined && !inPlace.has(index);
    const shownAlike = goldRow.every((cell, column) => cell === answerRow[column]);
    const kind: Kind = moved ? 'order' : shownAlike ? 'same' : 'types';
    return { kind, gold: goldRow, answer: answerRow };
  });
  for (const [index, answerRow] of sides.answer.rows.entries()) {
    if (!taken.has(index)) rows.push({ kind: 'extra', gold: undefined, answer: answerRow });
  }
  const counts = { same: 0, missing: 0, extra: 0, order: 0, types: 0 };
  for (const { kind } of rows) counts[kind] += 1;
  return { rows: kept(rows), counts };
}

/** One side, its rows with their keys. */
interface Side {
  readonly rows: ResultTable['rows'];
  readonly keys: readonly string[];
}

function sideOf(table: ResultTable, distinct: boolean): Side {
  const keys = keysOf(table.rows);
  if (!distinct) return { rows: table.rows, keys };
  const firsts = new Map<string, number>();
  for (const [index, key] of keys.entries()) if (!firsts.has(key)) firsts.set(key, index);
  return {
    rows: [...firsts.values()].map((index) => table.rows[index] ?? []),
    keys: [...firsts.keys()],
  };
}

/** For each gold row the index of its partner in the answer. Rows that are shown alike are paired first. */
function pairRows(gold: Side, answer: Side): (number | undefined)[] {
  const partners: (number | undefined)[] = gold.rows.map(() => undefined);
  const free = new Set(answer.rows.keys());
  const pairBy = (goldKeys: readonly string[], answerKeys: readonly string[]): void => {
    const waiting = new Map<string, number[]>();
    for (const index of free) {
      const key = answerKeys[index] ?? '';
      const known = waiting.get(key);
      if (known === undefined) waiting.set(key, [index]);
      else known.push(index);
    }
    // Taken from the end, so that the first is given first.
    for (const queue of waiting.values()) queue.reverse();
    for (const [index, key] of goldKeys.entries()) {
      if (partners[index] !== undefined) continue;
      const partner = waiting.get(key)?.pop();
      if (partner === undefined) continue;
      partners[index] = partner;
      free.delete(partner);
    }
  };
  pairBy(gold.rows.map(shownText), answer.rows.map(shownText));
  pairBy(gold.keys, answer.keys);
  return partners;
}

function shownText(row: readonly string[]): string {
  return row.join(', ');
}

/**
 * The gold rows that are where they belong: the most rows that come in the same order on both sides. Under `rows@1` rows that
 * tie may come in any order.
 */
function rowsInPlace(
  partners: readonly (number | undefined)[],
  goldCount: number,
  { mode, tieSizes }: DiffOptions,
): Set<number> {
  const sizes = (mode === 'rows@1' ? tieSizes : undefined) ?? Array<number>(goldCount).fill(1);
  const order: { readonly gold: number; readonly answer: number }[] = [];
  let start = 0;
  for (const size of sizes) {
    const run: { gold: number; answer: number }[] = [];
    for (let gold = start; gold < start + size; gold += 1) {
      const answer = partners[gold];
      if (answer !== undefined) run.push({ gold, answer });
    }
    order.push(...run.sort((a, b) => a.answer - b.answer));
    start += size;
  }
  const longest = longestIncreasing(order.map(({ answer }) => answer));
  return new Set(longest.map((index) => order[index]?.gold ?? -1));
}

/** Indices of a longest increasing subsequence of different numbers (patience sorting). */
function longestIncreasing(values: readonly number[]): number[] {
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, value] of values.entries()) {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((values[tails[middle] ?? 0] ?? 0) < value) low = middle + 1;
      else high = middle;
    }
    previous[index] = low === 0 ? undefined : tails[low - 1];
    tails[low] = index;
  }
  const longest: number[] = [];
  for (let index = tails.at(-1); index !== undefined; index = previous[index]) longest.push(index);
  return longest.reverse();
}

function kept(rows: readonly RowDifference[]): readonly RowDifference[] {
  if (rows.length <= SHOWN_ROW_COUNT_MAX) return rows;
  const chosen = new Set<number>();
  const choose = (fits: (row: RowDifference) => boolean, countMax: number): void => {
    for (const [index, row] of rows.entries()) {
      if (chosen.size >= countMax) return;
      if (fits(row)) chosen.add(index);
    }
  };
  // Neither thousands of missing rows nor thousands of extra ones hide the others.
  choose(({ kind }) => kind === 'missing' || kind === 'order', SHOWN_ROW_COUNT_MAX / 2);
  choose(({ kind }) => kind !== 'same', SHOWN_ROW_COUNT_MAX);
  choose(() => true, SHOWN_ROW_COUNT_MAX);
  return rows.filter((_, index) => chosen.has(index));
}
