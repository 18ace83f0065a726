import { readdirSync, readlinkSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { balanced, longText, openGuarded, repeat } from '../support/guarded.ts';
import { nestedCtes } from '../support/hostile-pack.ts';

const guarded = openGuarded(`
  CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'é漢');
  CREATE TABLE u (id INTEGER PRIMARY KEY, t_id INTEGER REFERENCES t, v TEXT);
  CREATE INDEX u_v ON u(v);
  WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
  INSERT INTO u SELECT i, i % 3 + 1, 'v' || (i % 50) FROM c;
  CREATE VIEW w AS SELECT t.name, u.v FROM t JOIN u ON u.t_id = t.id;
  CREATE TABLE wide (${repeat(60, (i) => `c${i} INT`)});
  ${repeat(20, (i) => `CREATE INDEX wide_${i} ON wide (${repeat(12, (j) => `c${(i * 7 + j * 3) % 60}`)});`, '\n')}
`);

afterAll(() => {
  guarded.close();
});

/** CPU time that a bomb gets, milliseconds, and what it may take over that before it has really stopped. */
const LIMIT_MS = 150;
const OVER_MS = 1_000;

function expectStopped(sql: string): void {
  const { kind, message, times } = guarded.run(sql, { cpuMs: LIMIT_MS, wallMs: 60_000 });
  expect({ kind, message }).not.toMatchObject({
    kind: expect.stringMatching(/internal|broken|forbidden/),
  });
  expect(times.cpuUs / 1_000).toBeLessThan(LIMIT_MS + OVER_MS);
  // And nothing of it is left on the connection.
  expect(guarded.run('SELECT count(*), max(v) FROM u').rows).toEqual([[2000n, 'v9']]);
}

/** Text of a given size in a row of its own, so that whoever reads it need not copy it. */
const withText = (size: number, character = 'a') =>
  `WITH q(x) AS MATERIALIZED (SELECT CAST(${longText(size, character)} AS TEXT))`;

const nest = (count: number, open: string, inner: string, close: string) =>
  open.repeat(count) + inner + close.repeat(count);

describe('statements that are never prepared in time', () => {
  const u = (count: number) => repeat(count, (i) => `u AS u${i}`);
  let next = 0;
  it.each([
    ['18 nested CTEs (51 s without the guard)', nestedCtes(18)],
    ['24 nested CTEs (all memory of a machine without the guard)', nestedCtes(24)],
    [
      'CTEs in unions',
      `WITH c0(x) AS (SELECT 1), ${repeat(30, (i) => `c${i + 1} AS (SELECT x FROM c${i} UNION ALL SELECT x FROM c${i})`)} SELECT count(*) FROM c30`,
    ],
    [
      'CTEs in subqueries',
      `WITH c0(x) AS (SELECT 1), ${repeat(30, (i) => `c${i + 1}(x) AS (SELECT (SELECT max(x) FROM c${i}) + (SELECT min(x) FROM c${i}))`)} SELECT x FROM c30`,
    ],
    [
      'a chain of 3,000 CTEs',
      `WITH c0(x) AS (SELECT 1), ${repeat(3_000, (i) => `c${i + 1} AS (SELECT x FROM c${i})`)} SELECT x FROM c3000`,
    ],
    [
      'expressions doubled by flattening',
      `SELECT x FROM ${nest(30, '(SELECT x + x AS x FROM ', '(SELECT id AS x FROM u)', ')')}`,
    ],
    [
      'expressions tripled by flattening',
      `SELECT x FROM ${nest(40, '(SELECT CASE WHEN x > 1 THEN x ELSE x + 1 END AS x FROM ', '(SELECT id AS x FROM u)', ')')}`,
    ],
    ['nested BETWEEN', `SELECT * FROM u WHERE ${nest(300, '(', 'id', ' BETWEEN 1 AND 2)')}`],
    [
      'an IN list of 45,000',
      `SELECT * FROM u WHERE id IN (${repeat(45_000, (i) => String(i % 10))})`,
    ],
    [
      'a chain of 64 tables',
      `SELECT count(*) FROM ${u(64)} WHERE ${repeat(63, (i) => `u${i}.id = u${i + 1}.t_id`, ' AND ')}`,
    ],
    [
      'a left-joined chain of 64 tables',
      `SELECT count(*) FROM u AS u0 ${repeat(63, (i) => `LEFT JOIN u AS u${i + 1} ON u${i}.id = u${i + 1}.t_id`, ' ')}`,
    ],
    [
      '64 full joins by nature',
      `SELECT count(*) FROM ${repeat(64, (i) => `u AS u${i}`, ' NATURAL FULL JOIN ')}`,
    ],
    [
      '32 views',
      `SELECT count(*) FROM ${repeat(32, (i) => `w AS w${i}`)} WHERE ${repeat(31, (i) => `w${i}.v = w${i + 1}.v`, ' AND ')}`,
    ],
    [
      '30 wide tables with 3,500 conditions',
      `SELECT 1 FROM ${repeat(30, (i) => `wide AS w${i}`)} WHERE ${repeat(30, () => balanced('x', 110, ' AND '), ' AND ').replace(/x/g, () => `w${next++ % 30}.c${next % 60} = w${(next * 7) % 30}.c${(next * 7) % 60}`)}`,
    ],
    [
      '5,000 times IS NULL',
      `SELECT * FROM wide WHERE ${balanced('x', 5_000, ' AND ').replace(/x/g, () => `c${next++ % 60} IS NULL`)}`,
    ],
    [
      'ANDs of ORs of ANDs',
      `SELECT * FROM wide WHERE ${balanced('x', 900, ' AND ').replace(/x/g, () => `(c${next++ % 60} = 1 AND c${next++ % 60} = 2 OR c${next % 60} = 3 AND (c1 = 3 OR c2 = 3))`)}`,
    ],
    [
      '400 windows',
      `SELECT ${repeat(400, (i) => `sum(id) OVER (PARTITION BY t_id + ${i})`)} FROM u`,
    ],
    [
      '500 keys to group and order by',
      `SELECT ${repeat(500, (i) => `id + ${i}`)} FROM u GROUP BY ${repeat(500, (i) => `id + ${i}`)} ORDER BY ${repeat(500, (i) => `id + ${i}`)}`,
    ],
    [
      '5,500 aggregates',
      `SELECT ${balanced('x', 5_500).replace(/x/g, () => `sum(id + ${next++})`)} FROM u`,
    ],
    [
      'conditions pushed into 60 parts of a union',
      `SELECT * FROM (${repeat(60, () => 'SELECT id AS x FROM u', ' UNION ALL ')}) WHERE ${balanced('y', 3_000, ' OR ').replace(/y/g, () => `x = ${next++}`)}`,
    ],
    [
      'a union of 60 parts joined with itself',
      `WITH c AS (${repeat(60, () => 'SELECT id FROM u', ' UNION ALL ')}) SELECT * FROM c AS a, c AS b, c AS d`,
    ],
    ['parentheses, 45,000 deep', `SELECT ${nest(45_000, '(', '1', ')')}`],
    ['subqueries, 4,000 deep', nest(4_000, 'SELECT * FROM (', 'SELECT 1', ')')],
    ['NOT, 20,000 deep', `SELECT ${'NOT '.repeat(20_000)}1`],
    ['minus, 40,000 deep', `SELECT ${'- '.repeat(40_000)}1`],
    ['30,000 texts concatenated', `SELECT ${repeat(30_000, () => "''", '||')}`],
    ['CASE, 3,000 deep', `SELECT ${nest(3_000, 'CASE WHEN 1 THEN ', '1', ' ELSE 2 END')}`],
    ['WITH, 900 deep', nest(900, 'WITH a AS (', 'SELECT 1 AS x', ') SELECT x FROM a')],
  ])('%s', (_, sql) => {
    expectStopped(sql);
  });
});

describe('one long step of SQLite, in which it looks at no interrupt', () => {
  const a = longText(999_000);
  const json = "'[' || replace(hex(zeroblob(490000)), '00', '1,') || '1]'";
  it.each([
    ['instr, 3.8 s without the guard', `SELECT instr(${a}, ${longText(499_000)} || 'b')`],
    [
      'trim, 5 s without the guard',
      `SELECT length(trim(${longText(499_000)}, ${longText(499_000, 'q')} || 'a'))`,
    ],
    [
      'unhex, minutes without the guard',
      `SELECT length(unhex(${longText(999_000, 'z')}, ${longText(990_000, 'q')} || 'z'))`,
    ],
    ['replace of a long part', `SELECT length(replace(${a}, ${longText(499_000)} || 'b', 'x'))`],
    ['LIKE', `SELECT ${a} LIKE '%${'a_'.repeat(60)}b'`],
    ['LIKE with many parts', `SELECT ${a} LIKE '${'%a'.repeat(60)}%b'`],
    ['GLOB', `SELECT ${a} GLOB '*${'[a-c]'.repeat(24)}b'`],
    ['hex, 1.9 s without the guard', 'SELECT hex(randomblob(200000000))'],
    [
      'printf of formats',
      `SELECT length(printf(replace(hex(zeroblob(40000)), '00', '%1000000d'), 1))`,
    ],
    ['printf of digits', `SELECT length(printf('%.900000f', 1e308))`],
    ['strftime of formats', `SELECT length(strftime(replace(hex(zeroblob(400000)), '00', '%s')))`],
    [
      'JSON edited at its end 49 times',
      `SELECT length(json_set(x, ${repeat(49, () => "'$[#]', 1")})) FROM (SELECT ${json} AS x)`,
    ],
    [
      'JSON searched to its end 98 times',
      `SELECT length(json_extract(x, ${repeat(98, () => "'$[#-1]'")})) FROM (SELECT ${json} AS x)`,
    ],
    ['JSON, 490,000 deep', "SELECT json(replace(hex(zeroblob(490000)), '00', '['))"],
    [
      'a JSON path, 300,000 deep',
      "SELECT json_set('{}', '$' || replace(hex(zeroblob(300000)), '00', '.a'), 1)",
    ],
    [
      'JSONB, 95,000 deep',
      `WITH RECURSIVE c(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM c WHERE i < 94999) SELECT json(unhex((SELECT group_concat(printf('EB%08X', 5 * (94999 - i) + 1), '') FROM c) || '0B'))`,
    ],
    [
      'paths of deep JSON',
      `SELECT sum(length(fullkey)) FROM json_tree((SELECT replace(hex(zeroblob(990)), '00', '[') || ${json} || replace(hex(zeroblob(990)), '00', ']')))`,
    ],
    [
      'group_concat',
      "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT length(group_concat('')) FROM c",
    ],
    [
      'group_concat over a window',
      "SELECT max(length(g)) FROM (SELECT group_concat('abcdefghij') OVER (ORDER BY a.id ROWS 50000 PRECEDING) AS g FROM u AS a, u AS b)",
    ],
    ['a sort', 'SELECT a.id FROM u AS a, u AS b ORDER BY hex(a.id || b.id), a.v || b.v LIMIT 3'],
    [
      'a sort that spills',
      'SELECT a.id FROM u AS a, u AS b ORDER BY hex(a.id || b.id), a.v || b.v',
    ],
    [
      'a window over everything',
      'SELECT max(n) FROM (SELECT percent_rank() OVER (ORDER BY a.id * b.id DESC) AS n FROM u AS a, u AS b)',
    ],
    [
      'a recursive queue',
      'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c UNION ALL SELECT i + 2 FROM c ORDER BY 1 DESC) SELECT count(*) FROM c',
    ],
    [
      'a join for rows by OR',
      'SELECT count(*) FROM u AS a, u AS b WHERE a.id IN (b.id, b.id + 1) OR a.v = b.v OR a.id + b.id = 5',
    ],
    [
      'a subquery of pairs',
      'SELECT count(*) FROM u WHERE (id, t_id) IN (SELECT a.id, b.t_id FROM u AS a, u AS b)',
    ],
  ])('%s', (_, sql) => {
    expectStopped(sql);
  });
});

describe('a line of steps without a loop, where SQLite looks at no interrupt either', () => {
  const like = `x LIKE '%${'a_'.repeat(40)}b'`;
  // The longest value that goes with 80,000 bytes of SQL, and the longest at all.
  it.each([
    [
      '500 LIKEs (100 s where a text may have 1 MB)',
      `${withText(20_000)} SELECT ${repeat(500, () => like)} FROM q`,
    ],
    ['9 LIKEs on 1 MB', `${withText(999_000)} SELECT ${repeat(9, () => like)} FROM q`],
    [
      '600 GLOBs',
      `${withText(12_000)} SELECT ${balanced(`(x GLOB '*${'[a-c]'.repeat(20)}b')`, 600)} FROM q`,
    ],
    [
      '16,000 additions of text (20 s where it may have 1 MB)',
      `${withText(12_400, '9')} SELECT ${balanced('x', 16_000)} FROM q`,
    ],
    [
      '150 additions of text of 1 MB',
      `${withText(990_000, '9')} SELECT ${balanced('x', 150)} FROM q`,
    ],
    ['6,000 lengths', `${withText(10_000)} SELECT ${balanced('length(x)', 6_000)} FROM q`],
    ['5,000 CASTs', `${withText(10_000, '9')} SELECT ${balanced('CAST(x AS INT)', 5_000)} FROM q`],
    [
      '4,000 comparisons without case',
      `${withText(10_000)} SELECT ${balanced('(x=x COLLATE NOCASE)', 4_000)} FROM q`,
    ],
    [
      '3,000 JSON searches',
      `WITH q(x) AS MATERIALIZED (SELECT '[' || replace(hex(zeroblob(7000)), '00', '1,') || '1]') SELECT ${balanced("(x->>'$[#-1]')", 3_000)} FROM q`,
    ],
    ['6,000 instr', `${withText(10_000)} SELECT ${balanced("instr(x,'b')", 6_000)} FROM q`],
    ['4,000 trims', `${withText(10_000)} SELECT ${balanced("length(trim(x,'ba'))", 4_000)} FROM q`],
  ])('%s', (_, sql) => {
    expectStopped(sql);
  });
});

describe('memory and temporary files', () => {
  const spilled = () =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).includes('etilqs');
      } catch {
        return false;
      }
    }).length;

  it.each([
    [
      'distinct values',
      'SELECT count(*) FROM (SELECT DISTINCT a.id, hex(randomblob(20000)) FROM u AS a, u AS b)',
    ],
    [
      'aggregated text',
      `SELECT ${repeat(150, (i) => `group_concat(hex(zeroblob(500)), ${i})`)} FROM u`,
    ],
    ['512 zeroblobs of one row', `SELECT ${repeat(512, () => 'zeroblob(1000000)')}`],
    [
      'a recursive table that must stay',
      'WITH RECURSIVE c(i, x) AS (SELECT 1, hex(randomblob(50000)) UNION SELECT i + 1, hex(randomblob(50000)) FROM c) SELECT count(*) FROM c, c AS d',
    ],
    [
      'a sort that spills over 128 MB',
      'SELECT hex(randomblob(2000)) FROM u AS a, u AS b ORDER BY 1',
    ],
  ])('of %s end in "too big", and come back', (_, sql) => {
    const before = process.memoryUsage.rss();
    expect(guarded.run(sql)).toMatchObject({ kind: 'too_big' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(400_000_000);
    expect(spilled()).toBe(0);
    expect(guarded.run('SELECT count(*) FROM u').rows).toEqual([[2000n]]);
  });

  it('no more than 16 temporary files of a query are open', () => {
    const sorts = (count: number) =>
      `${repeat(count, () => 'SELECT a.id || b.name AS x, hex(randomblob(300)) AS y FROM u AS a, t AS b', ' UNION ALL ')} ORDER BY 2, 1`;
    let openCount = 0;
    const outcome = guarded.run(sorts(16), undefined, () => {
      openCount ||= spilled();
    });
    expect(outcome).toMatchObject({ kind: 'ok' });
    expect(openCount).toBe(16);
    expect(guarded.run(sorts(17))).toMatchObject({ kind: 'too_big' });
    expect(spilled()).toBe(0);
  });

  it("a row of many references to one text is refused before a thread's heap holds it", () => {
    const before = process.memoryUsage.rss();
    const sql = `WITH q(x) AS MATERIALIZED (SELECT ${longText(900_000)} || '漢') SELECT ${repeat(512, () => 'x')} FROM q`;
    expect(guarded.run(sql)).toMatchObject({ kind: 'too_big' });
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
  });
});
