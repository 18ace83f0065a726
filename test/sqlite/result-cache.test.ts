import { appendFileSync, copyFileSync, renameSync } from 'node:fs';
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type QueryLimits } from '../../env/limits.ts';
import { ResultCache, type LastingReply } from '../../src/sqlite/result-cache.ts';
import { until } from '../support/log.ts';
import { createTestBed, NEVER, WHOLE, type TestBed } from '../support/executor.ts';

const SCHEMA = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, d TEXT);
  WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 300)
  INSERT INTO t SELECT i, 'n' || i % 7, 'now' FROM c;
  CREATE VIEW dice AS SELECT random() AS r;
  CREATE VIEW today AS SELECT CURRENT_TIMESTAMP AS moment;
`;

const endless =
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c';

let bed: TestBed;
let plain: TestBed;

beforeAll(async () => {
  bed = await createTestBed(SCHEMA, { resultCacheBytesMax: 1_000_000 });
  plain = await createTestBed(SCHEMA);
});

afterAll(async () => {
  await bed.close();
  await plain.close();
});

/** The cache trusts a file only for a moment after it was looked at; the first look is asked for here. */
beforeEach(async () => {
  await bed.run('SELECT 0');
  await sleep(20);
});

function hits(): number {
  return bed.executor.stats().cacheHitCount ?? 0;
}

async function isKept(sql: string, limits: Partial<QueryLimits> = {}): Promise<boolean> {
  await bed.run(sql, limits);
  const before = hits();
  await bed.run(sql, limits);
  return hits() > before;
}

describe('a result that is kept', () => {
  it('has the same bytes as one that is run, and says that nothing ran for it', async () => {
    const sql = 'SELECT name, count(*) FROM t GROUP BY name ORDER BY 1';
    const first = await bed.run(sql);
    const again = await bed.run(sql);
    const fresh = await plain.run(sql);
    expect(again.text).toBe(fresh.text);
    expect(again.query).toEqual({ ...first.query, queryCpuUs: 0, queryUs: 0, queueUs: 0 });
    expect(first.query.queryCpuUs).toBeGreaterThan(0);
  });

  it('can be an error, which is an answer like any other', async () => {
    expect(await isKept('SELECT nothing FROM t')).toBe(true);
    expect(await isKept('DROP TABLE t')).toBe(true);
    expect((await bed.run('DROP TABLE t')).query.status).toBe('forbidden');
  });

  it('is another one under other limits', async () => {
    const sql = 'SELECT id FROM t ORDER BY id';
    expect((await bed.run(sql, { rowCountMax: 2 })).query.rowCount).toBe(2);
    expect((await bed.run(sql, { rowCountMax: 3 })).query.rowCount).toBe(3);
    const limits = DEFAULT_LIMITS;
    const texts = [];
    for (const textSizeMax of [0, 20, 21]) {
      for (const truncateSide of ['left', 'right'] as const) {
        const observation = { textSizeMax, truncateSide };
        const reply = await bed.executor.runQuery(
          { databaseId: 'db', sql, limits, observation },
          NEVER,
        );
        texts.push(reply.kind === 'ran' ? reply.text : '');
      }
    }
    // Whole texts are the same on both sides, the shortened ones are not.
    expect(new Set(texts).size).toBe(5);
  });

  it.each([
    'SELECT random()',
    'SELECT r FROM dice',
    "SELECT date('now')",
    'SELECT CURRENT_TIMESTAMP',
    'SELECT moment FROM today',
    // The value is what makes it volatile, not the text.
    'SELECT datetime(d) FROM t LIMIT 1',
    'SELECT hex(randomblob(4))',
    'SELECT abs(random()) > nothing',
  ])('is never one of what can change: %s', async (sql) => {
    const isError = sql.includes('nothing');
    expect(await isKept(sql)).toBe(isError);
  });

  it('is never one that a limit of time or memory has ended', async () => {
    expect(await isKept(endless, { queryCpuMsMax: 10 })).toBe(false);
    expect(await isKept('SELECT hex(zeroblob(900000))')).toBe(false);
  });

  it('is not given for a file that has changed: its queries fail, as they do without a cache', async () => {
    const own = await createTestBed(SCHEMA, { resultCacheBytesMax: 1_000_000 });
    const ask = () =>
      own.executor.runQuery(
        { databaseId: 'db', sql: 'SELECT 1', limits: DEFAULT_LIMITS, observation: WHOLE },
        NEVER,
      );
    await ask();
    await sleep(50);
    await ask();
    expect((await ask()).kind).toBe('ran');
    copyFileSync(own.file, `${own.file}.new`);
    appendFileSync(`${own.file}.new`, Buffer.alloc(4_096));
    renameSync(`${own.file}.new`, own.file);
    await sleep(700);
    expect(await ask()).toMatchObject({ kind: 'database_broken' });
    expect(await ask()).toMatchObject({ kind: 'database_broken' });
    await own.close();
  });

  it('any query at all: the same with a cache and without', async () => {
    const expression = fc.constantFrom('id', 'name', 'count(*)', 'max(id)', 'd', 'nothing', '1/0');
    const query = fc.record({
      columns: fc.array(expression, { minLength: 1, maxLength: 3 }),
      limit: fc.integer({ min: 0, max: 5 }),
      where: fc.constantFrom('', 'WHERE id < 10', "WHERE name = 'n3'", 'WHERE nothing'),
    });
    await fc.assert(
      fc.asyncProperty(query, async ({ columns, where, limit }) => {
        const sql = `SELECT ${columns.join(', ')} FROM t ${where} LIMIT ${limit}`;
        const expected = (await plain.run(sql)).text;
        expect((await bed.run(sql)).text).toBe(expected);
        expect((await bed.run(sql)).text).toBe(expected);
      }),
      { numRuns: 100 },
    );
  });
});

describe('rollouts that run the same query at the same moment', () => {
  it('share one run', async () => {
    const before = hits();
    const sql = 'SELECT count(*), sum(id) FROM t AS a WHERE id > 5';
    const replies = await Promise.all(Array.from({ length: 8 }, () => bed.run(sql)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(hits() - before).toBe(7);
    expect(replies.filter(({ query }) => query.queryCpuUs > 0)).toHaveLength(1);
  });

  it('shared nothing after a pause, when it was not certain that the file is the same: its run looks at it', async () => {
    // As between two training steps: the last look at the file is too old to count.
    await sleep(700);
    const before = hits();
    const sql = 'SELECT count(*) FROM t WHERE id > 7 -- after a pause';
    const runs = await Promise.all(Array.from({ length: 8 }, () => bed.run(sql)));
    expect(new Set(runs.map(({ text }) => text)).size).toBe(1);
    expect(hits() - before).toBe(7);
  });

  it('go on when the one that leads is cancelled, before it runs or while it does', async () => {
    for (const afterMs of [0, 2]) {
      const sql = `SELECT ${afterMs}, count(*) FROM t AS a, t AS b WHERE a.id < b.id`;
      const cancelled = new AbortController();
      const request = { databaseId: 'db', sql, limits: DEFAULT_LIMITS, observation: WHOLE };
      const leader = bed.executor.runQuery(request, cancelled.signal);
      const others = Array.from({ length: 5 }, () => bed.run(sql));
      if (afterMs > 0) await sleep(afterMs);
      cancelled.abort();
      expect((await leader).kind).toMatch(/^(cancelled|ran)$/);
      for (const { query } of await Promise.all(others)) expect(query.status).toBe('ok');
    }
    expect(bed.executor.stats()).toMatchObject({ queuedCount: 0 });
  });

  it('do not wait for the thread of a leader that was cancelled in one long step', async () => {
    const long = Array.from({ length: 999 }, () => "printf('%1000s', 'a')").join(' || ');
    const sql = `WITH q(x) AS MATERIALIZED (SELECT ${long}) SELECT x LIKE '%${'a_'.repeat(60)}b' FROM q`;
    const limits = { ...DEFAULT_LIMITS, queryCpuMsMax: 40 };
    const request = { databaseId: 'db', sql, limits, observation: WHOLE };
    const cancelled = new AbortController();
    const leader = bed.executor.runQuery(request, cancelled.signal);
    await sleep(15);
    const follower = bed.executor.runQuery(request, NEVER);
    cancelled.abort();
    expect((await leader).kind).toMatch(/^(cancelled|ran)$/);
    expect((await follower).kind).toBe('ran');
    expect(bed.executor.stats().queuedCount).toBe(0);
  });

  it('are cancelled by the thousand in a moment', async () => {
    const sql = 'SELECT count(*) FROM t AS a, t AS b, t AS c WHERE a.id < b.id';
    const cancelled = new AbortController();
    setMaxListeners(0, cancelled.signal);
    const request = { databaseId: 'db', sql, limits: DEFAULT_LIMITS, observation: WHOLE };
    const calls = Array.from({ length: 4_000 }, () =>
      bed.executor.runQuery(request, cancelled.signal),
    );
    await sleep(5);
    const startedMs = performance.now();
    cancelled.abort();
    // It took a second, all in one piece, when each one that was cancelled admitted all others anew.
    expect(performance.now() - startedMs).toBeLessThan(600);
    for (const reply of await Promise.all(calls))
      expect(reply.kind).toMatch(/^(cancelled|ran|overloaded)$/);
    await until(() => bed.executor.stats().runningCount === 0);
    expect(bed.executor.stats().queuedCount).toBe(0);
  });

  it('are each stopped by their own limit when it is a runaway', async () => {
    const replies = await Promise.all(
      Array.from({ length: 4 }, () => bed.run(endless, { queryCpuMsMax: 60 })),
    );
    for (const { query } of replies) {
      expect(query).toMatchObject({ status: 'time_limit', timeLimit: 'cpu' });
      expect(query.queryCpuUs).toBeGreaterThan(55_000);
    }
  });

  it('each get their own of what is random', async () => {
    const sql = 'SELECT random(), 5';
    const replies = await Promise.all(Array.from({ length: 6 }, () => bed.run(sql)));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(6);
  });

  it('leave nobody waiting when the server closes', async () => {
    const own = await createTestBed(SCHEMA, { resultCacheBytesMax: 1_000_000, fastThreadCount: 1 });
    await own.run('SELECT 0');
    await sleep(20);
    const calls = Array.from({ length: 20 }, (_, i) =>
      own.executor.runQuery(
        {
          databaseId: 'db',
          sql: i % 2 ? endless : 'SELECT 1',
          limits: DEFAULT_LIMITS,
          observation: WHOLE,
        },
        NEVER,
      ),
    );
    await own.executor.close();
    for (const reply of await Promise.all(calls)) expect(reply.kind).toMatch(/^(cancelled|ran)$/);
    await own.close();
  });
});

describe('an answer that a sibling gave too', () => {
  const grade = (answerSql: string, goldSql: string, own = bed) =>
    own.executor.gradeAnswer(
      {
        databaseId: 'db',
        goldSql,
        answerSql,
        comparisonModes: ['bag@1', 'rows@1'],
        limits: DEFAULT_LIMITS,
      },
      NEVER,
    );

  it('is judged once, and the same', async () => {
    const gold = 'SELECT name FROM t ORDER BY id';
    const before = hits();
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => grade('SELECT name FROM t', gold)),
    );
    expect(hits() - before).toBe(7);
    const again = await grade('SELECT name FROM t', gold);
    const fresh = await grade('SELECT name FROM t', gold, plain);
    const verdicts = (reply: typeof again) =>
      reply.kind === 'graded' ? reply.judgements.map(({ verdict, flags }) => [verdict, flags]) : [];
    for (const reply of [...replies, again]) expect(verdicts(reply)).toEqual(verdicts(fresh));
  });

  it('is judged anew against another gold', async () => {
    const matches = async (gold: string) => {
      const reply = await grade('SELECT 2 FROM t LIMIT 1', gold);
      return reply.kind === 'graded' && reply.judgements[0]?.verdict === 'match';
    };
    expect(await matches('SELECT 2 FROM t LIMIT 1')).toBe(true);
    expect(await matches('SELECT 3 FROM t LIMIT 1')).toBe(false);
    expect(await matches('SELECT 2 FROM t LIMIT 1')).toBe(true);
  });

  it('is judged anew where the gold reads the clock', async () => {
    const gold = 'SELECT random() FROM t LIMIT 1';
    const before = hits();
    await grade('SELECT 1 FROM t LIMIT 1', gold);
    await grade('SELECT 1 FROM t LIMIT 1', gold);
    expect(hits()).toBe(before);
  });
});

describe('the size of the cache', () => {
  const reply = (text: string): LastingReply => ({
    kind: 'ran',
    text,
    query: {
      status: 'ok',
      sql: 'SELECT 1',
      rowCount: 1,
      capped: false,
      textTruncated: false,
      textSize: text.length,
      queryCpuUs: 1,
      queryUs: 1,
      queueUs: 0,
      timeLimit: 'none',
    },
    lasting: true,
    times: { startedUs: 0, cpuUs: 1, wallUs: 1 },
  });

  it('is bounded in bytes: the one that was used longest ago goes', () => {
    const cache = new ResultCache(100_000);
    for (let index = 0; index < 1_000; index += 1) {
      cache.keep(`key ${index}`, reply('x'.repeat(500)));
      cache.get('key 0');
      expect(cache.stats.bytes).toBeLessThanOrEqual(100_000);
    }
    expect(cache.stats.entryCount).toBeGreaterThan(10);
    expect(cache.get('key 0')).toBeDefined();
    expect(cache.get('key 1')).toBeUndefined();
    expect(cache.get('key 999')).toBeDefined();
  });

  it('lets one large reply not push all others out', () => {
    const cache = new ResultCache(100_000);
    cache.keep('small', reply('x'));
    cache.keep('large', reply('x'.repeat(40_000)));
    expect(cache.get('large')).toBeUndefined();
    expect(cache.get('small')).toBeDefined();
  });

  it('0 keeps nothing and shares nothing', async () => {
    const sql = 'SELECT count(*) FROM t';
    const replies = await Promise.all(Array.from({ length: 4 }, () => plain.run(sql)));
    expect(replies.every(({ query }) => query.queryCpuUs > 0)).toBe(true);
    expect(plain.executor.stats()).toMatchObject({ cacheHitCount: 0, cacheEntryCount: 0 });
  });
});
