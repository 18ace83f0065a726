import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqlRow, SqlValue } from '../../env/compare/value.ts';
import {
  createObservationWriter,
  errorText,
  noResultText,
  type ObservationText,
} from '../../env/observation.ts';
import { pythonTexts, timeMs } from './run-python.ts';

const LIMITS = { rowCountMax: 1000, cellBytesMax: 1_000_000, resultBytesMax: 3_000_000 };

/** Fetches as a caller does: until the rows end or the writer has enough. */
function observe(
  columns: readonly string[],
  rows: Iterable<SqlRow>,
  limits: Partial<typeof LIMITS> = {},
): ObservationText & { readonly fetchedCount: number } {
  const writer = createObservationWriter(columns, { ...LIMITS, ...limits });
  let fetchedCount = 0;
  for (const row of rows) {
    fetchedCount += 1;
    if (!writer.addRow(row)) break;
  }
  return { ...writer.finish(), fetchedCount };
}

const numbers = (count: number): SqlRow[] => Array.from({ length: count }, (_, i) => [BigInt(i)]);

describe('createObservationWriter', () => {
  it('writes what json.dumps writes', () => {
    expect(observe(['COUNT(*)'], [[6n]]).text).toBe('{"columns": ["COUNT(*)"], "rows": [[6]]}');
    expect(observe(['id', 'id'], [[1n, 2n]]).text).toBe(
      '{"columns": ["id", "id"], "rows": [[1, 2]]}',
    );
    expect(observe(['x'], [])).toMatchObject({
      text: '{"columns": ["x"], "rows": []}',
      rowCount: 0,
      capped: false,
    });
    expect(
      observe(
        ['a', 'b'],
        [
          [1n, null],
          [2.5, 'x'],
        ],
      ).text,
    ).toBe('{"columns": ["a", "b"], "rows": [[1, null], [2.5, "x"]]}');
    expect(observe(['é"'], [[Infinity]]).text).toBe(
      '{"columns": ["\\u00e9\\""], "rows": [[Infinity]]}',
    );
  });

  it('is json.dumps of Python on random results', () => {
    const value = fc.oneof(
      fc.constant(null),
      fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
      fc.double({ noNaN: true }),
      fc.string({ unit: 'binary' }),
      fc.uint8Array({ maxLength: 8 }),
    );
    const result = fc.nat(4).chain((width) =>
      fc.record({
        columns: fc.array(fc.string({ unit: 'binary' }), { minLength: width, maxLength: width }),
        rows: fc.array(fc.array(value, { minLength: width, maxLength: width }), { maxLength: 5 }),
      }),
    );
    const results = fc.sample(result, { numRuns: 1500, seed: 9 });
    const plain = (cell: SqlValue): unknown => {
      if (typeof cell === 'bigint') return { int: String(cell) };
      if (typeof cell === 'number') {
        const bytes = Buffer.alloc(8);
        bytes.writeDoubleBE(cell);
        return { double: bytes.toString('hex') };
      }
      return cell instanceof Uint8Array ? Buffer.from(cell).toString('hex') : cell;
    };
    const expected = pythonTexts(
      `
import struct
def cell(c):
    if isinstance(c, dict):
        return int(c['int']) if 'int' in c else struct.unpack('>d', bytes.fromhex(c['double']))[0]
    return c
print(json.dumps([json.dumps({"columns": r["columns"], "rows": [[cell(c) for c in row] for row in r["rows"]]})
    for r in input_value]))
`,
      results.map(({ columns, rows }) => ({ columns, rows: rows.map((row) => row.map(plain)) })),
    );
    expect(results.map(({ columns, rows }) => observe(columns, rows).text)).toEqual(expected);
  });

  describe('stops at rowCountMax', () => {
    it.each([
      ['one row less', 2, false, 2],
      ['exactly', 3, false, 3],
      ['one row more', 4, true, 4],
      ['many more', 100, true, 4],
    ])('%s', (_, count, capped, fetchedCount) => {
      const result = observe(['x'], numbers(count), { rowCountMax: 3 });
      expect(result).toMatchObject({ rowCount: Math.min(count, 3), capped, fetchedCount });
      const parsed = JSON.parse(result.text) as Record<string, unknown>;
      expect(Object.keys(parsed)).toEqual(
        capped ? ['columns', 'rows', 'capped'] : ['columns', 'rows'],
      );
    });

    it('says so, as valid JSON', () => {
      expect(observe(['x'], [[1n], [2n], [3n]], { rowCountMax: 2 }).text).toBe(
        '{"columns": ["x"], "rows": [[1], [2]], "capped": "only the first 2 rows are here"}',
      );
    });
  });

  describe('stops at resultBytesMax', () => {
    it('keeps the text within it, whatever the rows', () => {
      fc.assert(
        fc.property(
          fc.array(fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 4 })),
          fc.array(fc.string({ unit: 'binary', maxLength: 60 }), { maxLength: 4 }),
          fc.integer({ min: 256, max: 600 }),
          (rows, columns, resultBytesMax) => {
            const result = observe(columns, rows, { resultBytesMax });
            expect(Buffer.byteLength(result.text)).toBeLessThanOrEqual(resultBytesMax);
            const parsed = JSON.parse(result.text) as { rows: unknown[]; capped?: string };
            expect(parsed.rows.length).toBe(result.rowCount);
            expect(parsed.capped !== undefined).toBe(result.capped);
            if (!result.capped) expect(result.rowCount).toBe(rows.length);
          },
        ),
      );
    });

    it.each([
      ['one byte less', -1, true],
      ['exactly', 0, false],
      ['one byte more', 1, false],
    ])('a limit of the text, %s', (_, more, capped) => {
      const whole = observe(['x'], numbers(100)).text;
      const result = observe(['x'], numbers(100), { resultBytesMax: whole.length + more });
      expect(result.capped).toBe(capped);
      if (capped) {
        expect(JSON.parse(result.text)).toEqual({
          columns: ['x'],
          rows: numbers(result.rowCount).map(([x]) => [Number(x)]),
          capped: `only the first ${result.rowCount} rows are here`,
        });
        expect(result.text.length).toBeGreaterThan(whole.length - 10);
      } else {
        expect(result.text).toBe(whole);
      }
    });

    it('leaves out a row that alone is too long', () => {
      const result = observe(['x'], [['a'.repeat(300)]], { resultBytesMax: 256 });
      expect(result).toMatchObject({
        text: '{"columns": ["x"], "rows": [], "capped": "only the first 0 rows are here"}',
        rowCount: 0,
        capped: true,
      });
    });

    it('leaves out column names that alone are too long', () => {
      const columns = Array.from({ length: 2000 }, () => 'c'.repeat(50_000));
      const result = observe(columns, numbers(5), { resultBytesMax: 3_000_000 });
      expect(result).toMatchObject({
        text: '{"columns": [], "rows": [], "capped": "the column names are too long to show"}',
        rowCount: 0,
        fetchedCount: 1,
      });
    });

    it('leaves out column names that leave no room for the note that there are rows', () => {
      const shown = observe(['c'.repeat(227)], [], { resultBytesMax: 256 });
      expect(shown).toMatchObject({ text: `{"columns": ["${'c'.repeat(227)}"], "rows": []}` });
      expect(shown.text.length).toBe(256);
      expect(observe(['c'.repeat(227)], numbers(1), { resultBytesMax: 256 })).toMatchObject({
        text: '{"columns": [], "rows": [], "capped": "the column names are too long to show"}',
        capped: true,
      });
      expect(observe(['c'.repeat(228)], [], { resultBytesMax: 256 }).capped).toBe(true);
    });

    it('stops inside a row, so that a wide row of long cells is never written whole', () => {
      const wide = Array.from({ length: 2000 }, () => 'x'.repeat(1_000_000));
      expect(timeMs(() => observe(wide.map(String), [wide]))).toBeLessThan(3000);
    });
  });

  it('counts a cut cell as capped; the cell itself says so', () => {
    expect(observe(['x'], [['a'.repeat(17)]], { cellBytesMax: 16 })).toMatchObject({
      text: `{"columns": ["x"], "rows": [["${'a'.repeat(16)}...(cut)"]]}`,
      rowCount: 1,
      capped: true,
    });
  });

  it('writes 100,000 rows in well under a second or two', () => {
    const row: SqlRow = [1n, 2.5, 'some plain text', null];
    const rows = Array.from({ length: 100_000 }, () => row);
    const limits = { rowCountMax: 100_000, resultBytesMax: 100_000_000 };
    expect(timeMs(() => observe(['a', 'b', 'c', 'd'], rows, limits))).toBeLessThan(3000);
  });
});

describe('fixed observations', () => {
  it('tells an error as JSON', () => {
    expect(errorText('no such column: foo')).toBe('{"error": "no such column: foo"}');
    expect(errorText('near "é": syntax error')).toBe(
      '{"error": "near \\"\\u00e9\\": syntax error"}',
    );
  });

  it('tells a statement without a result set', () => {
    expect(noResultText()).toBe('{"columns": [], "rows": []}');
  });
});
