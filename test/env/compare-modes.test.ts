import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareRows, judgeRows, type CompareOptions } from '../../env/compare/modes.ts';
import { digestKeys, rowKey, rowKeys } from '../../env/compare/row-keys.ts';
import { summarize, summarizeGold } from '../../env/compare/summary.ts';
import type { SqlRow, SqlValue } from '../../env/compare/value.ts';
import { COMPARISON_MODES, type ComparisonMode } from '../../env/grade.ts';
import { timeMs } from './run-python.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const UNORDERED = { orderMatters: false, tieSizes: undefined };
const ORDERED = { orderMatters: true, tieSizes: undefined };
const column = (...values: SqlValue[]): SqlRow[] => values.map((value) => [value]);

/** Values that are easy to confuse, so that random results are often nearly equal. */
const VALUE = fc.constantFrom<SqlValue>(
  null,
  0n,
  1n,
  2n,
  0,
  -0,
  1,
  1.5,
  Infinity,
  -Infinity,
  '',
  '0',
  '1',
  'a',
  'A',
  'n',
  'i1;',
  2n ** 53n,
  2n ** 53n + 1n,
  2 ** 53,
  2n ** 63n - 1n,
  2 ** 63,
  Uint8Array.of(97),
  new Uint8Array(),
  { textBytes: Uint8Array.of(0xe9) },
  { textBytes: Uint8Array.of(0xe8) },
);
const ROWS = fc
  .nat(3)
  .chain((width) =>
    fc.array(fc.array(VALUE, { minLength: width, maxLength: width }), { maxLength: 6 }),
  );

describe('cells', () => {
  const same = (left: SqlValue, right: SqlValue) =>
    COMPARISON_MODES.map((mode) => compareRows(mode, [[left]], [[right]], UNORDERED));

  it.each<[string, SqlValue, SqlValue]>([
    ['2 and 2.0', 2n, 2],
    ['0.0 and -0.0', 0, -0],
    ['0 and -0.0', 0n, -0],
    ['2^53 as INTEGER and REAL', 2n ** 53n, 2 ** 53],
    ['-2^63 as INTEGER and REAL', -(2n ** 63n), -(2 ** 63)],
    ['infinity and itself', Infinity, Infinity],
    ['NULL and NULL', null, null],
    [
      'the same invalid text',
      { textBytes: Uint8Array.of(0xe9) },
      { textBytes: Uint8Array.of(0xe9) },
    ],
    ['the same BLOB', Uint8Array.of(1), Uint8Array.of(1)],
  ])('%s are equal', (_, left, right) => {
    expect(same(left, right)).toEqual([true, true, true]);
  });

  it.each<[string, SqlValue, SqlValue]>([
    ['1 and its text', 1n, '1'],
    ['2^53 + 1 and its nearest REAL', 2n ** 53n + 1n, 2 ** 53],
    ['2^63 - 1 and 2^63 as REAL', 2n ** 63n - 1n, 2 ** 63],
    ['NULL and 0', null, 0n],
    ['NULL and empty text', null, ''],
    ['a text and its BLOB', 'a', Uint8Array.of(97)],
    ['infinities', Infinity, -Infinity],
    ['upper and lower case', 'a', 'A'],
    ['two invalid texts', { textBytes: Uint8Array.of(0xe9) }, { textBytes: Uint8Array.of(0xe8) }],
    ['invalid text and its BLOB', { textBytes: Uint8Array.of(0xe9) }, Uint8Array.of(0xe9)],
  ])('%s are not', (_, left, right) => {
    expect(same(left, right)).toEqual([false, false, false]);
  });

  it('keep their places in a row', () => {
    expect(rowKey(['a', 'b'])).not.toBe(rowKey(['b', 'a']));
    expect(rowKey(['ab', ''])).not.toBe(rowKey(['a', 'b']));
    expect(rowKey([1n, 2n])).not.toBe(rowKey([12n]));
    expect(rowKey([])).not.toBe(rowKey([null]));
  });
});

describe('compareRows', () => {
  const verdicts = (gold: SqlRow[], answer: SqlRow[], options: CompareOptions) =>
    Object.fromEntries(
      COMPARISON_MODES.map((mode) => [mode, compareRows(mode, gold, answer, options)]),
    );
  const all = (matched: boolean) => ({ 'bag@1': matched, 'set@1': matched, 'rows@1': matched });

  it('counts duplicates, but in set@1', () => {
    const gold = column(1n, 1n, 2n);
    expect(verdicts(gold, column(1n, 2n), UNORDERED)).toEqual({ ...all(false), 'set@1': true });
    expect(verdicts(gold, column(1n, 2n, 2n), UNORDERED)).toEqual({ ...all(false), 'set@1': true });
    expect(verdicts(gold, column(2n, 1n, 1n), UNORDERED)).toEqual(all(true));
  });

  it('minds the order if the gold does, but in set@1', () => {
    expect(verdicts(column(1n, 2n), column(2n, 1n), ORDERED)).toEqual({
      ...all(false),
      'set@1': true,
    });
    expect(verdicts(column(1n, 2n), column(1n, 2n), ORDERED)).toEqual(all(true));
  });

  it('lets rows that tie change places in rows@1 only, and no others', () => {
    const gold = column('a', 'b', 'c', 'd');
    const ties = { orderMatters: true, tieSizes: [1, 2, 1] };
    expect(compareRows('rows@1', gold, column('a', 'c', 'b', 'd'), ties)).toBe(true);
    expect(compareRows('bag@1', gold, column('a', 'c', 'b', 'd'), ties)).toBe(false);
    expect(compareRows('rows@1', gold, column('b', 'a', 'c', 'd'), ties)).toBe(false);
    expect(compareRows('rows@1', gold, column('a', 'b', 'd', 'c'), ties)).toBe(false);
    expect(compareRows('rows@1', gold, column('a', 'b', 'b', 'd'), ties)).toBe(false);
    expect(compareRows('rows@1', gold, column('a', 'c', 'b'), ties)).toBe(false);
  });

  it('takes columns by position, and does not scramble rows', () => {
    const gold: SqlRow[] = [
      ['a', 1n],
      ['b', 2n],
    ];
    const scrambled: SqlRow[] = [
      ['a', 2n],
      ['b', 1n],
    ];
    expect(verdicts(gold, scrambled, UNORDERED)).toEqual(all(false));
    expect(
      verdicts(
        gold,
        gold.map((row) => row.toReversed()),
        UNORDERED,
      ),
    ).toEqual(all(false));
    expect(
      verdicts(
        gold,
        gold.map((row) => row.slice(0, 1)),
        UNORDERED,
      ),
    ).toEqual(all(false));
  });

  it('calls no rows equal to no rows, whatever the columns', () => {
    for (const options of [ORDERED, UNORDERED, { orderMatters: true, tieSizes: [] }]) {
      expect(verdicts([], [], options)).toEqual(all(true));
      expect(verdicts([], column(null), options)).toEqual(all(false));
      expect(verdicts(column(null), [], options)).toEqual(all(false));
    }
  });

  it('is symmetric, and reflexive', () => {
    const modes = fc.constantFrom<ComparisonMode>(...COMPARISON_MODES);
    fc.assert(
      fc.property(ROWS, ROWS, fc.boolean(), modes, (left, right, orderMatters, mode) => {
        const options = { orderMatters, tieSizes: undefined };
        expect(compareRows(mode, left, right, options)).toBe(
          compareRows(mode, right, left, options),
        );
        expect(compareRows(mode, left, left, options)).toBe(true);
      }),
    );
  });

  it('does not depend on the order of rows where order does not matter', () => {
    const shuffled = ROWS.chain((rows) =>
      fc.tuple(
        fc.constant(rows),
        fc.shuffledSubarray(rows, { minLength: rows.length, maxLength: rows.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, ROWS, ([rows, permuted], other) => {
        for (const mode of COMPARISON_MODES) {
          expect(compareRows(mode, rows, permuted, UNORDERED)).toBe(true);
          expect(compareRows(mode, rows, other, UNORDERED)).toBe(
            compareRows(mode, permuted, other, UNORDERED),
          );
        }
      }),
    );
  });

  it('orders the modes from strict to lenient', () => {
    fc.assert(
      fc.property(ROWS, ROWS, (gold, answer) => {
        const ties = {
          orderMatters: true,
          tieSizes: gold.length > 1 ? [gold.length - 1, 1] : [gold.length],
        };
        const strict = compareRows('bag@1', gold, answer, ties);
        const tied = compareRows('rows@1', gold, answer, ties);
        const bag = compareRows('bag@1', gold, answer, UNORDERED);
        const set = compareRows('set@1', gold, answer, UNORDERED);
        expect([strict && !tied, tied && !bag, bag && !set]).toEqual([false, false, false]);
      }),
      { numRuns: 1000 },
    );
  });
});

describe('judgeRows', () => {
  it('says on digests what compareRows says on rows', () => {
    fc.assert(
      fc.property(ROWS, ROWS, fc.boolean(), (gold, answer, orderMatters) => {
        const tieSizes = gold.length > 2 ? [2, gold.length - 2] : undefined;
        const ties = tieSizes && { tieSizes, tie: false };
        const facts = { columnCount: 1, orderMatters, ties, volatile: false };
        const summary = summarizeGold(rowKeys(gold), facts, sha256);
        for (const mode of COMPARISON_MODES) {
          expect(judgeRows(mode, summary, rowKeys(answer), sha256)).toBe(
            compareRows(mode, gold, answer, { orderMatters, tieSizes }),
          );
        }
      }),
    );
  });

  it('is plain data: a summary survives a copy between threads', () => {
    const facts = {
      columnCount: 1,
      orderMatters: true,
      ties: { tieSizes: [2], tie: true },
      volatile: true,
    };
    const summary = summarizeGold(rowKeys(column(1n, 2n)), facts, sha256);
    expect(structuredClone(summary)).toEqual(summary);
    expect(summary).toMatchObject({
      rowCount: 2,
      tieSizes: [2],
      tie: true,
      volatile: true,
      scalar: undefined,
    });
  });

  it('does not depend on how results are cut into chunks', () => {
    const keys = Array.from({ length: 5000 }, (_, index) => `${'k'.repeat(50)}${index}`);
    expect(digestKeys(keys, sha256)).toBe(digestKeys([...keys], sha256));
    expect(digestKeys(keys, sha256)).not.toBe(digestKeys(keys.toReversed(), sha256));
    expect(digestKeys(keys.slice(1), sha256)).not.toBe(digestKeys(keys, sha256));
    expect(digestKeys(['ab', 'c'], sha256)).not.toBe(digestKeys(['a', 'bc'], sha256));
    expect(digestKeys([], sha256)).not.toBe(digestKeys([''], sha256));
  });

  it('digests 100,000 rows in a second or two', () => {
    const rows = Array.from({ length: 100_000 }, (_, index): SqlRow => [
      BigInt(index % 1000),
      'text',
      1.5,
    ]);
    expect(timeMs(() => summarize(rowKeys(rows), sha256))).toBeLessThan(5000);
  });
});
