import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createTaskSource } from '../../src/episodes/task-source.ts';
import { ServerMetrics } from '../../src/metrics/server-metrics.ts';
import type { CallError } from '../../src/rpc/call-error.ts';
import { connectClient, type SqlenvClient } from '../../src/rpc/client.ts';
import { startServer, type RunningServer } from '../../src/rpc/server.ts';
import { createTestBed, type TestBed } from '../support/executor.ts';
import { recordingLog, until } from '../support/log.ts';
import { nonZero, parseScrape, type Scrape } from '../support/metrics-text.ts';
import { startService, type ServiceFixture } from '../support/service-fixture.ts';

const QUEUE_COUNT_MAX = 3;

let metrics: ServerMetrics;
let bed: TestBed;
let fixture: ServiceFixture;
let server: RunningServer;
let client: SqlenvClient;

beforeAll(async () => {
  metrics = new ServerMetrics();
  bed = await createTestBed('CREATE TABLE t (x); INSERT INTO t VALUES (1);', {
    fastThreadCount: 1,
    slowThreadCountMax: 1,
    queueCountMax: QUEUE_COUNT_MAX,
    telemetry: metrics.queries,
  });
  const task = { taskId: 'a', databaseId: 'db', question: '?', split: '', difficulty: '' };
  const tasks = createTaskSource([{ ...task, goldSql: 'SELECT x FROM t' }], new Map([['db', '']]));
  const { executor } = bed;
  fixture = startService({
    executor,
    engine: executor.engine,
    tasks,
    telemetry: metrics.episodes,
  });
  const { service, log } = fixture;
  server = await startServer({
    service,
    host: '127.0.0.1',
    port: 0,
    log,
    selfTest: async () => {},
    telemetry: metrics.calls,
  });
  metrics.measure({
    port: server.port,
    info: () => service.info(),
    recorder: undefined,
    queueCountMax: QUEUE_COUNT_MAX,
  });
  client = connectClient(`127.0.0.1:${server.port}`, 30_000);
});

afterAll(async () => {
  client.disconnect();
  await server.drain({ drainMs: 0, quietMs: 0 });
  await bed.close();
  await metrics.close();
});

async function read(): Promise<Scrape> {
  return parseScrape(await metrics.render());
}

const endless = (i: number) =>
  `WITH RECURSIVE n(x) AS (SELECT ${i} UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n`;

async function outcomesOf(calls: readonly Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(calls);
  return settled.map((each) =>
    each.status === 'fulfilled' ? 'ok' : (each.reason as CallError).reason,
  );
}

test('a worker that dies under a query is a failed call, a lost query and a lost worker', async () => {
  let lostCount = 0;
  for (let round = 0; lostCount === 0 && round < 50; round += 1) {
    // As long as a trial, so that it stays in the fast lane.
    const limits = { queryCpuMsMax: 20, queryWallMsMax: 5_000 };
    const call = client.runSql({ databaseId: 'db', query: endless(round), limits });
    const outcomes = outcomesOf([call]);
    await sleep(3 + (round % 5));
    await bed.executor.killThread(0);
    lostCount += (await outcomes).filter((each) => each === 'WORKER_LOST').length;
  }
  expect(lostCount).toBe(1);
  const numbers = await read();
  expect(numbers.get('sqlenv_lost_workers_total')).toBe(1);
  const lost = '{purpose="query",lane="fast",status="worker_lost"}';
  expect(numbers.get(`sqlenv_queries_total${lost}`)).toBe(1);
  const failed = '{method="RunSql",status="INTERNAL",reason="WORKER_LOST"}';
  expect(numbers.get(`sqlenv_calls_total${failed}`)).toBe(1);
  expect(numbers.get('sqlenv_call_seconds_count{method="RunSql",status="INTERNAL"}')).toBe(1);
});

test('a queue that is full is counted where it refused, and running queries are seen', async () => {
  const limits = { queryCpuMsMax: 1_000, queryWallMsMax: 20_000 };
  const run = (i: number) => client.runSql({ databaseId: 'db', query: endless(1_000 + i), limits });
  const first = [run(0)];
  await until(async () => (await read()).get('sqlenv_running_queries{lane="slow"}') === 1);
  // The only slow thread is taken, so these wait for it once their trials are over.
  for (let i = 1; i <= QUEUE_COUNT_MAX; i += 1) {
    first.push(run(i));
    const queued = i;
    await until(async () => (await read()).get('sqlenv_trial_overruns_total') === queued + 1);
  }
  const busy = await read();
  expect(busy.get('sqlenv_queued_queries')).toBe(QUEUE_COUNT_MAX);
  expect(busy.get('sqlenv_queued_queries_max')).toBe(QUEUE_COUNT_MAX);
  expect(busy.get('sqlenv_oldest_query_seconds')).toBeGreaterThan(0);
  expect(busy.get('sqlenv_running_calls{method="RunSql"}')).toBe(QUEUE_COUNT_MAX + 1);
  expect(await outcomesOf([run(5), run(6)])).toEqual(['OVERLOADED', 'OVERLOADED']);
  expect(await outcomesOf(first)).toEqual(Array.from({ length: QUEUE_COUNT_MAX + 1 }, () => 'ok'));
  const after = await read();
  const refused = '{purpose="query",lane="none",status="overloaded"}';
  expect(after.get(`sqlenv_queries_total${refused}`)).toBe(2);
  const failed = '{method="RunSql",status="RESOURCE_EXHAUSTED",reason="OVERLOADED"}';
  expect(after.get(`sqlenv_calls_total${failed}`)).toBe(2);
  const slow = '{purpose="query",lane="slow",status="time_limit"}';
  expect(after.get(`sqlenv_queries_total${slow}`)).toBe(QUEUE_COUNT_MAX + 1);
  // Each waited for those before it.
  expect(after.get('sqlenv_queue_wait_seconds_sum{lane="slow"}')).toBeGreaterThan(1);
  expect(nonZero(after, 'sqlenv_running_calls')).toEqual({});
  expect(after.get('sqlenv_queued_queries')).toBe(0);
});

test('a call that its caller gave up is CANCELLED or late, without a reason, and so is its query', async () => {
  const limits = { queryCpuMsMax: 60_000, queryWallMsMax: 60_000 };
  const request = { databaseId: 'db', query: endless(2_000), limits };
  await expect(client.runSql(request, { deadlineMs: 300 })).rejects.toThrow('DEADLINE_EXCEEDED');
  const key = 'sqlenv_calls_total{method="RunSql",status="DEADLINE_EXCEEDED",reason=""}';
  await until(async () => (await read()).get(key) === 1);
  const cancelled = '{purpose="query",lane="slow",status="cancelled"}';
  expect((await read()).get(`sqlenv_queries_total${cancelled}`)).toBe(1);
});

test('a state that cannot be read is an error of the scrape and not of the server', async () => {
  const broken = new ServerMetrics();
  const log = recordingLog();
  const port = await broken.listen('127.0.0.1', 0, log);
  broken.measure({
    port: 1,
    info: () => {
      throw new Error('no state');
    },
    recorder: undefined,
    queueCountMax: 1,
  });
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  expect(response.status).toBe(500);
  expect(log.lines.map(({ message }) => message)).toEqual(['a scrape failed']);
  expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(500);
  await broken.close();
});
