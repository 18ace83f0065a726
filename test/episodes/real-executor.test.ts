import { copyFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ServerError } from '../../src/errors.ts';
import { CallAborted } from '../../src/errors.ts';
import type { ResetRequest, StepRequest } from '../../src/episodes/requests.ts';
import { createTaskSource } from '../../src/episodes/task-source.ts';
import { createTestBed, type TestBed } from '../support/executor.ts';
import { until } from '../support/log.ts';
import { startService, type ServiceFixture } from '../support/service-fixture.ts';

const RUNAWAY =
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

let bed: TestBed;
let fixture: ServiceFixture;
let nextId = 0;

beforeAll(async () => {
  bed = await createTestBed('CREATE TABLE t (x); INSERT INTO t VALUES (1), (2), (3);', {
    fastThreadCount: 2,
    slowThreadCountMax: 2,
  });
  const task = { databaseId: 'db', question: 'How many?', split: '', difficulty: '' };
  const tasks = [
    { ...task, taskId: 'good', goldSql: 'SELECT count(*) FROM t' },
    { ...task, taskId: 'broken', goldSql: 'SELECT y FROM t' },
  ];
  fixture = startService({
    executor: bed.executor,
    engine: bed.executor.engine,
    tasks: createTaskSource(tasks, new Map([['db', '']])),
  });
});

afterAll(async () => {
  fixture.service.abandonAll();
  await bed.close();
});

const never = (): AbortSignal => new AbortController().signal;

async function open(taskId = 'good', limits: ResetRequest['limits'] = {}): Promise<string> {
  const episodeId = `e${nextId++}`;
  const request: ResetRequest = {
    episodeId,
    task: { kind: 'named', taskId },
    limits,
    observation: {},
    mode: 'train',
    groupId: '',
    labels: {},
    score: {},
    goldSha256: '',
  };
  await fixture.service.reset(request, never());
  return episodeId;
}

function take(episodeId: string, stepIndex: number, sql: string, signal = never()) {
  const argumentsJson = JSON.stringify({ query: sql });
  const request: StepRequest = {
    episodeId,
    stepIndex,
    action: { kind: 'tool_call', name: 'run_sql', argumentsJson },
    completionTokenCount: 0,
  };
  return fixture.service.step(request, signal);
}

function answer(episodeId: string, stepIndex: number, sql: string) {
  const action = { kind: 'final_text', text: `\`\`\`sql\n${sql}\n\`\`\`` } as const;
  const request = { episodeId, stepIndex, action, completionTokenCount: 0 };
  return fixture.service.step(request, never());
}

const failure = (promise: Promise<unknown>): Promise<ServerError> =>
  promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error as ServerError,
  );

describe('on real SQLite', () => {
  test('an episode: prompt, error as an observation, answer', async () => {
    const episodeId = await open();
    const wrong = await take(episodeId, 0, 'SELECT y FROM t');
    expect(wrong.messages[0]?.content).toBe('{"error": "no such column: y"}');
    expect(wrong.queries[0]?.status).toBe('sql_error');
    const forbidden = await take(episodeId, 1, 'DROP TABLE t');
    expect(forbidden.queries[0]?.status).toBe('forbidden');
    expect(await answer(episodeId, 2, 'SELECT 3')).toMatchObject({
      reward: 1,
      grade: { verdict: 'match', goldRowCount: 1 },
    });
  });

  test('a gold that does not run is TASK_BROKEN, tells nothing of the gold, and the slot is free', async () => {
    const before = fixture.service.episodeCount;
    const error = await failure(open('broken'));
    expect(error.reason).toBe('TASK_BROKEN');
    // SQLite's words about a gold can hold parts of it.
    expect(error.message).not.toContain('no such column: y');
    expect(fixture.service.episodeCount).toBe(before);
  });

  test('a caller that gives up stops its query; the repeat runs', async () => {
    const episodeId = await open('good', { queryCpuMsMax: 60_000, queryWallMsMax: 60_000 });
    const caller = new AbortController();
    const given = failure(take(episodeId, 0, RUNAWAY, caller.signal));
    await until(() => bed.executor.stats().runningCount > 0);
    caller.abort(new CallAborted('CANCELLED'));
    expect(await given).toBeInstanceOf(CallAborted);
    await until(() => bed.executor.stats().runningCount === 0);
    expect(await take(episodeId, 0, 'SELECT 1')).toMatchObject({ stepIndex: 0 });
  });

  test('a runaway is the model’s own fault: an observation within its limit', async () => {
    const episodeId = await open('good', { queryCpuMsMax: 100 });
    const slow = await take(episodeId, 0, RUNAWAY);
    expect(slow.queries[0]).toMatchObject({ status: 'time_limit', timeLimit: 'cpu' });
  });

  test('a file that is replaced is DATABASE_BROKEN, and no reward', async () => {
    const episodeId = await open();
    copyFileSync(bed.file, `${bed.file}.copy`);
    writeFileSync(bed.file, 'gone');
    const error = await failure(answer(episodeId, 0, 'SELECT count(*) FROM t'));
    expect(error.reason).toBe('DATABASE_BROKEN');
    expect(error.message).not.toContain(bed.folder);
  });
});
