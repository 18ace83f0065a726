import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  callsVolatileFunction,
  hasLiteralColumns,
  hasSecondStatement,
  hasTopLevelOrderBy,
  isEmptyStatement,
  looksAtSchema,
} from '../../env/sql-text.ts';
import { tokenizeSql, tokenText } from '../../env/sql-tokens.ts';
import { sortKeyQuery } from '../../env/sort-keys.ts';
import { runPython, timeMs } from './run-python.ts';

const shown = (sql: string): string[] =>
  tokenizeSql(sql)
    .filter((token) => token.kind !== 'space')
    .map((token) => `${token.kind} ${tokenText(sql, token)}`);

/** Pieces from which SQL, and what is nearly SQL, is put together. */
const SOUP = fc
  .array(
    fc.constantFrom(
      'select',
      '1',
      "'",
      '"',
      '`',
      '[',
      ']',
      '(',
      ')',
      ';',
      '--',
      '/*',
      '*/',
      '/',
      '*',
      '\n',
      ' ',
      'order',
      'by',
      'ORDER BY',
      ' x ',
      ',',
      '.',
      '$',
      '?1',
      ':a',
      "x'",
      '0x',
      '1e',
      'é',
      '😀',
      '\\',
      '\t',
      '\r',
      '\f',
      '-',
      '>',
      '|',
      '=',
      '!',
      '\ufeff',
      '\u00a0',
      'from t',
      'date',
      'now',
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

describe('tokenizeSql', () => {
  it('cuts as SQLite does', () => {
    expect(shown("select a.b,'it''s' -- c\n||x'0F'")).toEqual([
      'word select',
      'word a',
      'symbol .',
      'word b',
      'symbol ,',
      "string 'it''s'",
      'comment -- c',
      'symbol ||',
      "blob x'0F'",
    ]);
    expect(shown('"a""b" `c``d` [e"f] 1.5e-3 .5 0xFF 1_000 ?1 :n @v $w')).toEqual([
      'quoted "a""b"',
      'quoted `c``d`',
      'quoted [e"f]',
      'number 1.5e-3',
      'number .5',
      'number 0xFF',
      'number 1_000',
      'variable ?1',
      'variable :n',
      'variable @v',
      'variable $w',
    ]);
    expect(shown('a->>b->c<=d<>e<<f!=g==h')).toEqual([
      'word a',
      'symbol ->>',
      'word b',
      'symbol ->',
      'word c',
      'symbol <=',
      'word d',
      'symbol <>',
      'word e',
      'symbol <<',
      'word f',
      'symbol !=',
      'word g',
      'symbol ==',
      'word h',
    ]);
    expect(shown('/* a */b/**/c/*d')).toEqual([
      'comment /* a */',
      'word b',
      'comment /**/',
      'word c',
      'comment /*d',
    ]);
    expect(shown("x'y")).toEqual(['word x', "unclosed 'y"]);
    expect(shown('a/*')).toEqual(['word a', 'symbol /', 'symbol *']);
    expect(shown('größe$1 _x')).toEqual(['word größe$1', 'word _x']);
  });

  it('covers any text without gaps', () => {
    fc.assert(
      fc.property(fc.oneof(SOUP, fc.string({ unit: 'binary' })), (sql) => {
        const tokens = tokenizeSql(sql);
        expect(tokens.map((token) => tokenText(sql, token)).join('')).toBe(sql);
        expect(tokens.every((token) => token.end > token.start)).toBe(true);
        for (const ask of [hasTopLevelOrderBy, hasSecondStatement, isEmptyStatement]) ask(sql);
        callsVolatileFunction(sql);
        sortKeyQuery(sql);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('hasTopLevelOrderBy', () => {
  it.each([
    ['SELECT x FROM t ORDER BY x', true],
    ['select x from t order\n\tby x', true],
    ['select x from t order/* why */by x', true],
    ['SELECT x FROM t', false],
    ['SELECT x FROM (SELECT x FROM t ORDER BY x)', false],
    ['SELECT x FROM t WHERE id IN (SELECT id FROM t ORDER BY v LIMIT 3)', false],
    ['SELECT x FROM t WHERE id IN (SELECT id FROM t ORDER BY v LIMIT 3) ORDER BY x', true],
    ['WITH c AS (SELECT x FROM t ORDER BY x) SELECT * FROM c', false],
    ['SELECT row_number() OVER (PARTITION BY a ORDER BY b) FROM t', false],
    ['SELECT group_concat(x ORDER BY x) FROM t', false],
    ["SELECT 'order by' FROM t", false],
    ['SELECT "order by" FROM t', false],
    ['SELECT [order by], `order by` FROM t', false],
    ['SELECT x FROM t -- ORDER BY x', false],
    ['SELECT x FROM t /* ORDER BY x */', false],
    ["SELECT '--' FROM t ORDER BY x", true],
    ["SELECT '(' FROM t ORDER BY x", true],
    ["SELECT '/*' FROM t ORDER BY '*/'", true],
    ["SELECT 'it''s (' FROM t ORDER BY x", true],
    ['-- ) (\nSELECT x FROM t ORDER BY x', true],
    ['SELECT x FROM t UNION SELECT y FROM u ORDER BY 1', true],
    ['SELECT reorder by_x FROM t', false],
    ['SELECT border, by FROM t', false],
    ['(SELECT x ORDER BY x', true],
    ['', false],
  ])('%j: %s', (sql, ordered) => {
    expect(hasTopLevelOrderBy(sql)).toBe(ordered);
  });

  it('is blank-then-match on closed quotes and comments', () => {
    const piece = fc.constantFrom(
      'order by x',
      'ORDER  BY',
      'order',
      'by',
      '(',
      ')',
      '(order by y)',
      "'order by'",
      "'('",
      '"order by"',
      '")"',
      '`order by`',
      '[order by]',
      '--order by\n',
      '/* ( */',
      "'--'",
      ',',
      'a',
      "'it''s'",
      '/**/',
      'select',
      '\n',
    );
    const cases = fc.sample(
      fc.array(piece, { maxLength: 10 }).map((parts) => parts.join(' ')),
      { numRuns: 4000, seed: 12 },
    );
    const expected = runPython(
      `
import re
NOISE = re.compile(r"--[^\\n]*|/\\*.*?\\*/|'(?:''|[^'])*'|\\"(?:\\"\\"|[^\\"])*\\"|\`[^\`]*\`|\\[[^\\]]*\\]", re.DOTALL)
INNER = re.compile(r"\\([^()]*\\)")
def ordered(sql):
    sql = NOISE.sub(' ', sql)
    while INNER.search(sql):
        sql = INNER.sub(' ', sql)
    return re.search(r"\\border\\s+by\\b", sql, re.IGNORECASE) is not None
print(json.dumps([ordered(s) for s in input_value]))
`,
      cases,
    );
    expect(cases.map(hasTopLevelOrderBy)).toEqual(expected);
  });
});

describe('hasSecondStatement and isEmptyStatement', () => {
  const CASES = [
    'select 1',
    'select 1;',
    'select 1; ',
    'select 1; -- x',
    'select 1; /* x */',
    'select 1; /* x',
    'select 1;;',
    'select 1; select 2',
    'select 1; /**/ ;',
    'select 1;/',
    'select 1;\n-- a\nselect 2',
    '; select 1',
    ' ;; select 1; ',
    '; select 1; select 2',
    "select ';'",
    "select ';'; select 1",
    'select 1 -- ;\n',
    'select 1 -- ; select 2',
    'select 1 /* ; */',
    'select "a;b"',
    'select 1 as [;]',
    'select 1;﻿',
    '﻿select 1',
    'select 1;	\f\r\n',
    'select 1; x',
    'select 1;--',
    'select 1;/*',
    '',
    ' ',
    '-- x',
    '/* x */',
    ';',
    ' ; ; ',
    '-- x\n;',
    '/* x',
    '--',
    '﻿',
  ];

  it('are what Python, and SQLite under it, make of it', () => {
    const expected = runPython(
      `
import sqlite3
db = sqlite3.connect(':memory:')
def ask(sql):
    try:
        cursor = db.execute(sql)
        return [False, cursor.description is None]
    except sqlite3.ProgrammingError as e:
        assert 'one statement' in str(e), e
        return [True, False]
print(json.dumps([ask(s) for s in input_value]))
`,
      CASES,
    );
    expect(CASES.map((sql) => [sql, hasSecondStatement(sql), isEmptyStatement(sql)])).toEqual(
      CASES.map((sql, index) => [sql, ...(expected as boolean[][])[index]!]),
    );
  });
});

describe('callsVolatileFunction', () => {
  it.each([
    'SELECT current_timestamp',
    'SELECT * FROM t WHERE d < CURRENT_DATE',
    'SELECT x, Current_Time FROM t',
    "SELECT date('now')",
    "SELECT DATETIME ( 'NOW' , '-1 day')",
    'SELECT datetime("now")',
    'SELECT date()',
    "SELECT strftime('%Y')",
    "SELECT strftime('%Y', 'now')",
    "SELECT julianday('now') - julianday(d) FROM t",
    "SELECT unixepoch('subsec')",
    "SELECT timediff('now', d) FROM t",
    "SELECT date(coalesce(d, 'now')) FROM t",
    'SELECT x FROM t ORDER BY random() LIMIT 1',
    'SELECT "random"()',
    'SELECT hex(randomblob(4))',
    "SELECT time(d), time('now') FROM t",
  ])('%s: yes', (sql) => {
    expect(callsVolatileFunction(sql)).toBe(true);
  });

  it.each([
    "SELECT date('2020-01-01')",
    'SELECT date(d) FROM t',
    "SELECT strftime('%Y', d) FROM t",
    "SELECT timediff(a, b), date(a, '+1 day') FROM t",
    'SELECT date FROM t WHERE time > 5',
    "SELECT 'now', 'random()' FROM t",
    'SELECT random FROM t -- date()',
    'SELECT t.current_date FROM t',
    'SELECT date, (SELECT max(x) FROM u) FROM t',
    "SELECT 'current_timestamp'",
    'SELECT randomize(1)',
    "SELECT count(*) FROM t WHERE name = 'now' AND date(d) = x",
    'SELECT (',
    '',
  ])('%s: no', (sql) => {
    expect(callsVolatileFunction(sql)).toBe(false);
  });
});

describe('linear time', () => {
  it('holds for large texts of anything', () => {
    const size = 200_000;
    for (const sql of [
      "'".repeat(size),
      "''".repeat(size / 2),
      `'${"''".repeat(size / 2)}`,
      '"'.repeat(size - 1),
      '('.repeat(size),
      ')'.repeat(size),
      `${'('.repeat(size / 2)}${')'.repeat(size / 2)}`,
      '['.repeat(size),
      "x'".repeat(size / 2),
      '/*'.repeat(size / 2),
      '--'.repeat(size / 2),
      ';'.repeat(size),
      ' '.repeat(size),
      'a'.repeat(size),
      '1'.repeat(size),
      '$'.repeat(size),
      'date('.repeat(size / 5),
      `${'date(x,'.repeat(2e4)}x${')'.repeat(2e4)}`,
      `select ${'a,'.repeat(5e4)}a from t order by ${'b,'.repeat(5e4)}b`,
      `select a from t order by ${'('.repeat(5e4)}b${')'.repeat(5e4)}`,
    ]) {
      const ms = timeMs(() => {
        hasTopLevelOrderBy(sql);
        hasSecondStatement(sql);
        isEmptyStatement(sql);
        callsVolatileFunction(sql);
      });
      expect(ms).toBeLessThan(8000);
    }
  });
});

describe('hasLiteralColumns', () => {
  it.each([
    'select 18 from products limit 1',
    "SELECT -1.5 AS n, 'x' y, x'ab', NULL FROM t WHERE a = 1",
    'select distinct 1',
    'select 6;',
  ])('finds literals only: %s', (sql) => {
    expect(hasLiteralColumns(sql)).toBe(true);
  });

  it.each([
    'select count(*) from t',
    'select 1, name from t',
    'select 1 + a from t',
    'select "name" from t',
    'select * from t',
    'select (select 1) from t',
    'with x as (select 1) select 1 from x',
    'select',
    'select 1,',
    '',
    'delete from t',
  ])('does not call anything else a literal: %s', (sql) => {
    expect(hasLiteralColumns(sql)).toBe(false);
  });
});

describe('looksAtSchema', () => {
  it.each(['PRAGMA table_info(t)', ' -- x\n explain select 1', ';pragma x'])('knows %s', (sql) => {
    expect(looksAtSchema(sql)).toBe(true);
  });

  it.each(['select 1', "I don't know", '', 'select pragma from t'])(
    'is not taken in by %s',
    (sql) => {
      expect(looksAtSchema(sql)).toBe(false);
    },
  );
});
