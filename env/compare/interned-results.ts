import { decodeIgnoringErrors } from '../utf8.ts';
import { equalityKey } from './python-equality.ts';
import { compareCodePoints, pythonSortKey } from './python-sort-key.ts';
import { isInvalidText, type SqlRow, type SqlValue } from './value.ts';

/** Rows of small whole numbers in the place of cells. */
export type NumberRows = readonly (readonly number[])[];

/** Two results whose cells are numbers: comparing those is fast, and each distinct value is looked at once. */
export interface InternedResults {
  /** The same number is the same value of the same type. */
  readonly gold: NumberRows;
  readonly answer: NumberRows;
  /** By cell number: the same again for values that Python calls equal, so for 1 and 1.0. */
  readonly equalities: readonly number[];
  /** By cell number: the place of the value in the order of the official sort keys. */
  readonly ranks: readonly number[];
}

/** Numbers the cells of both results; TEXT loses its invalid bytes, as in the official script. */
export function internResults(gold: readonly SqlRow[], answer: readonly SqlRow[]): InternedResults {
  const numberByCell = new Map<SqlValue | symbol, number>();
  const numberByBytes = new Map<string, number>();
  const numberByEqualityKey = new Map<string, number>();
  const equalities: number[] = [];
  const sortKeys: string[] = [];
  const newNumber = (cell: SqlValue): number => {
    const key = equalityKey(cell);
    const equality = numberByEqualityKey.get(key) ?? numberByEqualityKey.size;
    numberByEqualityKey.set(key, equality);
    sortKeys.push(pythonSortKey(cell));
    return equalities.push(equality) - 1;
  };
  const numberOf = (cell: SqlValue): number => {
    if (cell instanceof Uint8Array) {
      return getOrAdd(numberByBytes, equalityKey(cell), () => newNumber(cell));
    }
    const value = isInvalidText(cell) ? decodeIgnoringErrors(cell.textBytes) : cell;
    // A map takes -0 for 0, which sorts elsewhere.
    const key = Object.is(value, -0) ? NEGATIVE_ZERO : value;
    return getOrAdd(numberByCell, key, () => newNumber(value));
  };
  const goldNumbers = gold.map((row) => row.map(numberOf));
  const answerNumbers = answer.map((row) => row.map(numberOf));
  return { gold: goldNumbers, answer: answerNumbers, equalities, ranks: ranksOf(sortKeys) };
}

const NEGATIVE_ZERO = Symbol('-0.0');

const SURROGATE = /[\ud800-\udfff]/;

function getOrAdd<Key>(map: Map<Key, number>, key: Key, add: () => number): number {
  const known = map.get(key);
  if (known !== undefined) return known;
  const number = add();
  map.set(key, number);
  return number;
}

function ranksOf(sortKeys: readonly string[]): number[] {
  // Without surrogates the fast native order is the order of code points.
  const isPlain = !sortKeys.some((key) => SURROGATE.test(key));
  const keyAt = (number: number): string => sortKeys[number] ?? '';
  const compare = isPlain
    ? (a: number, b: number): number => (keyAt(a) < keyAt(b) ? -1 : 1)
    : (a: number, b: number): number => compareCodePoints(keyAt(a), keyAt(b));
  const ranks = sortKeys.map(() => 0);
  for (const [rank, number] of [...sortKeys.keys()].sort(compare).entries()) ranks[number] = rank;
  return ranks;
}
