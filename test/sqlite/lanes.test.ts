import { setMaxListeners } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS, type QueryLimits } from '../../env/limits.ts';
import type { SqliteExecutor } from '../../src/sqlite/executor.ts';
import { laneSizes } from '../../src/sqlite/thread-counts.ts';
import { createTestBed, NEVER, WHOLE, type TestBed } from '../support/executor.ts';
import { longText, repeat } from '../support/guarded.ts';
import { until } from '../support/log.ts';

let bed: TestBed;

beforeAll(async () => {
  bed = await createTestBed(`
    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 1000)
    INSERT INTO t SELECT i, 'n' || i FROM c;
  `);
});

afterAll(() => bed.close());

const endless = (number: number) =>
  `WITH RECURSIVE c(i) AS (SELECT ${number} UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c`;

function start(
  executor: SqliteExecutor,
  sql: string,
  limits: Partial<QueryLimits> = {},
  signal = NEVER,
) {
  const all = { ...DEFAULT_LIMITS, ...limits };
  return executor.runQuery({ databaseId: 'db', sql, limits: all, observation: WHOLE }, signal);
}

/** Slow threads have the lowest priority: on a busy machine it is a while before one sees that it must stop. */
async function idle(): Promise<void> {
  const giveUpMs = performance.now() + 45_000;
  while (bed.executor.stats().runningCount > 0 && performance.now() < giveUpMs) await sleep(5);
  expect(bed.executor.stats()).toMatchObject({ runningCount: 0, queuedCount: 0 });
}

describe('the slow lane', () => {
  it('gets what outlasts its trial, and the next time at once', async () => {
    const reply = start(bed.executor, endless(1), { queryCpuMsMax: 200 });
    await nextTurn();
    expect(bed.executor.stats()).toMatchObject({ runningCount: 1, slowCount: 0 });
    expect(await reply).toMatchObject({ query: { status: 'time_limit' } });
    await idle();

    const again = start(bed.executor, endless(1), { queryCpuMsMax: 200 });
    await nextTurn();
    expect(bed.executor.stats()).toMatchObject({ runningCount: 1, slowCount: 1 });
    expect(await again).toMatchObject({ query: { status: 'time_limit' } });
  });

  it('charges the trial: both together stay within the limit', async () => {
    const reply = await bed.run(endless(2), { queryCpuMsMax: 150 });
    expect(reply.query.queryCpuUs).toBeGreaterThanOrEqual(149_000);
    expect(reply.query.queryCpuUs).toBeLessThan(300_000);
  });

  it('answers what is only slow, and right', async () => {
    const { text, query } = await bed.run(
      'SELECT count(*) FROM t AS a, t AS b WHERE a.id * b.id % 7 = 3 AND a.name <> b.name',
      { queryCpuMsMax: 20_000, queryWallMsMax: 60_000 },
    );
    let count = 0;
    for (let a = 1; a <= 1_000; a += 1) {
      for (let b = 1; b <= 1_000; b += 1) count += Number(a !== b && (a * b) % 7 === 3);
    }
    expect(text).toBe(`{"columns": ["count(*)"], "rows": [[${count}]]}`);
    expect(query.queryCpuUs).toBeGreaterThan(20_000);
  });
});

describe('honest queries while 26 runaways run', () => {
  it('are answered, every one, and soon', async () => {
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    const runaways = Array.from({ length: 26 }, (_, i) =>
      start(
        bed.executor,
        endless(100 + i),
        { queryCpuMsMax: 60_000, queryWallMsMax: 60_000 },
        stop.signal,
      ),
    );
    await until(() => bed.executor.stats().slowCount === 26);
    const waitsMs: number[] = [];
    for (let round = 0; round < 60; round += 1) {
      await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const startedMs = performance.now();
          const reply = await start(
            bed.executor,
            `SELECT name, ${round} FROM t WHERE id = ${round * 8 + i + 1}`,
          );
          waitsMs.push(performance.now() - startedMs);
          expect(reply).toMatchObject({
            kind: 'ran',
            query: { status: 'ok', rowCount: 1, timeLimit: 'none' },
          });
        }),
      );
    }
    waitsMs.sort((a, b) => a - b);
    // A few milliseconds on a machine of its own; the bound is for one that is busy with other things.
    expect(waitsMs[Math.floor(waitsMs.length * 0.99)]).toBeLessThan(1_000);
    expect(bed.executor.stats().slowCount).toBe(26);
    stop.abort();
    for (const reply of await Promise.all(runaways)) expect(reply).toEqual({ kind: 'cancelled' });
    await idle();
  });
});

describe('a query inside one long step', () => {
  // 200 to 400 ms of LIKE in one step; interrupts are looked at after it.
  const step = (number: number) =>
    `WITH q(x) AS MATERIALIZED (SELECT ${longText(999_000)}) SELECT ${number}, x LIKE '%${'a_'.repeat(60)}b' FROM q`;

  it('is answered by its limit, not by its step', async () => {
    const limitMs = 40;
    const replies = await Promise.all(
      Array.from({ length: 3 }, (_, i) => bed.run(step(i), { queryCpuMsMax: limitMs })),
    );
    for (const { query, text } of replies) {
      expect(query).toMatchObject({ status: 'time_limit', timeLimit: 'cpu' });
      expect(text).toBe(`{"error": "query took too long: over ${limitMs} ms of CPU time"}`);
      // Far less than the step takes: nobody waited for its end.
      expect(query.queryCpuUs).toBeLessThan(150_000);
    }
    await idle();
    const next = await Promise.all(Array.from({ length: 40 }, (_, i) => bed.run(`SELECT ${i}`)));
    for (const { query } of next) expect(query.status).toBe('ok');
  });

  it('is known to be slow afterwards, also if it was answered in its trial', async () => {
    const reply = start(bed.executor, step(0), { queryCpuMsMax: 40 });
    await nextTurn();
    expect(bed.executor.stats()).toMatchObject({ runningCount: 1, slowCount: 1 });
    expect(await reply).toMatchObject({ query: { status: 'time_limit' } });
    await idle();
  });
});

describe('memory', () => {
  it('does not grow with the number of queries: their statements are freed', async () => {
    const one = await createTestBed('CREATE TABLE t (a); INSERT INTO t VALUES (1)', {
      fastThreadCount: 1,
      slowThreadCountMax: 1,
    });
    const ask = async (count: number) => {
      for (let index = 0; index < count; index += 1) {
        // Some 160 KB of program each: 1,500 that stay would be seen.
        await start(one.executor, `SELECT ${index}, ${repeat(300, (i) => `a + ${i}`)} FROM t`);
      }
    };
    await ask(800);
    const before = process.memoryUsage.rss();
    await ask(1_500);
    expect(process.memoryUsage.rss() - before).toBeLessThan(120_000_000);
    await one.close();
  });
});

describe('sizes', () => {
  it('fit the machine and its limit on open files', () => {
    for (const cores of [1, 2, 8, 64]) {
      for (const descriptors of [64, 256, 1_024, 4_096, 65_536, 1_048_576]) {
        const { fast, slow } = laneSizes({}, cores, descriptors);
        expect(fast.threadCountMin).toBe(fast.threadCountMax);
        expect(fast.threadCountMax).toBeGreaterThan(cores);
        expect(slow.threadCountMax).toBeGreaterThanOrEqual(1);
        expect(slow.threadCountMin).toBeLessThanOrEqual(slow.threadCountMax);
        expect(fast.connectionCountMax).toBeGreaterThanOrEqual(1);
        if (descriptors >= 256 * cores) {
          const threads = fast.threadCountMax + slow.threadCountMax;
          expect(threads * (6 + fast.connectionCountMax)).toBeLessThan(descriptors);
        }
      }
    }
  });

  it('can be asked for', () => {
    const { fast, slow } = laneSizes({ fastThreadCount: 3, slowThreadCountMax: 5 }, 2, 65_536);
    expect([fast.threadCountMax, slow.threadCountMax]).toEqual([3, 5]);
  });
});
