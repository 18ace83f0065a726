import { equalityKey } from '../../env/compare/python-equality.ts';
import type { SqlValue } from '../../env/compare/value.ts';
import { cellValue, type ResultTable } from './result-text.ts';

/** Cells of both results above which no relation is looked for: it would keep a person waiting. */
const CELL_COUNT_MAX = 2_000_000;

/** Orders of columns that are tried. */
const TRY_COUNT_MAX = 500;

/** A way in which two results that are not equal come close. */
export interface Likeness {
  /** Says it of cells: `as numbers`, ... */
  readonly words: string;
  /** By position, from 0: the columns where it makes the difference. */
  readonly columns: readonly number[];
}

type CellKey = (value: SqlValue) => string;

const ALIKE: readonly (readonly [string, CellKey])[] = [
  ['text on one side and number on the other', numberKey],
  ['upper and lower case or blanks', plainTextKey],
  ['the last digits of numbers', (value) => roundedKey(value, (x) => x.toPrecision(9))],
  [
    'decimals: rounded to two they are equal',
    (value) => roundedKey(value, (x) => (Math.round(x * 100) / 100).toFixed(2)),
  ],
  ['NULL on one side and an empty text or 0 on the other', emptyKey],
];

/** What would make the two results equal as multisets if it didn't count; undefined if nothing that is known here does. */
export function findLikeness(gold: ResultTable, answer: ResultTable): Likeness | undefined {
  const width = gold.columns.length;
  if (width !== answer.columns.length || gold.rows.length !== answer.rows.length) return undefined;
  if (isTooLarge(gold, answer)) return undefined;
  const columns = unlikeColumns(gold, answer);
  for (const [words, key] of ALIKE) {
    if (sameBag(rowKeysBy(gold, key), rowKeysBy(answer, key))) return { words, columns };
  }
  return undefined;
}

/** By position, from 0: columns whose values differ as multisets, of results that have equally many columns. */
export function unlikeColumns(gold: ResultTable, answer: ResultTable): number[] {
  if (isTooLarge(gold, answer)) return [];
  return gold.columns.flatMap((_, column) =>
    sameBag(columnKeys(gold, column), columnKeys(answer, column)) ? [] : [column],
  );
}

/**
 * Which columns of `wide` make up `narrow`: for each column of `narrow` the index of one of `wide`, all different, so that the
 * rows are equal as multisets. Undefined if there are none, or too many to try.
 */
export function findColumns(narrow: ResultTable, wide: ResultTable): number[] | undefined {
  if (narrow.rows.length !== wide.rows.length || narrow.columns.length > wide.columns.length) {
    return undefined;
  }
  if (narrow.rows.length === 0 || isTooLarge(narrow, wide)) return undefined;
  const wideColumns = wide.columns.map((_, column) => bagText(columnKeys(wide, column)));
  const candidates = narrow.columns.map((_, column) => {
    const wanted = bagText(columnKeys(narrow, column));
    return [...wideColumns.keys()].filter((index) => wideColumns[index] === wanted);
  });
  const wanted = bagText(rowKeysBy(narrow, equalityKey));
  let triesLeft = TRY_COUNT_MAX;
  const search = (chosen: readonly number[]): number[] | undefined => {
    if (chosen.length === candidates.length) {
      triesLeft -= 1;
      const rows = wide.rows.map((row) => chosen.map((column) => row[column] ?? 'null'));
      const keys = rowKeysBy({ columns: [], rows }, equalityKey);
      return bagText(keys) === wanted ? [...chosen] : undefined;
    }
    for (const candidate of candidates[chosen.length] ?? []) {
      if (chosen.includes(candidate) || triesLeft <= 0) continue;
      const found = search([...chosen, candidate]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return search([]);
}

/** Whether two lists hold the same keys, each as often. */
export function sameBag(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && bagText(left) === bagText(right);
}

/** Whether two lists hold the same keys. */
export function sameSet(left: readonly string[], right: readonly string[]): boolean {
  const known = new Set(left);
  return known.size === new Set(right).size && right.every((key) => known.has(key));
}

function bagText(keys: readonly string[]): string {
  return keys.toSorted().join('\n');
}

function isTooLarge(left: ResultTable, right: ResultTable): boolean {
  const cells = (table: ResultTable): number => table.rows.length * table.columns.length;
  return cells(left) + cells(right) > CELL_COUNT_MAX;
}

function columnKeys(table: ResultTable, column: number): string[] {
  return table.rows.map((row) => equalityKey(cellValue(row[column] ?? 'null')));
}

function rowKeysBy(table: ResultTable, key: CellKey): string[] {
  return table.rows.map((row) => row.map((json) => key(cellValue(json))).join('\0'));
}

function numberKey(value: SqlValue): string {
  if (typeof value !== 'string') return equalityKey(value);
  const text = value.trim();
  if (/^-?\d+$/.test(text)) return equalityKey(BigInt(text));
  return /^-?\d*\.?\d+(e[-+]?\d+)?$/i.test(text) ? equalityKey(Number(text)) : equalityKey(value);
}

function plainTextKey(value: SqlValue): string {
  if (typeof value !== 'string') return equalityKey(value);
  return equalityKey(value.trim().replaceAll(/\s+/g, ' ').toLowerCase());
}

function roundedKey(value: SqlValue, rounded: (x: number) => string): string {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  return isNumber ? `r${rounded(Number(value))}` : equalityKey(value);
}

function emptyKey(value: SqlValue): string {
  const empty = value === null || value === '' || Number(value) === 0;
  return empty ? 'empty' : equalityKey(value);
}
