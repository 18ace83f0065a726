import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { balanced, longText, openGuarded, repeat } from '../support/guarded.ts';
import { FUNCTIONS, MODULES, PRAGMAS_ALLOWED } from './build-lists.ts';

const guarded = openGuarded(`
  CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, b BLOB);
  INSERT INTO t VALUES (1, 'one', x'01'), (2, 'two', NULL);
  CREATE INDEX t_name ON t(name);
  CREATE VIEW v AS SELECT name FROM t;
`);
const plain = new Database(':memory:');

afterAll(() => {
  guarded.close();
  plain.close();
});

interface FunctionForm {
  readonly name: string;
  readonly narg: number;
  readonly type: 's' | 'a' | 'w';
}

function callOf({ name, narg, type }: FunctionForm): string {
  if (name.startsWith('->')) return `'{}' ${name} '$'`;
  const call = `"${name}"(${repeat(narg < 0 ? 2 : narg, () => 'NULL')})`;
  return type === 'w' ? `${call} OVER ()` : call;
}

describe('the authorizer', () => {
  const forms = plain
    .prepare('SELECT DISTINCT name, narg, type FROM pragma_function_list ORDER BY name, narg')
    .all() as FunctionForm[];

  it('knows every function of this SQLite: a new one is allowed or refused on purpose', () => {
    const names = [...new Set(forms.map((form) => form.name))].toSorted();
    expect(names).toEqual([...FUNCTIONS.allowed, ...FUNCTIONS.refused].toSorted());
  });

  it.each(FUNCTIONS.allowed)('lets %s through, with every number of arguments', (name) => {
    for (const form of forms.filter((each) => each.name === name)) {
      const { kind, message } = guarded.run(`SELECT ${callOf(form)}`);
      // Nonsense arguments are an error of the function itself, which so was allowed to run.
      expect({ form, kind, message }).toMatchObject({
        kind: expect.stringMatching(/^(ok|sql_error)$/),
      });
      expect(message).not.toMatch(/not authorized|no such function|wrong number|misuse/);
    }
  });

  it.each(FUNCTIONS.refused)('refuses %s', (name) => {
    for (const form of forms.filter((each) => each.name === name)) {
      expect(guarded.run(`SELECT ${callOf(form)}`)).toMatchObject({
        kind: 'forbidden',
        message: `not authorized to use function: ${name}`,
      });
    }
  });

  it('knows every virtual table of this SQLite, and lets the JSON ones through alone', () => {
    plain.prepare("SELECT * FROM json_each('[]'), json_tree('[]')").all();
    const names = plain.prepare('SELECT name FROM pragma_module_list').pluck().all() as string[];
    const modules = names.filter((name) => !name.startsWith('pragma_')).toSorted();
    expect(modules).toEqual(Object.keys(MODULES).toSorted());
    for (const [name, expected] of Object.entries(MODULES)) {
      const { kind, message } = guarded.run(`SELECT * FROM ${name}`);
      const seen = /no such table/.test(message) ? 'no table by itself' : kind;
      expect(`${name}: ${seen}`).toBe(`${name}: ${expected}`);
    }
  });

  it('lets PRAGMAs through that read the schema, and no other of this SQLite', () => {
    const names = plain.prepare('SELECT name FROM pragma_pragma_list').pluck().all() as string[];
    expect(names).toEqual(expect.arrayContaining([...PRAGMAS_ALLOWED, 'database_list']));
    for (const name of [...names, 'no_such_pragma']) {
      const allowed = PRAGMAS_ALLOWED.includes(name);
      for (const sql of [`PRAGMA ${name}`, `PRAGMA ${name}=1`, `PRAGMA main.${name}('t')`]) {
        expect({ sql, kind: guarded.run(sql).kind }).toEqual({
          sql,
          kind: allowed ? 'ok' : 'forbidden',
        });
      }
      const sql = `SELECT count(*) FROM pragma_${name}`;
      const { kind, message } = guarded.run(sql);
      if (allowed) expect({ sql, kind }).toEqual({ sql, kind: 'ok' });
      else expect({ sql, kind, message }).not.toMatchObject({ kind: 'ok' });
      expect(message).not.toContain('/');
    }
  });

  it.each([
    'DELETE FROM t',
    'UPDATE t SET name = 1',
    'INSERT INTO t DEFAULT VALUES',
    'REPLACE INTO t VALUES (1, 2, 3)',
    'INSERT INTO t VALUES (9, 9, 9) RETURNING id',
    'DELETE FROM t RETURNING id',
    'UPDATE t SET id = id RETURNING 1',
    'WITH x AS (SELECT 1) DELETE FROM t',
    'EXPLAIN DELETE FROM t',
    'EXPLAIN QUERY PLAN DELETE FROM t',
    'DROP TABLE t',
    'DROP VIEW v',
    'DROP INDEX t_name',
    'ALTER TABLE t ADD COLUMN x',
    'ALTER TABLE t RENAME TO u',
    'CREATE TABLE x (a)',
    'CREATE TEMP TABLE t AS SELECT 1',
    'CREATE TEMP VIEW t AS SELECT 1',
    'CREATE INDEX i ON t(b)',
    'CREATE TRIGGER x AFTER INSERT ON t BEGIN SELECT 1; END',
    'CREATE VIRTUAL TABLE x USING fts5(a)',
    'CREATE TABLE IF NOT EXISTS t (a)',
    "ATTACH ':memory:' AS x",
    "ATTACH '' AS temp2",
    'DETACH main',
    'VACUUM',
    "VACUUM INTO 'copy.db'",
    'REINDEX',
    'ANALYZE',
    'BEGIN',
    'BEGIN EXCLUSIVE',
    'COMMIT',
    'END',
    'ROLLBACK',
    'SAVEPOINT s',
    'RELEASE s',
    'ROLLBACK TO s',
    'INSERT INTO sqlite_schema VALUES (1, 2, 3, 4, 5)',
    'DELETE FROM sqlite_schema',
    'SELECT * FROM sqlite_dbpage',
    'SELECT * FROM dbstat',
    'SELECT count(*) FROM pragma_database_list',
  ])('refuses %s', (sql) => {
    const { kind, message } = guarded.run(sql);
    expect(
      kind === 'forbidden' || /no such (table|savepoint)|may not be modified/.test(message),
    ).toBe(true);
    expect(guarded.run('SELECT id, name FROM t ORDER BY id').rows).toEqual([
      [1n, 'one'],
      [2n, 'two'],
    ]);
  });

  it.each([
    'SELECT 1',
    'VALUES (1), (2)',
    'SELECT * FROM v',
    'EXPLAIN QUERY PLAN SELECT * FROM t',
    'PRAGMA table_info(t)',
    'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 5) SELECT * FROM c',
    'SELECT name, row_number() OVER (ORDER BY id) FROM t',
    "SELECT value FROM json_each('[1,2]')",
    'SELECT sql FROM sqlite_master',
    "SELECT name FROM pragma_table_info('t')",
    'SELECT count(*) FROM t, v NATURAL JOIN t AS x',
    'SELECT * FROM temp.sqlite_master',
  ])('allows %s', (sql) => {
    expect(guarded.run(sql)).toMatchObject({ kind: 'ok', message: '' });
  });
});

describe('limits, one below, at and one above', () => {
  const atMost = (
    max: number,
    sqlOf: (size: number) => string,
    over: { kind: string; message?: RegExp },
  ) => {
    for (const size of [max - 1, max]) {
      const { kind, message } = guarded.run(sqlOf(size));
      expect({ size, kind, message }).toEqual({ size, kind: 'ok', message: '' });
    }
    const { kind, message } = guarded.run(sqlOf(max + 1));
    expect({ size: max + 1, kind }).toEqual({ size: max + 1, kind: over.kind });
    expect(message).toMatch(over.message ?? /./);
  };

  it('1,000,000 bytes of a value', () => {
    atMost(1_000_000, (size) => `SELECT length(zeroblob(${size}))`, { kind: 'too_big' });
    atMost(1_000_000, (size) => `SELECT length(CAST(zeroblob(${size}) AS TEXT)) IS NULL`, {
      kind: 'too_big',
    });
    atMost(
      1_000_000,
      (size) => `SELECT length(${longText(500_000)} || ${longText(size - 500_000)})`,
      { kind: 'too_big' },
    );
  });

  it('100,000 bytes of SQL', () => {
    atMost(100_000, (size) => `SELECT 1${' '.repeat(size - 8)}`, {
      kind: 'too_big',
    });
    atMost(100_000, (size) => `SELECT 1 /*${'é'.repeat(9)}${'.'.repeat(size - 31)}*/`, {
      kind: 'too_big',
    });
  });

  it('8,000,000 bytes of a row, shared by its columns: a row comes all at once', () => {
    const row = (columns: number) => (size: number) =>
      `SELECT ${repeat(columns, () => 'x')} FROM (SELECT zeroblob(${size}) AS x)`;
    atMost(500_000, row(16), { kind: 'too_big' });
    atMost(15_625, row(512), { kind: 'too_big' });
  });

  it('1,000,000,000 as bytes of SQL times bytes of a value', () => {
    const padded = (length: number) => (size: number) =>
      `SELECT length(zeroblob(${size}))`.padEnd(length);
    atMost(500_000, padded(2_000), { kind: 'too_big' });
    atMost(15_625, padded(64_000), { kind: 'too_big' });
  });

  it('512 columns, 64 terms of a compound, 64 tables of a join, 100 arguments', () => {
    atMost(512, (count) => `SELECT ${repeat(count, () => '1')}`, {
      kind: 'sql_error',
      message: /too many columns/,
    });
    atMost(64, (count) => repeat(count, (i) => `SELECT ${i}`, ' UNION ALL '), {
      kind: 'sql_error',
      message: /too many terms/,
    });
    atMost(64, (count) => `SELECT 1 FROM ${repeat(count, (i) => `t AS t${i}`)} LIMIT 1`, {
      kind: 'sql_error',
      message: /at most 64 tables/,
    });
    atMost(100, (count) => `SELECT max(${repeat(count, () => '1')})`, {
      kind: 'sql_error',
      message: /too many arguments/,
    });
  });

  it('1,000 levels of an expression', () => {
    atMost(1_000, (depth) => `SELECT ${repeat(depth, () => 'id', '+')} FROM t`, {
      kind: 'sql_error',
      message: /maximum depth 1000/,
    });
  });

  it('128 bytes of a LIKE or GLOB pattern', () => {
    const over = { kind: 'sql_error', message: /pattern too complex/ };
    atMost(128, (size) => `SELECT name LIKE '${'a'.repeat(size)}' FROM t`, over);
    atMost(128, (size) => `SELECT name GLOB '${'a'.repeat(size)}' FROM t`, over);
  });

  it('the program of a statement', () => {
    expect(guarded.run(`SELECT * FROM t WHERE id IN (${repeat(12_000, String)})`).kind).toBe('ok');
    expect(
      guarded.run(`SELECT * FROM t WHERE id IN (${repeat(45_000, (i) => String(i % 10))})`).kind,
    ).toBe('too_big');
  });
});

describe('double-quoted text, as SQLite does it by default and Python with it', () => {
  it.each([
    ['SELECT "one"', [['one']]],
    ['SELECT id FROM t WHERE name = "two"', [[2n]]],
    ['SELECT "name" FROM t WHERE id = 1', [['one']]],
    ['SELECT id FROM t WHERE "name" = "name" AND id = 1', [[1n]]],
    ['SELECT count(*) FROM t WHERE name IN ("one", "tWo")', [[1n]]],
    ['SELECT "it""s"', [['it"s']]],
    ['SELECT id AS "my id" FROM t ORDER BY "my id" DESC', [[2n], [1n]]],
  ])('%s', (sql, rows) => {
    expect(guarded.run(sql)).toMatchObject({ kind: 'ok', rows });
  });

  it('a name in back quotes or brackets is never text', () => {
    expect(guarded.run('SELECT `one`').message).toBe('no such column: one');
    expect(guarded.run('SELECT [one]').message).toBe('no such column: one');
  });
});

describe('what a query can make of its words', () => {
  it('shows no address of memory: a plain EXPLAIN is refused', () => {
    for (const sql of [
      "EXPLAIN SELECT * FROM json_each('[1]')",
      'explain select 1',
      '/**/EXPLAIN VALUES (1)',
    ]) {
      expect(guarded.run(sql)).toMatchObject({ kind: 'forbidden' });
    }
    const plan = guarded.run("EXPLAIN QUERY PLAN SELECT * FROM t WHERE name = 'one'");
    expect(plan.rows.map((row) => row[3])).toEqual(['SEARCH t USING INDEX t_name (name=?)']);
  });

  it.each(['SELECT ?', 'SELECT ?1', 'SELECT ?32766', 'SELECT :a', 'SELECT @a', 'SELECT $a'])(
    'takes %s for an error of the query: there is nothing to bind',
    (sql) => {
      expect(guarded.run(sql)).toMatchObject({
        kind: 'sql_error',
        message: 'query parameters are not supported',
      });
    },
  );

  it('keeps 64-bit integers, infinity, duplicate columns, and text that is not UTF-8', () => {
    const { columns, rows } = guarded.run(
      "SELECT 9223372036854775807, -9223372036854775808, 9e999, -9e999, 1 AS a, 2 AS a, CAST(x'636166e9' AS TEXT), x'DEAD', '\uFFFD'",
    );
    expect(columns.slice(4, 6)).toEqual(['a', 'a']);
    expect(rows).toEqual([
      [
        9223372036854775807n,
        -9223372036854775808n,
        Infinity,
        -Infinity,
        1n,
        2n,
        { textBytes: Uint8Array.of(0x63, 0x61, 0x66, 0xe9) },
        Uint8Array.of(0xde, 0xad),
        '\uFFFD',
      ],
    ]);
  });

  it('is not deceived about depth by width', () => {
    expect(guarded.run(`SELECT ${balanced('1', 9_000)}`).rows).toEqual([[9_000n]]);
  });
});
