import { once } from 'node:events';
import { connect } from 'node:http2';
import { status as Status } from '@grpc/grpc-js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ErrorReason } from '../../src/errors.ts';
import { goldHash } from '../../src/episodes/task-source.ts';
import { CallError } from '../../src/rpc/client.ts';
import { MESSAGE_BYTES_MAX } from '../../src/rpc/message-size.ts';
import { PROTO } from '../../src/rpc/load-proto.ts';
import { until } from '../support/log.ts';
import { startRpc, type RpcFixture } from '../support/rpc-fixture.ts';
import { queryInfo } from '../support/scripted-executor.ts';

let rpc: RpcFixture;
let nextId = 0;

beforeAll(async () => {
  rpc = await startRpc({ storeLimits: { episodeCountMax: 2_000 } as never });
});

afterAll(() => rpc.stop());

async function open(changes: object = {}): Promise<string> {
  const episodeId = `e${nextId++}`;
  await rpc.client.reset({ episodeId, taskId: 't/1', ...changes });
  return episodeId;
}

const toolCall = (sql = 'SELECT 1') => ({
  name: 'run_sql',
  argumentsJson: JSON.stringify({ query: sql }),
});

async function failureOf(promise: Promise<unknown>): Promise<CallError> {
  const error = await promise.then(
    () => expect.unreachable('the call should have failed'),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(CallError);
  return error as CallError;
}

describe('a whole episode', () => {
  test('Reset, tool call, answer, repeat, Close', async () => {
    const episodeId = `e${nextId++}`;
    const opened = await rpc.client.reset({
      episodeId,
      taskId: 't/1',
      goldSha256: goldHash('SELECT 1'),
      limits: { stepCountMax: 4 },
      observation: { textSizeMax: 0 },
    });
    expect(opened).toMatchObject({
      episodeId,
      task: { taskId: 't/1', databaseId: 'pets', split: 'train', goldSql: '' },
      limits: { stepCountMax: 4, queryCpuMsMax: 2_000 },
      observation: { textSizeMax: 0, truncateSide: 'TRUNCATE_SIDE_MIDDLE' },
      score: { comparisonMode: 'bag@1', guard: 'REWARD_GUARD_FLAG' },
      leaseMs: 60_000,
    });
    expect(opened.messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(JSON.parse(opened.toolSchemaJson)).toMatchObject({ function: { name: 'run_sql' } });

    const first = await rpc.client.step({ episodeId, stepIndex: 0, toolCall: toolCall() });
    expect(first).toMatchObject({
      stepIndex: 0,
      reward: 0,
      terminated: false,
      grade: null,
      messages: [{ role: 'tool', content: '{"columns":["sql"],"rows":[["SELECT 1"]]}' }],
      queries: [{ status: 'QUERY_STATUS_OK', sql: 'SELECT 1', queryUs: 7, queueUs: 1 }],
    });
    const answer = { episodeId, stepIndex: 1, finalText: '```sql\nSELECT 1\n```' };
    const last = await rpc.client.step(answer);
    expect(last).toMatchObject({
      reward: 1,
      terminated: true,
      terminationReason: 'TERMINATION_REASON_ANSWER',
      truncated: false,
      truncationReason: 'TRUNCATION_REASON_UNSPECIFIED',
      episodeReturn: 1,
      grade: { verdict: 'VERDICT_MATCH', matched: true, goldRowCount: 3 },
    });
    expect(await rpc.client.step(answer)).toEqual(last);
    expect(await rpc.client.close({ episodeId })).toEqual({ closed: false });
  });

  test('a wrong answer and a missing one are rewards of 0, not errors', async () => {
    const wrong = await open();
    expect(
      await rpc.client.step({ episodeId: wrong, stepIndex: 0, finalText: '```sql\nSELECT 2\n```' }),
    ).toMatchObject({ reward: 0, grade: { verdict: 'VERDICT_MISMATCH' } });
    const missing = await open();
    expect(
      await rpc.client.step({ episodeId: missing, stepIndex: 0, finalText: '' }),
    ).toMatchObject({
      reward: 0,
      grade: { verdict: 'VERDICT_ANSWER_MISSING', answerQuery: null, goldRowCount: 3 },
    });
  });

  test('limits end it: steps, invalid calls, tokens', async () => {
    const steps = await open({ limits: { stepCountMax: 1 } });
    expect(
      await rpc.client.step({ episodeId: steps, stepIndex: 0, toolCall: toolCall() }),
    ).toMatchObject({ truncated: true, truncationReason: 'TRUNCATION_REASON_STEP_LIMIT' });
    const invalid = await open({ limits: { invalidCallCountMax: 1 } });
    const unknown = { name: 'nope', argumentsJson: '{}' };
    expect(
      await rpc.client.step({ episodeId: invalid, stepIndex: 0, toolCall: unknown }),
    ).toMatchObject({ truncationReason: 'TRUNCATION_REASON_INVALID_CALL_LIMIT' });
    const tokens = await open();
    expect(
      await rpc.client.step({
        episodeId: tokens,
        stepIndex: 0,
        toolCall: toolCall(),
        completionTokenCount: 5_000,
      }),
    ).toMatchObject({
      truncationReason: 'TRUNCATION_REASON_TOKEN_LIMIT',
      completionTokenCount: 5_000,
    });
  });
});

describe('calls without an episode', () => {
  test('GetInfo', async () => {
    expect(await rpc.client.getInfo({})).toMatchObject({
      version: '0.0.1',
      sqliteVersion: '3.53.2',
      taskCount: 10,
      databaseCount: 2,
      splitTaskCounts: { train: 6, dev: 4 },
      comparisonModes: ['bag@1', 'set@1', 'rows@1'],
      episodeCountMax: 2_000,
      draining: false,
      limits: { stepCountMax: 16 },
    });
  });

  test('ListTasks: pages, filters, prompts, and the gold only if asked for', async () => {
    const first = await rpc.client.listTasks({ pageSize: 4 });
    const second = await rpc.client.listTasks({ pageSize: 4, pageToken: first.nextPageToken });
    const third = await rpc.client.listTasks({ pageSize: 4, pageToken: second.nextPageToken });
    const ids = [first, second, third].flatMap((page) => page.tasks.map((task) => task.taskId));
    expect(ids).toEqual(Array.from({ length: 10 }, (_, index) => `t/${index}`));
    expect([first.totalCount, third.nextPageToken]).toEqual([10, '']);
    expect(first.tasks[0]).toMatchObject({ goldSql: '', messages: [] });
    expect((await rpc.client.listTasks({ split: 'dev', databaseId: 'pets' })).totalCount).toBe(2);
    expect((await rpc.client.listTasks({ difficulty: 'easy' })).totalCount).toBe(3);
    const whole = await rpc.client.listTasks({
      pageSize: 1,
      includeGold: true,
      includeMessages: true,
      promptStyle: 'PROMPT_STYLE_COMPACT',
    });
    expect(whole.tasks[0]?.goldSql).toBe('SELECT 0');
    expect(whole.tasks[0]?.messages[0]?.content).toContain('singer(name)');
    const token = first.nextPageToken;
    const other = await failureOf(rpc.client.listTasks({ split: 'dev', pageToken: token }));
    expect(other.reason).toBe('INVALID_FIELD');
  });

  test('Score: SQL or a completion, several modes, the gold only if asked for', async () => {
    const modes = ['rows@1', 'bag@1'];
    const scored = await rpc.client.score({
      taskId: 't/1',
      sql: 'SELECT 1',
      comparisonModes: modes,
    });
    expect(scored.grades.map((grade) => grade.comparisonMode)).toEqual(modes);
    expect(scored).toMatchObject({ goldSql: '', grades: [{ reward: 1 }, { reward: 1 }] });
    const completion = 'So:\n```sql\nSELECT 2\n```';
    const wrong = await rpc.client.score({ taskId: 't/1', completion, includeGold: true });
    expect(wrong).toMatchObject({
      goldSql: 'SELECT 1',
      grades: [{ reward: 0, answerSql: 'SELECT 2', verdict: 'VERDICT_MISMATCH' }],
    });
    const missing = await rpc.client.score({ taskId: 't/1', completion: '' });
    expect(missing.grades).toMatchObject([{ verdict: 'VERDICT_ANSWER_MISSING', goldRowCount: 3 }]);
  });

  test('RunSql: a query or arguments, checked as in an episode', async () => {
    const query = await rpc.client.runSql({ databaseId: 'pets', query: 'SELECT 5' });
    expect(query.message).toMatchObject({ role: 'tool' });
    const raw = { databaseId: 'pets', argumentsJson: '{"query": "SELECT 5"}' };
    expect(await rpc.client.runSql(raw)).toEqual(query);
    const wrong = await rpc.client.runSql({ databaseId: 'pets', argumentsJson: '{"sql": 1}' });
    expect(wrong.query?.status).toBe('QUERY_STATUS_INVALID_ARGUMENTS');
    expect(wrong.message?.content).toContain('query');
  });
});

describe('errors', () => {
  const rows: [string, ErrorReason, Status, () => Promise<unknown>][] = [
    ['a missing field', 'INVALID_FIELD', Status.INVALID_ARGUMENT, () => rpc.client.reset({})],
    [
      'an unknown task',
      'TASK_NOT_FOUND',
      Status.NOT_FOUND,
      () => rpc.client.reset({ episodeId: 'x', taskId: 'nope' }),
    ],
    [
      'an unknown database',
      'DATABASE_NOT_FOUND',
      Status.NOT_FOUND,
      () => rpc.client.runSql({ databaseId: 'nope', query: 'SELECT 1' }),
    ],
    [
      'an unknown episode',
      'EPISODE_NOT_FOUND',
      Status.NOT_FOUND,
      () => rpc.client.step({ episodeId: 'nope', stepIndex: 0, finalText: '' }),
    ],
    [
      'a step after the end',
      'EPISODE_ENDED',
      Status.FAILED_PRECONDITION,
      async () => {
        const episodeId = await open();
        await rpc.client.step({ episodeId, stepIndex: 0, finalText: '' });
        await rpc.client.step({ episodeId, stepIndex: 1, finalText: '' });
      },
    ],
    [
      'a broken gold',
      'TASK_BROKEN',
      Status.FAILED_PRECONDITION,
      () => {
        rpc.executor.script('describeGold', { fail: { kind: 'gold_broken', message: 'no' } });
        return open();
      },
    ],
    [
      'another gold',
      'TASK_MISMATCH',
      Status.FAILED_PRECONDITION,
      () => open({ goldSha256: goldHash('other') }),
    ],
    [
      'a broken database',
      'DATABASE_BROKEN',
      Status.FAILED_PRECONDITION,
      () => {
        rpc.executor.script('describeGold', { fail: { kind: 'database_broken', message: 'no' } });
        return open();
      },
    ],
    [
      'an id for another request',
      'EPISODE_ID_TAKEN',
      Status.ALREADY_EXISTS,
      async () => rpc.client.reset({ episodeId: await open(), taskId: 't/2' }),
    ],
    [
      'a wrong step index',
      'STEP_CONFLICT',
      Status.ABORTED,
      async () => rpc.client.step({ episodeId: await open(), stepIndex: 1, finalText: '' }),
    ],
    [
      'a full queue',
      'OVERLOADED',
      Status.RESOURCE_EXHAUSTED,
      () => {
        rpc.executor.script('runQuery', { fail: { kind: 'overloaded' } });
        return rpc.client.runSql({ databaseId: 'pets', query: 'SELECT 1' });
      },
    ],
    [
      'a dead worker',
      'WORKER_LOST',
      Status.INTERNAL,
      () => {
        rpc.executor.script('runQuery', { fail: { kind: 'worker_lost' } });
        return rpc.client.runSql({ databaseId: 'pets', query: 'SELECT 1' });
      },
    ],
    [
      'a broken invariant',
      'INTERNAL',
      Status.INTERNAL,
      () => {
        rpc.executor.script('runQuery', { fail: { kind: 'internal', message: '/home/x: boom' } });
        return rpc.client.runSql({ databaseId: 'pets', query: 'SELECT 1' });
      },
    ],
  ];

  test.each(rows)('%s is %s', async (_name, reason, code, call) => {
    const error = await failureOf(call());
    expect([error.reason, Status[error.code]]).toEqual([reason, Status[code]]);
    expect(error.message).not.toContain('/home');
  });

  test('what is ours is logged with its cause, and told as "internal error"', async () => {
    rpc.executor.script('runQuery', { fail: { kind: 'internal', message: '/home/x: boom' } });
    const error = await failureOf(rpc.client.runSql({ databaseId: 'pets', query: 'SELECT 1' }));
    expect(error.message).toBe('RunSql: INTERNAL: internal error; the log of the server has more');
    const line = rpc.log.lines.findLast((logged) => logged.level === 'error');
    expect(String(line?.fields['err'])).toContain('/home/x: boom');
  });

  test('an exception that nobody foresaw holds no path either', async () => {
    rpc.executor.script('describeGold', { reject: new TypeError('/home/x is undefined') });
    const error = await failureOf(open());
    expect(error).toMatchObject({ reason: 'INTERNAL', code: Status.INTERNAL });
    expect(error.message).toContain('internal error');
    expect(error.message).not.toContain('/home');
  });

  test('ids that are no plain text reach the message unharmed', async () => {
    const odd = '50% ü 漢字 🙂 \u0000\n"';
    const error = await failureOf(rpc.client.reset({ episodeId: 'x', taskId: odd }));
    expect(error.message).toContain(odd.slice(0, 10));
    expect(error.reason).toBe('TASK_NOT_FOUND');
  });
});

describe('cancelling', () => {
  test('a cancelled call stops its query', async () => {
    const episodeId = await open();
    const hold = rpc.executor.hold('runQuery');
    const caller = new AbortController();
    const request = { episodeId, stepIndex: 0, toolCall: toolCall() };
    const call = rpc.client.step(request, { signal: caller.signal });
    await hold.entered;
    caller.abort();
    expect((await failureOf(call)).code).toBe(Status.CANCELLED);
    await until(() => hold.cancelled);
    expect(await rpc.client.step(request)).toMatchObject({ stepIndex: 0 });
  });

  test('a deadline stops its query', async () => {
    const hold = rpc.executor.hold('runQuery');
    const request = { databaseId: 'pets', query: 'SELECT 1' };
    const error = await failureOf(rpc.client.runSql(request, { deadlineMs: 100 }));
    expect(error.code).toBe(Status.DEADLINE_EXCEEDED);
    await until(() => hold.cancelled);
  });

  test('a connection that breaks stops its queries', async () => {
    const hold = rpc.executor.hold('runQuery');
    const session = connect(`http://${rpc.address}`);
    const { path, requestSerialize } = PROTO.sqlenv.v1.EnvironmentService.service.RunSql;
    const message = requestSerialize({ databaseId: 'pets', query: 'SELECT 1' });
    const head = Buffer.alloc(5);
    head.writeUInt32BE(message.length, 1);
    const headers = {
      ':method': 'POST',
      ':path': path,
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    session
      .request(headers)
      .on('error', () => {})
      .end(Buffer.concat([head, message]));
    await hold.entered;
    session.destroy();
    await until(() => hold.cancelled);
  });

  test('a Reset that is cancelled frees its slot', async () => {
    await until(() => true);
    const before = rpc.service.episodeCount;
    const hold = rpc.executor.hold('describeGold');
    const caller = new AbortController();
    const request = { episodeId: `e${nextId++}`, taskId: 't/1' };
    const call = rpc.client.reset(request, { signal: caller.signal });
    await hold.entered;
    expect(rpc.service.episodeCount).toBe(before + 1);
    caller.abort();
    await failureOf(call);
    await until(() => rpc.service.episodeCount === before);
  });
});

describe('sizes', () => {
  test('a request over 4 MB is a clear error', async () => {
    const request = { episodeId: 'x', stepIndex: 0, finalText: 'x'.repeat(MESSAGE_BYTES_MAX + 1) };
    const error = await failureOf(rpc.client.step(request));
    expect(error).toMatchObject({ code: Status.RESOURCE_EXHAUSTED, reason: 'UNSPECIFIED' });
    expect(error.message).toMatch(/larger than max .*4194304/);
  });

  test('a response over 4 MB is a clear error, and not "overloaded"', async () => {
    rpc.executor.script('runQuery', {
      reply: { kind: 'ran', text: 'x'.repeat(MESSAGE_BYTES_MAX), query: queryInfo('SELECT 1') },
    });
    const error = await failureOf(rpc.client.runSql({ databaseId: 'pets', query: 'SELECT 1' }));
    expect(error).toMatchObject({ code: Status.RESOURCE_EXHAUSTED, reason: 'UNSPECIFIED' });
    expect(error.message).toContain('a message holds 4194304');
  });

  test('ListTasks makes a page smaller rather than too large', async () => {
    const text = 'q'.repeat(1_000_000);
    const { createTaskSource } = await import('../../src/episodes/task-source.ts');
    const tasks = Array.from({ length: 5 }, (_, index) => ({
      taskId: `t/${index}`,
      databaseId: 'd',
      question: text,
      goldSql: '',
      split: '',
      difficulty: '',
    }));
    const large = await startRpc({ tasks: createTaskSource(tasks, new Map([['d', '']])) });
    const counts: number[] = [];
    let pageToken = '';
    do {
      const page = await large.client.listTasks({ pageSize: 1_000, pageToken });
      counts.push(page.tasks.length);
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    await large.stop();
    expect(counts).toEqual([2, 2, 1]);
  });

  test('600 calls at once on one connection', async () => {
    const holds = Array.from({ length: 600 }, () => rpc.executor.hold('runQuery'));
    const calls = holds.map((_, index) =>
      rpc.client.runSql({ databaseId: 'pets', query: `SELECT ${index}` }),
    );
    await Promise.all(holds.map((hold) => hold.entered));
    for (const hold of holds) hold.release();
    expect(new Set((await Promise.all(calls)).map((reply) => reply.query?.sql)).size).toBe(600);
  });

  test('pings without calls are no abuse', async () => {
    const session = connect(`http://${rpc.address}`);
    const ping = (): Promise<void> =>
      new Promise((resolve, reject) => {
        session.ping((error) => (error === null ? resolve() : reject(error)));
      });
    await once(session, 'connect');
    for (let count = 0; count < 50; count += 1) await ping();
    expect([session.closed, session.destroyed]).toEqual([false, false]);
    session.close();
  });

  test('a message that is no protobuf is an error of the call, and the server goes on', async () => {
    const { Client, credentials } = await import('@grpc/grpc-js');
    const raw = new Client(rpc.address, credentials.createInsecure());
    const path = PROTO.sqlenv.v1.EnvironmentService.service.Step.path;
    const identity = (bytes: Buffer): Buffer => bytes;
    const code = await new Promise((resolve) => {
      raw.makeUnaryRequest(path, identity, identity, Buffer.from([0xff, 0xff]), (error) =>
        resolve(error?.code),
      );
    });
    raw.close();
    expect(code).toBe(Status.INTERNAL);
    expect(await rpc.client.getInfo({})).toMatchObject({ taskCount: 10 });
  });
});
