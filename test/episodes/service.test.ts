import { setMaxListeners } from 'node:events';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CallAborted, ServerError, type ErrorReason } from '../../src/errors.ts';
import type { ExecutorFailure } from '../../src/episodes/ports.ts';
import type { ResetRequest, StepRequest } from '../../src/episodes/requests.ts';
import { goldHash } from '../../src/episodes/task-source.ts';
import { startService, TASKS, type ServiceFixture } from '../support/service-fixture.ts';

let fixture: ServiceFixture;

beforeEach(() => {
  fixture = startService();
});

afterEach(() => fixture.service.abandonAll());

const never = new AbortController().signal;
// One signal for hundreds of calls is fine here, and nowhere else.
setMaxListeners(0, never);

function resetRequest(episodeId: string, changes: Partial<ResetRequest> = {}): ResetRequest {
  return {
    episodeId,
    task: { kind: 'named', taskId: 't/1' },
    limits: {},
    observation: {},
    mode: 'train',
    groupId: '',
    labels: {},
    score: {},
    goldSha256: '',
    ...changes,
  };
}

function call(stepIndex: number, sql = 'SELECT 1', episodeId = 'e'): StepRequest {
  const argumentsJson = JSON.stringify({ query: sql });
  return {
    episodeId,
    stepIndex,
    action: { kind: 'tool_call', name: 'run_sql', argumentsJson },
    completionTokenCount: 0,
  };
}

function answer(stepIndex: number, sql = 'SELECT 1', episodeId = 'e'): StepRequest {
  const text = `\`\`\`sql\n${sql}\n\`\`\``;
  return { episodeId, stepIndex, action: { kind: 'final_text', text }, completionTokenCount: 0 };
}

async function open(episodeId = 'e', changes: Partial<ResetRequest> = {}): Promise<void> {
  await fixture.service.reset(resetRequest(episodeId, changes), never);
}

const step = (request: StepRequest, signal = never) => fixture.service.step(request, signal);

async function reasonOf(promise: Promise<unknown>): Promise<ErrorReason | undefined> {
  const error = await promise.then(
    () => undefined,
    (caught: unknown) => caught,
  );
  if (error === undefined) return undefined;
  expect(error).toBeInstanceOf(ServerError);
  return (error as ServerError).reason;
}

describe('Reset', () => {
  test('gives prompt, limits and scoring in force, and not the gold', async () => {
    const result = await fixture.service.reset(
      resetRequest('e', { limits: { stepCountMax: 3 }, score: { guard: 'strict' } }),
      never,
    );
    expect(result.messages.map((message) => message.role)).toEqual(['system', 'user']);
    expect(result.messages[1]?.content).toBe('Question 1?');
    expect(result.limits).toMatchObject({ stepCountMax: 3, invalidCallCountMax: 5 });
    expect(result.score).toMatchObject({ guard: 'strict', comparisonMode: 'bag@1' });
    expect(result.task.goldSha256).toBe(goldHash('SELECT 1'));
    expect(JSON.stringify(result)).not.toContain('SELECT 1');
  });

  test('the same request again gives the same response, before and after steps and the end', async () => {
    const request = resetRequest('e', { labels: { a: '1', b: '2' } });
    const first = await fixture.service.reset(request, never);
    const sameLabels = { ...request, labels: { b: '2', a: '1' } };
    expect(await fixture.service.reset(sameLabels, never)).toBe(first);
    await step(answer(0));
    expect(await fixture.service.reset(request, never)).toBe(first);
    expect(fixture.executor.calls.filter((name) => name.startsWith('describeGold'))).toHaveLength(
      1,
    );
  });

  test.each<[string, Partial<ResetRequest>]>([
    ['task', { task: { kind: 'named', taskId: 't/3' } }],
    ['limits', { limits: { stepCountMax: 3 } }],
    ['labels', { labels: { a: '1' } }],
    ['scoring', { score: { guard: 'strict' } }],
  ])('another %s under the same id is EPISODE_ID_TAKEN', async (_name, changes) => {
    await open();
    expect(await reasonOf(open('e', changes))).toBe('EPISODE_ID_TAKEN');
    await step(answer(0));
    expect(await reasonOf(open('e', changes))).toBe('EPISODE_ID_TAKEN');
  });

  test('a repeat while the first one runs joins it; another request is refused', async () => {
    const hold = fixture.executor.hold('describeGold');
    const first = fixture.service.reset(resetRequest('e'), never);
    await hold.entered;
    const second = fixture.service.reset(resetRequest('e'), never);
    expect(await reasonOf(open('e', { groupId: 'other' }))).toBe('EPISODE_ID_TAKEN');
    expect(await reasonOf(step(call(0)))).toBe('STEP_CONFLICT');
    hold.release();
    expect(await second).toBe(await first);
  });

  test('a repeat that comes while the cancelled one is being stopped waits, and then opens', async () => {
    const hold = fixture.executor.hold('describeGold');
    const caller = new AbortController();
    const first = fixture.service.reset(resetRequest('e'), caller.signal);
    await hold.entered;
    caller.abort(new CallAborted('CANCELLED'));
    const again = fixture.service.reset(resetRequest('e'), never);
    await expect(first).rejects.toThrow(CallAborted);
    expect(await again).toMatchObject({ episodeId: 'e' });
    expect(fixture.service.episodeCount).toBe(1);
  });

  test('unknown task, unknown database, unexpected gold', async () => {
    const named = { kind: 'named', taskId: 'nope' } as const;
    const inline = {
      kind: 'inline',
      taskId: 'x',
      databaseId: 'nope',
      question: 'q',
      goldSql: 'SELECT 1',
    } as const;
    expect(await reasonOf(open('e', { task: named }))).toBe('TASK_NOT_FOUND');
    expect(await reasonOf(open('e', { task: inline }))).toBe('DATABASE_NOT_FOUND');
    expect(await reasonOf(open('e', { goldSha256: goldHash('SELECT 2') }))).toBe('TASK_MISMATCH');
    expect(fixture.service.episodeCount).toBe(0);
    await open('e', { goldSha256: goldHash('SELECT 1') });
  });

  test('limits that could make a response too large are refused', async () => {
    const wide = { limits: { parallelCallCountMax: 4 }, observation: { textSizeMax: 0 } };
    expect(await reasonOf(open('e', wide))).toBe('INVALID_FIELD');
    const narrow = { ...wide, limits: { ...wide.limits, resultBytesMax: 500_000 } };
    await open('e', narrow);
    await open('f', { limits: { parallelCallCountMax: 32 } });
  });
});

const FAILURES: [ExecutorFailure, ErrorReason][] = [
  [{ kind: 'overloaded' }, 'OVERLOADED'],
  [{ kind: 'worker_lost' }, 'WORKER_LOST'],
  [{ kind: 'database_not_found' }, 'DATABASE_NOT_FOUND'],
  [{ kind: 'database_broken', message: 'the file is locked' }, 'DATABASE_BROKEN'],
  [{ kind: 'internal', message: 'secret /host/path' }, 'INTERNAL'],
  [{ kind: 'cancelled' }, 'INTERNAL'],
];

describe('a failure that is not the model’s', () => {
  test.each(FAILURES)('$kind of a query changes nothing: %s is %s', async (failure, reason) => {
    await open();
    await step(call(0));
    fixture.executor.script('runQuery', { fail: failure });
    expect(await reasonOf(step(call(1)))).toBe(reason);
    const again = await step(call(1));
    expect(again).toMatchObject({ stepIndex: 1, reward: 0, terminated: false });
    fixture.executor.script('gradeAnswer', { fail: failure });
    expect(await reasonOf(step(answer(2)))).toBe(reason);
    expect(await step(answer(2))).toMatchObject({ stepIndex: 2, reward: 1, terminated: true });
    expect(fixture.recorded[0]?.steps.map((taken) => taken.step_index)).toEqual([0, 1, 2]);
  });

  test('another step may be taken instead of the one that failed', async () => {
    await open();
    fixture.executor.script('runQuery', { fail: { kind: 'worker_lost' } });
    expect(await reasonOf(step(call(0)))).toBe('WORKER_LOST');
    expect(await step(call(0, 'SELECT 2'))).toMatchObject({ stepIndex: 0 });
  });

  test('the second of two calls: the first is not taken either', async () => {
    await open('e', { limits: { parallelCallCountMax: 2 } });
    const one = '<tool_call>{"name":"run_sql","arguments":{"query":"SELECT 1"}}</tool_call>';
    const two = one.replace('SELECT 1', 'SELECT 2');
    const turn = {
      ...call(0),
      action: { kind: 'assistant_text', text: one + two },
    } as const;
    fixture.executor.script('runQuery', { fail: { kind: 'overloaded' } });
    expect(await reasonOf(step(turn))).toBe('OVERLOADED');
    const result = await step(turn);
    expect(result.messages).toHaveLength(2);
    const queries = fixture.executor.calls.filter((name) => name.startsWith('runQuery'));
    expect(queries).toEqual(['runQuery SELECT 1', 'runQuery SELECT 1', 'runQuery SELECT 2']);
  });

  test.each(FAILURES)('%s at Reset is %s and frees the slot at once', async (failure, reason) => {
    fixture.executor.script('describeGold', { fail: failure });
    expect(await reasonOf(open())).toBe(reason);
    expect(fixture.service.episodeCount).toBe(0);
    fixture.executor.script('readSchema', { fail: failure });
    expect(await reasonOf(open())).toBe(reason);
    expect(fixture.service.episodeCount).toBe(0);
    await open();
  });

  test('a gold that fails is TASK_BROKEN, at Reset, at the answer and in Score', async () => {
    const broken = { fail: { kind: 'gold_broken', message: 'no such table: x' } } as const;
    fixture.executor.script('describeGold', broken);
    expect(await reasonOf(open())).toBe('TASK_BROKEN');
    await open();
    fixture.executor.script('gradeAnswer', broken);
    expect(await reasonOf(step(answer(0)))).toBe('TASK_BROKEN');
    expect(await step(answer(0))).toMatchObject({ reward: 1 });
    fixture.executor.script('describeGold', broken);
    expect(await reasonOf(fixture.service.score(scoreRequest(), never))).toBe('TASK_BROKEN');
  });
});

function scoreRequest() {
  return {
    task: { kind: 'named', taskId: 't/1' },
    answer: { kind: 'sql', sql: ' ' },
    comparisonModes: [],
    score: {},
    limits: {},
    goldSha256: '',
    includeGold: false,
  } as const;
}

describe('Step', () => {
  test('the same step again gives the same response and runs nothing', async () => {
    await open();
    const first = await step(call(0));
    const count = fixture.executor.calls.length;
    expect(await step(call(0))).toBe(first);
    expect(fixture.executor.calls).toHaveLength(count);
    expect(await step(call(1))).toMatchObject({ stepIndex: 1 });
  });

  test.each<[string, StepRequest]>([
    ['an older step', call(0)],
    ['the last step with another action', call(1, 'SELECT 2')],
    ['the last step with another token count', { ...call(1), completionTokenCount: 9 }],
    ['a step too far', call(3)],
    ['the largest index', call(4_294_967_295)],
  ])('%s is STEP_CONFLICT and changes nothing', async (_name, request) => {
    await open();
    await step(call(0));
    await step(call(1));
    expect(await reasonOf(step(request))).toBe('STEP_CONFLICT');
    expect(await step(call(2))).toMatchObject({ stepIndex: 2 });
  });

  test('an unknown episode is EPISODE_NOT_FOUND', async () => {
    expect(await reasonOf(step(call(0, 'SELECT 1', 'nope')))).toBe('EPISODE_NOT_FOUND');
  });

  test('after the end only the last step’s repeat is answered', async () => {
    await open();
    const last = await step(answer(0));
    expect(await step(answer(0))).toBe(last);
    expect(await reasonOf(step(answer(0, 'SELECT 2')))).toBe('EPISODE_ENDED');
    expect(await reasonOf(step(call(1)))).toBe('EPISODE_ENDED');
    expect(fixture.recorded).toHaveLength(1);
  });

  test('while one runs: the same joins it, another is refused', async () => {
    await open();
    const hold = fixture.executor.hold('runQuery');
    const first = step(call(0));
    await hold.entered;
    const joined = step(call(0));
    expect(await reasonOf(step(call(0, 'SELECT 2')))).toBe('STEP_CONFLICT');
    expect(await reasonOf(step(call(1)))).toBe('STEP_CONFLICT');
    hold.release();
    expect(await joined).toBe(await first);
    expect(fixture.executor.calls.filter((name) => name.startsWith('runQuery'))).toHaveLength(1);
  });

  test('the query is cancelled only when all who wait for it are gone', async () => {
    await open();
    const hold = fixture.executor.hold('runQuery');
    const [one, two] = [new AbortController(), new AbortController()];
    const first = step(call(0), one.signal);
    await hold.entered;
    const second = step(call(0), two.signal);
    one.abort(new CallAborted('CANCELLED'));
    await expect(first).rejects.toThrow(CallAborted);
    expect(hold.cancelled).toBe(false);
    two.abort(new CallAborted('DEADLINE_EXCEEDED'));
    await expect(second).rejects.toMatchObject({ status: 'DEADLINE_EXCEEDED' });
    expect(await step(call(0))).toMatchObject({ stepIndex: 0 });
    expect(hold.cancelled).toBe(true);
  });

  test('a repeat that comes while the cancelled one is being stopped waits, and then runs', async () => {
    await open();
    const hold = fixture.executor.hold('runQuery');
    const caller = new AbortController();
    const first = step(call(0), caller.signal);
    await hold.entered;
    caller.abort(new CallAborted('CANCELLED'));
    const again = step(call(0));
    await expect(first).rejects.toThrow(CallAborted);
    expect(await again).toMatchObject({ stepIndex: 0 });
    expect(fixture.executor.calls.filter((name) => name.startsWith('runQuery'))).toHaveLength(2);
  });

  test('a call that is cancelled before it begins runs nothing', async () => {
    await open();
    const gone = AbortSignal.abort(new CallAborted('CANCELLED'));
    await expect(step(call(0), gone)).rejects.toThrow(CallAborted);
    expect(fixture.executor.calls.filter((name) => name.startsWith('runQuery'))).toHaveLength(0);
    await expect(fixture.service.reset(resetRequest('f'), gone)).rejects.toThrow(CallAborted);
    await step(call(0));
    expect(fixture.service.episodeCount).toBe(1);
  });
});

describe('Close', () => {
  test('ends an episode once; unknown, closed and ended ones are no error', async () => {
    await open();
    expect(fixture.service.close('e')).toBe(true);
    expect(fixture.service.close('e')).toBe(false);
    expect(fixture.service.close('nope')).toBe(false);
    expect(await reasonOf(step(call(0)))).toBe('EPISODE_ENDED');
    expect(fixture.recorded).toMatchObject([{ episode_id: 'e', end: 'closed', grade: null }]);
  });

  test('stops a step that runs, which is then not taken', async () => {
    await open();
    const hold = fixture.executor.hold('runQuery');
    const running = step(call(0));
    await hold.entered;
    expect(fixture.service.close('e')).toBe(true);
    expect(await reasonOf(running)).toBe('EPISODE_ENDED');
    expect(fixture.recorded).toMatchObject([{ end: 'closed', steps: [] }]);
  });

  test('a step whose query ends well all the same is not taken', async () => {
    await open();
    const hold = fixture.executor.hold('gradeAnswer', true);
    const running = step(answer(0));
    await hold.entered;
    fixture.service.close('e');
    expect(await reasonOf(running)).toBe('EPISODE_ENDED');
    expect(fixture.recorded).toMatchObject([{ end: 'closed', steps: [], return: 0 }]);
    expect(await reasonOf(step(answer(0)))).toBe('EPISODE_ENDED');
  });

  test('a Reset whose queries end well all the same opens nothing', async () => {
    const hold = fixture.executor.hold('readSchema', true);
    const running = fixture.service.reset(resetRequest('e'), never);
    await hold.entered;
    fixture.service.close('e');
    expect(await reasonOf(running)).toBe('EPISODE_ENDED');
    expect(fixture.service.episodeCount).toBe(0);
    expect(await reasonOf(step(call(0)))).toBe('EPISODE_NOT_FOUND');
  });

  test('stops a Reset that runs, and frees its slot', async () => {
    const hold = fixture.executor.hold('describeGold');
    const running = fixture.service.reset(resetRequest('e'), never);
    await hold.entered;
    expect(fixture.service.close('e')).toBe(true);
    expect(fixture.service.episodeCount).toBe(0);
    expect(await reasonOf(running)).toBe('EPISODE_ENDED');
    await open();
    expect(fixture.service.episodeCount).toBe(1);
  });
});

describe('draining', () => {
  test('refuses new episodes, and lets open ones go on', async () => {
    await open();
    fixture.service.beginDrain();
    expect(fixture.service.info().draining).toBe(true);
    expect(await reasonOf(open('f'))).toBe('DRAINING');
    await open('e');
    await step(call(0));
    expect(await step(answer(1))).toMatchObject({ reward: 1, terminated: true });
    expect(fixture.service.close('e')).toBe(false);
  });

  test('abandoning stops what runs and records every open episode', async () => {
    await open('a');
    await open('b');
    const [query, gold] = [
      fixture.executor.hold('runQuery'),
      fixture.executor.hold('describeGold'),
    ];
    const running = step(call(0, 'SELECT 1', 'a'));
    const opening = fixture.service.reset(resetRequest('c'), never);
    await Promise.all([query.entered, gold.entered]);
    fixture.service.abandonAll();
    expect(await reasonOf(running)).toBe('DRAINING');
    expect(await reasonOf(opening)).toBe('DRAINING');
    expect(fixture.service.episodeCount).toBe(0);
    expect(fixture.recorded.map((line) => [line.episode_id, line.end])).toEqual([
      ['a', 'abandoned'],
      ['b', 'abandoned'],
    ]);
  });
});

test('512 episodes at once: unique, and none sees another', async () => {
  fixture = startService({ storeLimits: { episodeCountMax: 600 } as never });
  const ids = Array.from({ length: 512 }, (_, index) => `e${index}`);
  await Promise.all(ids.map((id) => open(id, { task: { kind: 'named', taskId: 't/2' } })));
  const results = await Promise.all(ids.map((id, index) => step(call(0, `SELECT ${index}`, id))));
  for (const [index, result] of results.entries()) {
    expect(result.messages[0]?.content).toContain(`SELECT ${index}"`);
  }
  expect(TASKS[2]?.goldSql).toBe('SELECT 2');
});
