import { describe, expect, test } from 'vitest';
import { diffRows, SHOWN_ROW_COUNT_MAX, type DiffOptions } from '../../src/replay/diff-rows.ts';

const BAG: DiffOptions = { mode: 'bag@1', orderMatters: false, tieSizes: undefined };
const ORDERED: DiffOptions = { ...BAG, orderMatters: true };

/** Rows of one column, given as JSON texts. */
function table(...cells: readonly string[]) {
  return { columns: ['a'], rows: cells.map((cell) => [cell]) };
}

/** Each row as its kind and what both sides show. */
function shown(gold: readonly string[], answer: readonly string[], options: DiffOptions): string[] {
  return diffRows(table(...gold), table(...answer), options).rows.map(
    (row) => `${row.kind} ${row.gold?.join() ?? ''}|${row.answer?.join() ?? ''}`,
  );
}

describe('as multisets', () => {
  test('each gold row has one partner, and what is left over is missing or extra', () => {
    expect(shown(['1', '1', '2', '3'], ['3', '1', '4'], BAG)).toEqual([
      'same 1|1',
      'missing 1|',
      'missing 2|',
      'same 3|3',
      'extra |4',
    ]);
  });

  test('equal numbers that are written otherwise are types; a text is never a number', () => {
    expect(shown(['2', '3'], ['2.0', '"3"'], BAG)).toEqual([
      'types 2|2.0',
      'missing 3|',
      'extra |"3"',
    ]);
  });

  test('rows that are written alike are paired before those that are only equal', () => {
    expect(shown(['2.0', '2'], ['2', '2.0'], BAG)).toEqual(['same 2.0|2.0', 'same 2|2']);
  });

  test('no rows on either side are no differences', () => {
    expect(diffRows(table(), table(), BAG)).toEqual({
      rows: [],
      counts: { same: 0, missing: 0, extra: 0, order: 0, types: 0 },
    });
  });
});

describe('in order', () => {
  test('the fewest rows are called elsewhere', () => {
    expect(shown(['1', '2', '3', '4'], ['4', '1', '2', '3'], ORDERED)).toEqual([
      'same 1|1',
      'same 2|2',
      'same 3|3',
      'order 4|4',
    ]);
  });

  test('a missing row moves none of the others', () => {
    expect(shown(['1', '2', '3'], ['2', '3'], ORDERED)).toEqual([
      'missing 1|',
      'same 2|2',
      'same 3|3',
    ]);
  });

  test('equal rows are paired in their order', () => {
    expect(shown(['1', '2', '1'], ['1', '2', '1'], ORDERED)).toEqual([
      'same 1|1',
      'same 2|2',
      'same 1|1',
    ]);
  });

  test('under rows@1 rows that tie may change places, and others may not', () => {
    const ties: DiffOptions = { mode: 'rows@1', orderMatters: true, tieSizes: [2, 1] };
    expect(shown(['1', '2', '3'], ['2', '1', '3'], ties)).toEqual([
      'same 1|1',
      'same 2|2',
      'same 3|3',
    ]);
    expect(diffRows(table('1', '2', '3'), table('3', '1', '2'), ties).counts).toMatchObject({
      same: 2,
      order: 1,
    });
  });
});

test('as sets, neither order nor repeats count', () => {
  const set: DiffOptions = { mode: 'set@1', orderMatters: true, tieSizes: undefined };
  expect(shown(['1', '1', '2'], ['2', '1', '2'], set)).toEqual(['same 1|1', 'same 2|2']);
});

test('of too many rows those that differ are kept, of both sides, and all are counted', () => {
  const gold = Array.from({ length: 5_000 }, (_, index) => String(index));
  const answer = [
    ...gold.slice(600),
    ...Array.from({ length: 2_000 }, (_, index) => String(-1 - index)),
  ];
  const { rows, counts } = diffRows(table(...gold), table(...answer), BAG);
  expect(counts).toEqual({ same: 4_400, missing: 600, extra: 2_000, order: 0, types: 0 });
  expect(rows).toHaveLength(SHOWN_ROW_COUNT_MAX);
  expect(rows.filter(({ kind }) => kind === 'missing').length).toBeGreaterThanOrEqual(500);
  expect(rows.filter(({ kind }) => kind === 'extra').length).toBeGreaterThan(0);
  expect(rows.at(-1)?.kind).toBe('extra');
});
