import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { createTestBed, NEVER, WHOLE, type TestBed } from '../support/executor.ts';
import { hostilePack } from '../support/hostile-pack.ts';

const QUERY_COUNT = 10_000;
const BATCH = 250;

/** Another one finds other things; this one is the same on every machine. */
const SEED = Number(process.env['SQLENV_FUZZ_SEED'] ?? 20_240_607);

let bed: TestBed;

beforeAll(async () => {
  bed = await createTestBed(
    `
    CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INT, country TEXT);
    INSERT INTO singer VALUES (1, 'Joe', 52, 'Netherlands'), (2, 'Tim', 32, 'United States'), (3, NULL, 29, 'France');
    CREATE TABLE concert (id INTEGER PRIMARY KEY, title TEXT, year TEXT, singer_id INT REFERENCES singer);
    INSERT INTO concert VALUES (1, 'Auditions', '2014', 1), (2, 'Super', '2015', 2), (3, 'Süper — 漢', '2015', 2);
    CREATE TABLE odd (v, b BLOB);
    INSERT INTO odd VALUES (9223372036854775807, x'00ff'), (9e999, NULL), ('', zeroblob(3)), (CAST(x'ff61' AS TEXT), 'x');
    CREATE INDEX concert_year ON concert(year);
    CREATE VIEW older AS SELECT name FROM singer WHERE age > 30;
  `,
    { fastThreadCount: 2, slowThreadCountMax: 2 },
  );
});

afterAll(() => bed.close());

const SEEDS = [
  'SELECT count(*) FROM singer WHERE age > 20',
  'SELECT T1.name, count(*) FROM singer AS T1 JOIN concert AS T2 ON T1.id = T2.singer_id GROUP BY T1.id HAVING count(*) > 1',
  "SELECT name FROM singer WHERE country = 'France' OR name LIKE '%o%' ESCAPE '\\' ORDER BY age DESC LIMIT 3 OFFSET 1",
  'SELECT DISTINCT year FROM concert EXCEPT SELECT "2014" INTERSECT VALUES (1), (2)',
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 20) SELECT i, i * 2.5 FROM c',
  'SELECT name, rank() OVER (PARTITION BY country ORDER BY age ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM singer',
  "SELECT CASE WHEN age BETWEEN 30 AND 40 THEN upper(name) ELSE replace(country, 'a', '漢') END FROM singer",
  'SELECT json_extract(value, \'$.a\'), key FROM json_each(\'[{"a": 1}, {"a": [2]}]\')',
  'SELECT * FROM singer NATURAL LEFT JOIN concert CROSS JOIN older FULL JOIN odd ON v IS NOT b',
  "SELECT hex(b), typeof(v), quote(v), v -> 0, printf('%5.2f|%s', v, b), instr(b, x'ff'), unhex(v, b) FROM odd",
  'SELECT (SELECT max(age) FROM singer AS s WHERE s.id <> singer.id), EXISTS (SELECT 1 FROM odd) FROM singer',
  "SELECT strftime('%Y', year || '-01-01', '+1 month'), date(year), julianday(title) FROM concert",
  'SELECT sum(age), avg(age), group_concat(name, CHAR(10)) FILTER (WHERE age > 1), total(v) FROM singer, odd',
  "SELECT -age << 2 | ~age & 3 % 2 || name COLLATE NOCASE IN (1, NULL, 'x') IS NOT TRUE FROM singer",
  "SELECT p.name, p.type FROM pragma_table_info('singer') AS p -- columns\n",
  'PRAGMA table_info(concert)',
  'EXPLAIN QUERY PLAN SELECT * FROM concert WHERE year = 2014',
  'SELECT `name`, [age], "country", singer.id FROM main.singer /* all */;',
  "SELECT 0x1F, 1e-5, .5, 9007199254740993, -9223372036854775808, x'0aFF', 1_000",
  "SELECT zeroblob(10), randomblob(4) IS NULL, abs(-9223372036854775807), substr(name, -2, 1), trim(name, 'Jo') FROM singer",
  'SELECT id FROM singer UNION ALL SELECT id FROM concert ORDER BY 1, 1 COLLATE BINARY NULLS LAST',
  'SELECT * FROM (SELECT id, (age, name) > (30, NULL) FROM singer) WHERE rowid NOT IN (SELECT singer_id FROM concert)',
  'DELETE FROM singer WHERE id IN (SELECT 1)',
  "INSERT INTO odd (v) VALUES ('x') ON CONFLICT DO NOTHING RETURNING *",
];

const PIECES = [
  ...[
    '(',
    ')',
    ',',
    ';',
    '*',
    '+',
    '-',
    '--',
    '/*',
    '*/',
    '.',
    "'",
    '"',
    '`',
    '[',
    ']',
    '||',
    '<>',
    '=',
    '->>',
    '?',
    ':a',
    '@',
    '$',
    '#',
    '\\',
    '{',
    '\0',
    '\n',
    '\uFEFF',
    '\u{1F4A3}',
    '\uD800',
    'é',
  ],
  ...[
    'SELECT',
    'FROM',
    'WHERE',
    'AND',
    'OR',
    'NOT',
    'NULL',
    'IS',
    'IN',
    'AS',
    'ON',
    'BY',
    'UNION',
    'ALL',
    'WITH',
    'VALUES',
    'LIMIT',
    'ORDER BY',
    'GROUP BY',
    'OVER',
    'CASE',
    'END',
    'JOIN',
    'USING',
    'CAST(',
    'EXISTS',
    'COLLATE',
    'LIKE',
    'GLOB',
    'MATCH',
    'REGEXP',
    'ESCAPE',
    'RAISE(',
    'INDEXED BY',
    'DISTINCT',
  ],
  ...[
    'singer',
    'concert',
    'odd',
    'older',
    'id',
    'name',
    'age',
    'rowid',
    '*',
    'sqlite_master',
    'temp',
    'main.',
    'T1',
    'c',
  ],
  ...[
    '0',
    '1',
    '-1',
    '9223372036854775808',
    '1e308',
    "''",
    "x''",
    "'漢'",
    'zeroblob(9999999)',
    'randomblob(1000)',
    '(SELECT 1)',
    "'a' || 'b'",
  ],
  ...[
    'ATTACH',
    'PRAGMA',
    'VACUUM',
    'BEGIN',
    'DROP TABLE',
    'CREATE TEMP TABLE',
    'UPDATE',
    'EXPLAIN',
    'REPLACE INTO',
    'load_extension(',
    'sum(',
    'count(',
    'json(',
    'printf(',
    'length(',
    'group_concat(',
  ],
];

const tokensOf = (sql: string) => sql.match(/\s+|\w+|'[^']*'|[^\w\s]/g) ?? [];

type Edit = readonly [kind: number, at: number, other: number, piece: string];

/** One change of a list of tokens; positions are parts of its length, so that each edit fits each list. */
function edited(tokens: readonly string[], [kind, at, other, piece]: Edit): string[] {
  const list = [...tokens];
  const position = Math.floor(at * list.length);
  const second = Math.floor(other * list.length);
  switch (kind) {
    case 0:
      return list.toSpliced(position, 1);
    case 1:
      return list.toSpliced(position, 0, ` ${piece} `);
    case 2:
      return list.toSpliced(position, 1, piece);
    case 3:
      return list.toSpliced(position, 1 + Math.floor(other * 8));
    case 4:
      return list.toSpliced(position, 0, ...list.slice(second, second + 12));
    case 5:
      return list.slice(0, Math.max(1, position));
    case 6:
      return list.toSpliced(position, 0, piece.repeat(1 + Math.floor(other * 40)));
    case 7:
      return ['SELECT * FROM (', ...list, ') AS q', piece === ';' ? ';' : ''];
    default:
      return [...list, ' UNION ', ...list.slice(second)];
  }
}

const mutated = fc
  .tuple(
    fc.constantFrom(...SEEDS),
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 8 }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.double({ min: 0, max: 0.999, noNaN: true }),
        fc.constantFrom(...PIECES),
      ),
      { minLength: 1, maxLength: 5 },
    ),
  )
  .map(([seed, edits]) =>
    edits.reduce<string[]>((tokens, edit) => edited(tokens, edit), tokensOf(seed)).join(''),
  );

const CONTROLS = [
  'SELECT * FROM singer ORDER BY id',
  'SELECT * FROM concert',
  'SELECT typeof(v), hex(v), hex(b) FROM odd',
  'SELECT name, sql FROM sqlite_master ORDER BY name',
  'SELECT count(*) FROM singer WHERE name LIKE \'j%\' AND country = "Netherlands"',
  'SELECT * FROM older',
  'PRAGMA table_info(singer)',
  'SELECT year, count(*) FROM concert GROUP BY year ORDER BY 2 DESC',
];

it(`${QUERY_COUNT} mutated queries crash nothing, hang nothing and leave nothing behind`, async () => {
  const limits = { ...DEFAULT_LIMITS, queryCpuMsMax: 20, queryWallMsMax: 5_000 };
  const controls = async () =>
    (await Promise.all(CONTROLS.map((sql) => bed.run(sql)))).map(({ text }) => text);
  const state = () =>
    readdirSync(bed.folder).map((name) => [
      name,
      createHash('sha256')
        .update(readFileSync(`${bed.folder}/${name}`))
        .digest('hex'),
    ]);
  const before = await controls();
  const files = state();
  const statuses = new Map<string, number>();
  const sqls = fc.sample(
    fc.oneof(
      { arbitrary: mutated, weight: 40 },
      fc.constantFrom(...hostilePack('singer', '/nowhere')),
    ),
    { seed: SEED, numRuns: QUERY_COUNT },
  );
  for (let at = 0; at < sqls.length; at += BATCH) {
    const batch = sqls.slice(at, at + BATCH);
    const middle = controls();
    await Promise.all(
      batch.map(async (sql) => {
        const reply = await bed.executor.runQuery(
          { databaseId: 'db', sql, limits, observation: WHOLE },
          NEVER,
        );
        // No text of a model may look like a fault of ours.
        expect({ sql, reply }).toMatchObject({ sql, reply: { kind: 'ran' } });
        if (reply.kind !== 'ran') return;
        expect(reply.query.queryUs).toBeLessThan(5_300_000);
        JSON.parse(reply.text.replace(/\b(-?Infinity|NaN)\b/g, 'null'));
        statuses.set(reply.query.status, (statuses.get(reply.query.status) ?? 0) + 1);
      }),
    );
    expect(await middle).toEqual(before);
  }
  expect(await controls()).toEqual(before);
  expect(state()).toEqual(files);
  expect(bed.executor.stats()).toMatchObject({
    lostWorkerCount: 0,
    runningCount: 0,
    queuedCount: 0,
  });
  // All that a query can come to was come to: the mutations are neither too weak nor too strong.
  expect(statuses.get('ok')).toBeGreaterThan(500);
  expect(statuses.get('sql_error')).toBeGreaterThan(2_000);
  expect(statuses.get('forbidden')).toBeGreaterThan(300);
}, 120_000);
