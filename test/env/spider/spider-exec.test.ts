import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { spiderResultsMatch } from '../../../env/compare/spider-exec.ts';
import type { SqlRow, SqlValue } from '../../../env/compare/value.ts';
import { isMissing, readJsonLines } from './fixture-data.ts';

type TypedCell = null | { i: string } | { f: string } | { s: string } | { b: string };

interface ResultPair {
  readonly gold: TypedCell[][];
  readonly pred: TypedCell[][];
  readonly order: boolean;
  readonly eq: boolean;
}

const fixture = ['fixtures', 'result_eq.jsonl.gz'] as const;

describe('spiderResultsMatch against the official comparison', () => {
  it.skipIf(isMissing(...fixture))('gives its verdict on 8,040 pairs', () => {
    const pairs = readJsonLines<ResultPair>(...fixture);
    const differing = pairs.filter(
      (pair) => spiderResultsMatch(rowsOf(pair.gold), rowsOf(pair.pred), pair.order) !== pair.eq,
    );
    expect(differing).toEqual([]);
    expect(pairs.length).toBe(8040);
  });
});

describe('spiderResultsMatch', () => {
  it('takes two empty results for equal whatever was selected', () => {
    expect(spiderResultsMatch([], [], true)).toBe(true);
    expect(spiderResultsMatch([], [[1n]], false)).toBe(false);
  });

  it('compares INTEGER with REAL exactly beyond 2^53', () => {
    expect(spiderResultsMatch([[9007199254740993n]], [[9007199254740992]], true)).toBe(false);
    expect(spiderResultsMatch([[9007199254740992n]], [[9007199254740992]], true)).toBe(true);
  });

  it('keeps the quirk that equal numbers of different types may sort differently', () => {
    expect(spiderResultsMatch([[1n, 1.5]], [[1, 1.5]], false)).toBe(false);
    expect(spiderResultsMatch([[10n, 1.5]], [[10, 1.5]], false)).toBe(true);
  });

  it('drops the invalid bytes of TEXT', () => {
    const text = { textBytes: new Uint8Array([0x61, 0xff, 0x62]) };
    expect(spiderResultsMatch([[text]], [['ab']], true)).toBe(true);
    expect(spiderResultsMatch([[new Uint8Array([0x61, 0x62])]], [['ab']], true)).toBe(false);
  });

  it.each([true, false])('permutes 26 columns of zeros and ones, order %s', (orderMatters) => {
    const gold = bitRows(40, 26, 1);
    const answer = gold.map((row) => row.toReversed());
    const changed = answer.map((row, index) => (index === 3 ? row.map(flip) : row));
    const started = performance.now();
    expect(spiderResultsMatch(gold, answer, orderMatters)).toBe(true);
    expect(spiderResultsMatch(gold, changed, orderMatters)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('decides between columns that only their partners tell apart', () => {
    // Each row is an edge between two of 26 columns: one ring of 26 against two rings of 13.
    const ring = edges(26, (column) => (column + 1) % 26);
    const rings = edges(26, (column) => (column === 12 ? 0 : column === 25 ? 13 : column + 1));
    const shuffled = ring
      .toReversed()
      .map((row) => row.map((_cell, at) => row[(at * 7) % 26] ?? null));
    const started = performance.now();
    expect(spiderResultsMatch(ring, shuffled, false)).toBe(true);
    expect(spiderResultsMatch(ring, rings, false)).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  it('is fast on many columns that are all the same', () => {
    const rows = Array.from({ length: 500 }, () => Array.from({ length: 60 }, () => 0n));
    const started = performance.now();
    expect(spiderResultsMatch(rows, [...rows.slice(1), rows[0]?.map(() => 0) ?? []], false)).toBe(
      true,
    );
    expect(performance.now() - started).toBeLessThan(2000);
  });
});

describe('spiderResultsMatch on any results', () => {
  const cell: fc.Arbitrary<SqlValue> = fc.oneof(
    fc.constantFrom<SqlValue>(null, 0n, 1n, 0, 1, -0, 1.5, '', '1', 'a', Infinity),
    fc.constantFrom<SqlValue>(new Uint8Array([97]), { textBytes: new Uint8Array([0xff]) }),
  );
  const result = fc
    .integer({ min: 1, max: 4 })
    .chain((width) =>
      fc.array(fc.array(cell, { minLength: width, maxLength: width }), { maxLength: 5 }),
    );

  it('is symmetric', () => {
    fc.assert(
      fc.property(result, result, fc.boolean(), (left, right, orderMatters) => {
        expect(spiderResultsMatch(left, right, orderMatters)).toBe(
          spiderResultsMatch(right, left, orderMatters),
        );
      }),
    );
  });

  it('ignores the order of columns, and of rows unless it matters', () => {
    const shuffled = result.chain((rows) =>
      fc.record({
        rows: fc.constant(rows),
        columns: permutationOf(rows[0]?.length ?? 0),
        places: permutationOf(rows.length),
      }),
    );
    fc.assert(
      fc.property(shuffled, ({ rows, columns, places }) => {
        const permuted = rows.map((row) => columns.map((column) => row[column] ?? null));
        const moved = places.map((place) => permuted[place] ?? []);
        expect(spiderResultsMatch(rows, permuted, true)).toBe(true);
        expect(spiderResultsMatch(rows, moved, false)).toBe(true);
      }),
    );
  });

  it('agrees with trying all permutations', () => {
    const bits = fc.integer({ min: 1, max: 4 }).chain((width) => {
      const row = fc.array(fc.constantFrom(0n, 1n), { minLength: width, maxLength: width });
      const rows = fc.array(row, { minLength: 3, maxLength: 3 });
      return fc.tuple(rows, rows, fc.boolean());
    });
    fc.assert(
      fc.property(bits, ([left, right, orderMatters]) => {
        const key = (rows: bigint[][]): string => {
          const texts = rows.map((row) => row.join());
          return (orderMatters ? texts : texts.toSorted()).join(';');
        };
        const expected = permutations(left[0]?.length ?? 0).some(
          (order) => key(right.map((row) => order.map((at) => row[at] ?? 0n))) === key(left),
        );
        expect(spiderResultsMatch(left, right, orderMatters)).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });
});

function rowsOf(rows: TypedCell[][]): SqlRow[] {
  return rows.map((row) => row.map(cellOf));
}

function cellOf(cell: TypedCell): SqlValue {
  if (cell === null) return null;
  if ('i' in cell) return BigInt(cell.i);
  if ('s' in cell) return cell.s;
  if ('b' in cell) return new Uint8Array(Buffer.from(cell.b, 'hex'));
  return cell.f.endsWith('inf') ? Number(cell.f.replace('inf', 'Infinity')) : Number(cell.f);
}

/** Bits that look random but are the same in each run. */
function bitRows(rowCount: number, columnCount: number, seed: number): bigint[][] {
  let state = seed;
  return Array.from({ length: rowCount }, () =>
    Array.from({ length: columnCount }, () => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return BigInt(state >>> 31);
    }),
  );
}

function edges(columnCount: number, next: (column: number) => number): bigint[][] {
  return Array.from({ length: columnCount }, (_row, from) =>
    Array.from({ length: columnCount }, (_cell, at) =>
      at === from || at === next(from) ? 1n : 0n,
    ),
  );
}

function flip(bit: bigint): bigint {
  return 1n - bit;
}

function permutationOf(length: number): fc.Arbitrary<number[]> {
  const indices = Array.from({ length }, (_item, index) => index);
  return fc.shuffledSubarray(indices, { minLength: length, maxLength: length });
}

function permutations(length: number): number[][] {
  if (length === 0) return [[]];
  return permutations(length - 1).flatMap((shorter) =>
    Array.from({ length }, (_item, place) => shorter.toSpliced(place, 0, length - 1)),
  );
}
