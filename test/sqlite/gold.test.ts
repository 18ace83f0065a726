import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ComparisonMode } from '../../env/grade.ts';
import { DEFAULT_LIMITS, type QueryLimits } from '../../env/limits.ts';
import { createTestBed, NEVER, type TestBed } from '../support/executor.ts';
import { until } from '../support/log.ts';

let bed: TestBed;

beforeAll(async () => {
  bed = await createTestBed(
    `
    CREATE TABLE t (id INTEGER PRIMARY KEY, x INT, name TEXT);
    INSERT INTO t VALUES (1, 1, 'a'), (2, 1, 'b'), (3, 2, 'c');
    CREATE TABLE none (a INT);
    CREATE TABLE big (v INT);
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 6000)
    INSERT INTO big SELECT i FROM c;
    CREATE TABLE scored (name TEXT, score REAL);
    INSERT INTO scored VALUES ('a', 1), ('b', 2), ('c', 2), ('d', 3);
  `,
    { fastThreadCount: 2, slowThreadCountMax: 4 },
  );
});

afterAll(() => bed.close());

async function grade(
  goldSql: string,
  answerSql: string,
  mode: ComparisonMode = 'bag@1',
  limits: Partial<QueryLimits> = {},
) {
  const reply = await bed.executor.gradeAnswer(
    {
      databaseId: 'db',
      goldSql,
      answerSql,
      comparisonModes: [mode],
      limits: { ...DEFAULT_LIMITS, ...limits },
    },
    NEVER,
  );
  return reply.kind === 'graded' ? { kind: 'graded', ...reply.judgements[0] } : reply;
}

const verdict = async (goldSql: string, answerSql: string, mode?: ComparisonMode) => {
  const reply = await grade(goldSql, answerSql, mode);
  return 'verdict' in reply ? reply.verdict : reply.kind;
};

describe('verdicts on real rows', () => {
  it.each([
    [
      'the same rows in another order',
      'SELECT id FROM t',
      'SELECT id FROM t ORDER BY id DESC',
      'match',
      'match',
      'match',
    ],
    [
      'another order than the gold asks for',
      'SELECT id FROM t ORDER BY id',
      'SELECT id FROM t ORDER BY id DESC',
      'mismatch',
      'match',
      'mismatch',
    ],
    [
      'duplicates left out',
      'SELECT x FROM t',
      'SELECT DISTINCT x FROM t',
      'mismatch',
      'match',
      'mismatch',
    ],
    [
      'ties in another order',
      'SELECT name FROM scored ORDER BY score',
      'SELECT name FROM scored ORDER BY score, name DESC',
      'mismatch',
      'match',
      'match',
    ],
    [
      'a column too many',
      'SELECT id FROM t',
      'SELECT id, x FROM t',
      'mismatch',
      'mismatch',
      'mismatch',
    ],
    [
      'scrambled columns',
      "VALUES ('a', 1), ('b', 2)",
      "VALUES ('a', 2), ('b', 1)",
      'mismatch',
      'mismatch',
      'mismatch',
    ],
    [
      'a prefix of the rows',
      'SELECT v FROM big',
      'SELECT v FROM big WHERE v < 5000',
      'mismatch',
      'mismatch',
      'mismatch',
    ],
    [
      'all 6,000 rows, backwards',
      'SELECT v FROM big',
      'SELECT v FROM big ORDER BY v DESC',
      'match',
      'match',
      'match',
    ],
    ['2 for 2.0', 'SELECT 2', 'SELECT 2.0', 'match', 'match', 'match'],
    ['text for a number', 'SELECT 2', "SELECT '2'", 'mismatch', 'mismatch', 'mismatch'],
    ['NULL for 0', 'SELECT 0', 'SELECT NULL', 'mismatch', 'mismatch', 'mismatch'],
    [
      '2^53 + 1 for 2^53',
      'SELECT 9007199254740992',
      'SELECT 9007199254740993',
      'mismatch',
      'mismatch',
      'mismatch',
    ],
    [
      'spaces and comments in literals',
      "SELECT 'two  spaces -- no'",
      "SELECT 'two  spaces -- no' -- yes",
      'match',
      'match',
      'match',
    ],
    [
      '`> =` for `>=` in a literal',
      "SELECT 'a >= b'",
      "SELECT 'a > = b'",
      'mismatch',
      'mismatch',
      'mismatch',
    ],
  ] as const)('%s', async (_, goldSql, answerSql, bag, set, rows) => {
    expect({
      bag: await verdict(goldSql, answerSql, 'bag@1'),
      set: await verdict(goldSql, answerSql, 'set@1'),
      rows: await verdict(goldSql, answerSql, 'rows@1'),
    }).toEqual({ bag, set, rows });
  });

  it('wrong rows, an SQL error, a write and a runaway are told apart', async () => {
    const endless =
      'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c WHERE i < 0';
    expect(await verdict('SELECT 1', 'SELECT 2')).toBe('mismatch');
    expect(await verdict('SELECT 1', 'SELECT FROM')).toBe('answer_sql_error');
    expect(await verdict('SELECT 1', 'DELETE FROM t')).toBe('answer_forbidden');
    expect(await verdict('SELECT 1', 'SELECT zeroblob(9999999)')).toBe('answer_too_big');
    expect(await grade('SELECT 1', endless, 'bag@1', { queryCpuMsMax: 60 })).toMatchObject({
      verdict: 'answer_time_limit',
      errorText: 'query took too long: over 60 ms of CPU time',
      answerQuery: { status: 'time_limit', timeLimit: 'cpu' },
    });
    expect(
      await grade('SELECT 1', `${endless} -- wall`, 'bag@1', {
        queryWallMsMax: 300,
        queryCpuMsMax: 60_000,
      }),
    ).toMatchObject({
      verdict: 'answer_time_limit',
      flags: expect.arrayContaining(['wall_backstop']),
      answerQuery: { timeLimit: 'wall' },
    });
  });

  it('each mode asked for is answered, in that order, from one run', async () => {
    const reply = await bed.executor.gradeAnswer(
      {
        databaseId: 'db',
        goldSql: 'SELECT x FROM t',
        answerSql: 'SELECT DISTINCT x FROM t',
        comparisonModes: ['set@1', 'bag@1', 'rows@1'],
        limits: DEFAULT_LIMITS,
      },
      NEVER,
    );
    expect(reply).toMatchObject({
      kind: 'graded',
      judgements: [
        { comparisonMode: 'set@1', verdict: 'match', goldRowCount: 3 },
        { comparisonMode: 'bag@1', verdict: 'mismatch' },
        { comparisonMode: 'rows@1', verdict: 'mismatch' },
      ],
    });
  });

  it('suspect matches are flagged', async () => {
    const flags = async (goldSql: string, answerSql: string) => {
      const reply = await grade(goldSql, answerSql);
      return 'flags' in reply ? reply.flags : [];
    };
    expect(await flags('SELECT a FROM none', 'SELECT 1 WHERE 0')).toEqual(
      expect.arrayContaining(['both_empty', 'answer_table_free']),
    );
    expect(await flags('SELECT count(*) FROM t', 'SELECT 3')).toEqual(
      expect.arrayContaining(['gold_scalar', 'answer_table_free', 'answer_constant']),
    );
    expect(await flags('SELECT count(*) FROM t', 'SELECT count(id) FROM t')).not.toContain(
      'answer_table_free',
    );
    expect(
      await flags('SELECT name FROM scored ORDER BY score DESC LIMIT 2', 'SELECT 1'),
    ).toContain('gold_tie');
    expect(await flags('SELECT random()', 'SELECT 1')).toContain('gold_volatile');
    expect(await flags('SELECT id FROM t', 'SELECT id FROM t')).toEqual([]);
  });
});

describe('a gold', () => {
  /** Takes some 100 ms of CPU time. */
  const slow = (number: number) =>
    `SELECT ${number}, count(*) FROM big AS a, big AS b WHERE a.v < 400 AND a.v * b.v % 7 = 3`;
  const cpuMs = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };

  it('is run once, however many ask for it at once or later', async () => {
    const single = cpuMs();
    const first = await bed.executor.describeGold('db', slow(1), NEVER);
    const onceMs = cpuMs() - single;
    expect(first).toMatchObject({ kind: 'gold', rowCount: 1, columnCount: 2 });

    const before = cpuMs();
    const all = await Promise.all(
      Array.from({ length: 16 }, () => bed.executor.describeGold('db', slow(2), NEVER)),
    );
    expect(cpuMs() - before).toBeLessThan(onceMs * 5);
    // One run has one time; 16 runs would hardly have the same.
    expect(new Set(all.map((reply) => JSON.stringify(reply))).size).toBe(1);

    const later = cpuMs();
    for (let round = 0; round < 100; round += 1) {
      expect(await bed.executor.describeGold('db', slow(2), NEVER)).toEqual(all[0]);
    }
    expect(cpuMs() - later).toBeLessThan(onceMs);
  });

  it('is given up only when nobody waits for it any more', async () => {
    const [gone, staying] = [new AbortController(), new AbortController()];
    const first = bed.executor.describeGold('db', slow(3), gone.signal);
    const second = bed.executor.describeGold('db', slow(3), staying.signal);
    gone.abort();
    expect(await first).toEqual({ kind: 'cancelled' });
    expect(await second).toMatchObject({ kind: 'gold' });

    const [a, b] = [new AbortController(), new AbortController()];
    const both = [
      bed.executor.describeGold('db', slow(4), a.signal),
      bed.executor.describeGold('db', slow(4), b.signal),
    ];
    a.abort();
    b.abort();
    expect(await Promise.all(both)).toEqual([{ kind: 'cancelled' }, { kind: 'cancelled' }]);
    await until(() => bed.executor.stats().runningCount === 0);
    expect(await bed.executor.describeGold('db', slow(4), NEVER)).toMatchObject({ kind: 'gold' });
  });

  it.each([
    ['SELECT FROM', /syntax error/],
    ['SELECT * FROM nope', /no such table: nope/],
    ['DROP TABLE t', /not authorized/],
    ['', /empty/],
    ['SELECT 1; SELECT 2', /one statement/],
    ['SELECT zeroblob(9999999)', /too big/],
    [
      'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c LIMIT 500001) SELECT i FROM c',
      /over 500000 rows/,
    ],
  ])('that fails is no reward, whatever the answer does: %s', async (goldSql, message) => {
    for (const answerSql of [goldSql, 'SELECT 1', 'SELECT FROM']) {
      expect(await grade(goldSql, answerSql)).toEqual({
        kind: 'gold_broken',
        message: expect.stringMatching(message),
      });
    }
    expect(await bed.executor.describeGold('db', goldSql, NEVER)).toMatchObject({
      kind: 'gold_broken',
    });
  });

  it('as big as a gold may be is matched by an answer that does the same', async () => {
    // 62 MB of row keys; golds were once allowed more than answers.
    const sql = "SELECT printf('%.10000c', 'x') || v FROM big";
    expect(await grade(sql, sql)).toMatchObject({
      kind: 'graded',
      verdict: 'match',
      goldRowCount: 6000,
    });
  });

  it('gives its answers as much time as it takes itself', async () => {
    const reply = await grade(slow(5), slow(5), 'bag@1', { queryCpuMsMax: 1 });
    expect(reply).toMatchObject({ verdict: 'match' });
  });
});
