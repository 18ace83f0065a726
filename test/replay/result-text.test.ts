import { describe, expect, test } from 'vitest';
import {
  cellText,
  cellValue,
  parseErrorText,
  parseResultText,
} from '../../src/replay/result-text.ts';

describe('a result keeps the text of each cell to the byte', () => {
  test('numbers, texts, NULL and what JSON has no word for', () => {
    const text =
      '{"columns": ["a", "b\\"]"], "rows": [[2, "2"], [2.0, null], [-1e-05, "x, [\\u00e9\\n"], [NaN, -Infinity]]}';
    expect(parseResultText(text)).toEqual({
      columns: ['a', 'b"]'],
      rows: [
        ['2', '"2"'],
        ['2.0', 'null'],
        ['-1e-05', '"x, [\\u00e9\\n"'],
        ['NaN', '-Infinity'],
      ],
    });
  });

  test.each([
    ['no columns and no rows', '{"columns": [], "rows": []}', { columns: [], rows: [] }],
    [
      'a note that a cap cut it',
      '{"columns": ["a"], "rows": [[1]], "capped": "only the first 1 rows are here"}',
      { columns: ['a'], rows: [['1']] },
    ],
  ])('%s', (_, text, table) => {
    expect(parseResultText(text)).toEqual(table);
  });
});

test.each([
  '',
  '{"error": "no such table: x"}',
  '{"columns": ["a"], "rows": [[1], [2...(truncated)..., [9]]}',
  '{"columns": ["a"], "rows": [[1]',
  '{"columns": ["a"], "rows": [[1], [',
  '{"columns": ["a", "rows": [[1]]}',
  '[1]',
])('what is no whole result is none: %j', (text) => {
  expect(parseResultText(text)).toBeUndefined();
});

test('cells become the values that SQLite had', () => {
  expect(['9007199254740993', '2.0', '"2"', 'null', 'Infinity'].map(cellValue)).toEqual([
    9_007_199_254_740_993n,
    2,
    '2',
    null,
    Infinity,
  ]);
  expect(['"a\\"b"', '2.0', 'null'].map(cellText)).toEqual(['a"b', '2.0', 'null']);
});

test('the message of an error, and of nothing else', () => {
  expect(parseErrorText('{"error": "no such column: x"}')).toBe('no such column: x');
  for (const text of ['', '{"columns": []}', '{"error": 3}', 'null', '{"error": "cut...']) {
    expect(parseErrorText(text)).toBeUndefined();
  }
});
