import { execFileSync } from 'node:child_process';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type QueryLimits } from '../../env/limits.ts';
import type { SqliteExecutor } from '../../src/sqlite/executor.ts';
import { createTestBed, NEVER, WHOLE, type TestBed } from '../support/executor.ts';
import { until } from '../support/log.ts';

const SCHEMA = `
  CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
  INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, NULL);
  CREATE TABLE u (id INTEGER PRIMARY KEY, v TEXT);
  WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
  INSERT INTO u SELECT i, 'v' || (i % 50) FROM c;
`;

/** Never ends by itself; each number makes a text of its own, so that none is known to be slow. */
const endless = (number: number) =>
  `WITH RECURSIVE c(i) AS (SELECT ${number} UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c`;

function start(
  executor: SqliteExecutor,
  sql: string,
  limits: Partial<QueryLimits> = {},
  signal: AbortSignal = NEVER,
) {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return executor.runQuery({ databaseId: 'db', sql, limits: all, observation: WHOLE }, signal);
}

describe('what a query comes to', () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await createTestBed(SCHEMA, { fastThreadCount: 2, slowThreadCountMax: 2 });
  });
  afterAll(() => bed.close());

  it.each([
    [
      'rows',
      'SELECT id, name FROM t',
      'ok',
      '{"columns": ["id", "name"], "rows": [[1, "one"], [2, "two"], [3, null]]}',
    ],
    ['no statement', ' ; -- nothing', 'ok', '{"columns": [], "rows": []}'],
    ['no such table', 'SELECT * FROM nope', 'sql_error', '{"error": "no such table: nope"}'],
    ['a parameter', 'SELECT ?2', 'sql_error', '{"error": "query parameters are not supported"}'],
    [
      'NUL',
      'SELECT 1\0',
      'sql_error',
      '{"error": "the field \'query\' holds a NUL character, which SQL can\'t hold"}',
    ],
    [
      'half a surrogate pair',
      "SELECT '\uD800'",
      'sql_error',
      '{"error": "the field \'query\' holds a lone surrogate, which SQL can\'t hold"}',
    ],
    ['a write', 'DELETE FROM t', 'forbidden', '{"error": "not authorized"}'],
    [
      'a second statement',
      'SELECT 1; SELECT 2',
      'forbidden',
      '{"error": "You can only execute one statement at a time."}',
    ],
    [
      'a value too big',
      'SELECT zeroblob(1000001)',
      'too_big',
      '{"error": "query too big: a value, or the memory that it needs, is over the limit"}',
    ],
  ])('%s', async (_, sql, status, text) => {
    const ran = await bed.run(sql);
    expect({ status: ran.query.status, text: ran.text }).toEqual({ status, text });
    expect(ran.query).toMatchObject({ sql, timeLimit: 'none', capped: false });
  });

  it('64-bit integers, infinity, bytes that are no UTF-8', async () => {
    const { text } = await bed.run(
      "SELECT 9007199254740993, -9223372036854775808, 9e999, CAST(x'636166e9' AS TEXT), x'DEAD'",
    );
    expect(text).toContain('[9007199254740993, -9223372036854775808, Infinity, ');
  });

  it('20,000 characters of SQL', async () => {
    const sql = `SELECT id FROM t WHERE id IN (${Array.from({ length: 4_300 }, (_, i) => i + 2).join()})`;
    expect(sql.length).toBeGreaterThan(20_000);
    expect((await bed.run(sql)).text).toBe('{"columns": ["id"], "rows": [[2], [3]]}');
  });

  it('too much CPU time: the model is told the limit', async () => {
    const { text, query } = await bed.run(endless(1), { queryCpuMsMax: 120 });
    expect(text).toBe('{"error": "query took too long: over 120 ms of CPU time"}');
    expect(query).toMatchObject({ status: 'time_limit', timeLimit: 'cpu', rowCount: 0 });
    expect(query.queryCpuUs).toBeGreaterThanOrEqual(119_000);
    expect(query.queryCpuUs).toBeLessThan(400_000);
  });

  it('too much time on the wall: marked, since a busy machine can do that', async () => {
    const { text, query } = await bed.run(endless(2), {
      queryCpuMsMax: 60_000,
      queryWallMsMax: 300,
    });
    expect(text).toBe('{"error": "query took too long: over 300 ms of wall-clock time"}');
    expect(query).toMatchObject({ status: 'time_limit', timeLimit: 'wall' });
    expect(query.queryUs).toBeGreaterThanOrEqual(299_000);
  });

  it('equal limits: chance told one of them, and a replay read another text', async () => {
    for (const mark of [4, 5, 6]) {
      const limits = { queryCpuMsMax: 60, queryWallMsMax: 60 };
      const { text, query } = await bed.run(endless(mark), limits);
      expect(text).toBe('{"error": "query took too long: over 60 ms of wall-clock time"}');
      expect(query).toMatchObject({ status: 'time_limit', timeLimit: 'wall' });
    }
  });

  it("a limit below the trial's own", async () => {
    const { query } = await bed.run(endless(3), { queryCpuMsMax: 5 });
    expect(query).toMatchObject({ status: 'time_limit', timeLimit: 'cpu' });
    expect(query.queryCpuUs).toBeLessThan(100_000);
  });

  it('an unknown database', async () => {
    const request = {
      databaseId: 'nope',
      sql: 'SELECT 1',
      limits: DEFAULT_LIMITS,
      observation: WHOLE,
    };
    expect(await bed.executor.runQuery(request, NEVER)).toEqual({ kind: 'database_not_found' });
    expect(await bed.executor.readSchema('nope', NEVER)).toEqual({ kind: 'database_not_found' });
    expect(await bed.executor.describeGold('nope', 'SELECT 1', NEVER)).toEqual({
      kind: 'database_not_found',
    });
  });
});

describe('waiting', () => {
  let bed: TestBed;
  afterEach(() => bed.close());

  it('is counted apart from running, and never against a limit', async () => {
    bed = await createTestBed(SCHEMA, { fastThreadCount: 1, slowThreadCountMax: 1 });
    const runs = await Promise.all(
      Array.from({ length: 12 }, (_, i) =>
        bed.run(endless(i), { queryCpuMsMax: 15, queryWallMsMax: 2_000 }),
      ),
    );
    const last = runs.at(-1)?.query;
    expect(last?.queueUs).toBeGreaterThan(11 * 14_000);
    expect(last?.queryCpuUs).toBeLessThan(100_000);
    const honest = await Promise.all(
      Array.from({ length: 50 }, () => bed.run('SELECT count(*) FROM t')),
    );
    for (const { query } of honest) expect(query).toMatchObject({ status: 'ok' });
  });

  it('has a bound: more is refused at once, and what waits is still served', async () => {
    bed = await createTestBed(SCHEMA, {
      fastThreadCount: 1,
      slowThreadCountMax: 1,
      queueCountMax: 5,
    });
    const running = start(bed.executor, endless(0), { queryCpuMsMax: 20, queryWallMsMax: 2_000 });
    await nextTurn();
    const waiting = Array.from({ length: 5 }, (_, i) => start(bed.executor, `SELECT ${i}`));
    expect(bed.executor.stats()).toMatchObject({ queuedCount: 5, runningCount: 1 });
    expect(await start(bed.executor, 'SELECT 1')).toEqual({ kind: 'overloaded' });
    expect(await running).toMatchObject({ kind: 'ran' });
    for (const reply of await Promise.all(waiting))
      expect(reply).toMatchObject({ kind: 'ran', query: { status: 'ok' } });
    expect(bed.executor.stats()).toMatchObject({ queuedCount: 0, runningCount: 0 });
    expect(await start(bed.executor, 'SELECT 1')).toMatchObject({ kind: 'ran' });
  });
});

describe('cancelling', () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await createTestBed(SCHEMA, { fastThreadCount: 1, slowThreadCountMax: 1 });
  });
  afterAll(() => bed.close());

  async function expectIdle(): Promise<void> {
    await until(() => bed.executor.stats().runningCount === 0);
    expect(bed.executor.stats()).toMatchObject({ queuedCount: 0, lostWorkerCount: 0 });
    expect((await bed.run('SELECT count(*) FROM u')).text).toBe(
      '{"columns": ["count(*)"], "rows": [[2000]]}',
    );
  }

  it('before it is asked for: nothing runs', async () => {
    expect(await start(bed.executor, endless(1), {}, AbortSignal.abort())).toEqual({
      kind: 'cancelled',
    });
    await expectIdle();
  });

  it('while it waits: it leaves the queue', async () => {
    const cancelled = new AbortController();
    const running = start(bed.executor, endless(2), { queryCpuMsMax: 20 });
    await nextTurn();
    const waiting = start(bed.executor, 'SELECT 1', {}, cancelled.signal);
    expect(bed.executor.stats().queuedCount).toBe(1);
    cancelled.abort();
    expect(bed.executor.stats().queuedCount).toBe(0);
    expect(await waiting).toEqual({ kind: 'cancelled' });
    expect(await running).toMatchObject({ kind: 'ran', query: { status: 'time_limit' } });
    await expectIdle();
  });

  it.each([0, 5, 15, 25, 40, 80, 200])(
    '%i ms after its start: it is answered at once, and its thread is free soon',
    async (afterMs) => {
      const cancelled = new AbortController();
      const reply = start(
        bed.executor,
        endless(100 + afterMs),
        { queryCpuMsMax: 60_000 },
        cancelled.signal,
      );
      if (afterMs > 0) await sleep(afterMs);
      const cancelledAt = performance.now();
      cancelled.abort();
      expect(await reply).toEqual({ kind: 'cancelled' });
      expect(performance.now() - cancelledAt).toBeLessThan(200);
      await expectIdle();
    },
  );

  it('at any moment at all, many at once: no other query is hit', async () => {
    const kinds = new Set<string>();
    await Promise.all(
      Array.from({ length: 150 }, async (_, i) => {
        const cancelled = new AbortController();
        const doomed = start(
          bed.executor,
          i % 2 ? endless(1_000 + i) : 'SELECT max(v) FROM u',
          { queryCpuMsMax: 200 },
          cancelled.signal,
        );
        setTimeout(() => cancelled.abort(), (i * 7) % 60);
        const honest = await start(bed.executor, `SELECT ${i}`);
        expect(honest).toMatchObject({
          kind: 'ran',
          text: `{"columns": ["${i}"], "rows": [[${i}]]}`,
        });
        kinds.add((await doomed).kind);
      }),
    );
    expect(kinds).toContain('cancelled');
    await expectIdle();
  });

  it('after the answer: nothing happens', async () => {
    const cancelled = new AbortController();
    expect(await start(bed.executor, 'SELECT 1', {}, cancelled.signal)).toMatchObject({
      kind: 'ran',
    });
    cancelled.abort();
    await expectIdle();
  });

  it('a grading and a schema too', async () => {
    const grade = (signal: AbortSignal) =>
      bed.executor.gradeAnswer(
        {
          databaseId: 'db',
          goldSql: 'SELECT 1',
          answerSql: endless(3_000),
          comparisonModes: ['bag@1'],
          limits: DEFAULT_LIMITS,
        },
        signal,
      );
    const cancelled = new AbortController();
    const graded = grade(cancelled.signal);
    setTimeout(() => cancelled.abort(), 60);
    expect(await graded).toEqual({ kind: 'cancelled' });
    expect(await bed.executor.readSchema('db', AbortSignal.abort())).toEqual({ kind: 'cancelled' });
    await expectIdle();
  });
});

describe('a thread that dies', () => {
  let bed: TestBed;
  beforeAll(async () => {
    bed = await createTestBed(SCHEMA, { fastThreadCount: 2, slowThreadCountMax: 2 });
  });
  afterAll(() => bed.close());

  /** Takes about 10 ms, so it stays in the fast lane. */
  const busy = (i: number) =>
    `SELECT ${i}, count(*) FROM u AS a, u AS b WHERE a.id < 40 AND a.v < b.v`;

  it('while it is idle is replaced without a word', async () => {
    await bed.run('SELECT 1');
    await Promise.all([bed.executor.killThread(0), bed.executor.killThread(1)]);
    const runs = await Promise.all(Array.from({ length: 20 }, (_, i) => bed.run(`SELECT ${i}`)));
    for (const { query } of runs) expect(query.status).toBe('ok');
    expect(bed.executor.stats()).toMatchObject({ lostWorkerCount: 0, runningCount: 0 });
  });

  it('under a query fails that call alone; better-sqlite3 would take the process with it', async () => {
    for (let round = 0; round < 5; round += 1) {
      const lostBefore = bed.executor.stats().lostWorkerCount;
      const calls = Array.from({ length: 10 }, (_, i) =>
        start(
          bed.executor,
          i === 0 ? endless(round) : busy(i),
          i === 0 ? { queryCpuMsMax: 20, queryWallMsMax: 5_000 } : {},
        ),
      );
      await sleep(3);
      await bed.executor.killThread(0);
      const replies = await Promise.all(calls);
      const lost = replies.filter(({ kind }) => kind === 'worker_lost');
      expect(lost.length).toBeLessThanOrEqual(1);
      // A thread that dies under several queries has none of them fail: each is run again.
      const lostThreads = bed.executor.stats().lostWorkerCount - lostBefore;
      expect(lostThreads).toBeGreaterThanOrEqual(lost.length);
      expect(lostThreads).toBeLessThanOrEqual(1);
      for (const reply of replies) expect(['ran', 'worker_lost']).toContain(reply.kind);
    }
    expect(bed.executor.stats().lostWorkerCount).toBeGreaterThan(0);
    const runs = await Promise.all(Array.from({ length: 20 }, (_, i) => bed.run(`SELECT ${i}`)));
    for (const { query } of runs) expect(query.status).toBe('ok');
    expect(bed.executor.stats()).toMatchObject({ runningCount: 0, queuedCount: 0 });
  });
});

describe('a thread that dies while it is being started', () => {
  it('held up for good what waited for it, and its place: another one is started', async () => {
    const bed = await createTestBed(SCHEMA, { fastThreadCount: 1, slowThreadCountMax: 1 });
    // It dies as soon as it has loaded its modules, which is before the pool calls it ready about every fifth time.
    for (let round = 0; round < 25; round += 1) {
      const first = bed.executor.killThread(0);
      const call = start(bed.executor, `SELECT ${round}`);
      await first;
      await bed.executor.killThread(0);
      const reply = await Promise.race([call, sleep(15_000, { kind: 'never answered' })]);
      expect(['ran', 'worker_lost']).toContain(reply.kind);
    }
    expect((await bed.run("SELECT 'at last'")).query.status).toBe('ok');
    expect(bed.executor.stats()).toMatchObject({ runningCount: 0, queuedCount: 0 });
    await bed.close();
  });
});

describe('a process that may open no more files', () => {
  it('left queries waiting for threads that could not be started: they fail, and later ones run', () => {
    const child = fileURLToPath(new URL('no-descriptors.mjs', import.meta.url));
    const printed = execFileSync(process.execPath, [child], { encoding: 'utf8', timeout: 60_000 });
    expect(JSON.parse(printed)).toEqual({
      without: 'worker_lost',
      again: 'worker_lost',
      after: 'ran',
    });
  });
});

describe('closing', () => {
  it('under load stops everything, answers everybody, and is final', async () => {
    const bed = await createTestBed(SCHEMA, { fastThreadCount: 2, slowThreadCountMax: 4 });
    const calls = Array.from({ length: 60 }, (_, i) =>
      start(bed.executor, i % 2 ? endless(i) : 'SELECT count(*) FROM u'),
    );
    await calls[0];
    const startedMs = performance.now();
    const closing = bed.executor.close();
    const during = start(bed.executor, 'SELECT 1');
    await closing;
    expect(performance.now() - startedMs).toBeLessThan(5_000);
    const kinds = new Set((await Promise.all(calls)).map(({ kind }) => kind));
    expect([...kinds].toSorted()).toEqual(['cancelled', 'ran']);
    expect(await during).toEqual({ kind: 'cancelled' });
    // piscina would start a thread for it, which nobody would ever end.
    expect(await start(bed.executor, 'SELECT 1')).toEqual({ kind: 'cancelled' });
    expect(bed.executor.stats()).toMatchObject({ threadCount: 0, runningCount: 0, queuedCount: 0 });
    await bed.close();
    await bed.close();
  });

  it('right after the start does no harm, and another one works', async () => {
    for (let round = 0; round < 3; round += 1) {
      const bed = await createTestBed(SCHEMA, { fastThreadCount: 4, slowThreadCountMax: 4 });
      await bed.close();
    }
    const bed = await createTestBed(SCHEMA, { fastThreadCount: 1, slowThreadCountMax: 1 });
    expect((await bed.run('SELECT 1')).query.status).toBe('ok');
    expect((await bed.run(endless(1), { queryCpuMsMax: 100 })).query.timeLimit).toBe('cpu');
    await bed.close();
  });
});
