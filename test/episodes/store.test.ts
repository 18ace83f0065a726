import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import type { ServerError } from '../../src/errors.ts';
import { SYSTEM_CLOCK } from '../../src/episodes/clock.ts';
import type { ResetRequest, StepRequest } from '../../src/episodes/requests.ts';
import type { StoreLimits } from '../../src/episodes/store.ts';
import { startService, type ServiceFixture } from '../support/service-fixture.ts';

const opened: ServiceFixture[] = [];

afterEach(() => {
  for (const fixture of opened.splice(0)) fixture.service.abandonAll();
});

function start(limits: Partial<StoreLimits>, realClock = false): ServiceFixture {
  const storeLimits = {
    leaseMs: 1_000,
    episodeCountMax: 3,
    episodeBytesMax: 1_000_000,
    endedCountMax: 2,
    endedBytesMax: 10_000,
    ...limits,
  };
  const fixture = startService({ storeLimits, ...(realClock ? { clock: SYSTEM_CLOCK } : {}) });
  opened.push(fixture);
  return fixture;
}

const signal = (): AbortSignal => new AbortController().signal;

function open({ service }: ServiceFixture, episodeId: string, groupId = ''): Promise<unknown> {
  const request: ResetRequest = {
    episodeId,
    task: { kind: 'named', taskId: 't/1' },
    limits: {},
    observation: {},
    mode: 'train',
    groupId,
    labels: {},
    score: {},
    goldSha256: '',
  };
  return service.reset(request, signal());
}

function take({ service }: ServiceFixture, episodeId: string, stepIndex = 0, end = false) {
  const request: StepRequest = {
    episodeId,
    stepIndex,
    action: end
      ? { kind: 'final_text', text: 'SELECT 1' }
      : { kind: 'tool_call', name: 'run_sql', argumentsJson: '{"query":"SELECT 1"}' },
    completionTokenCount: 0,
  };
  return service.step(request, signal());
}

const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'ok',
    (error: unknown) => (error as ServerError).reason,
  );

describe('leases', () => {
  test('at lease - 1, lease and lease + 1 milliseconds without a call', async () => {
    for (const [idleMs, expected] of [
      [999, 'ok'],
      [1_000, 'ok'],
      [1_001, 'EPISODE_NOT_FOUND'],
    ] as const) {
      const fixture = start({});
      await open(fixture, 'e');
      fixture.advance(idleMs);
      expect(await reasonOf(take(fixture, 'e'))).toBe(expected);
    }
  });

  test('every call renews it: steps, their repeats, and the repeat of Reset', async () => {
    const fixture = start({});
    await open(fixture, 'e');
    const calls = [() => take(fixture, 'e'), () => take(fixture, 'e'), () => open(fixture, 'e')];
    for (const call of [...calls, ...calls]) {
      fixture.advance(900);
      await call();
    }
  });

  test('an expired episode is recorded once, and its id is free again', async () => {
    const fixture = start({});
    await open(fixture, 'e');
    await take(fixture, 'e');
    fixture.advance(1_001);
    expect(await reasonOf(take(fixture, 'e', 1))).toBe('EPISODE_NOT_FOUND');
    expect(fixture.recorded).toMatchObject([
      { episode_id: 'e', end: 'expired', grade: null, return: 0, steps: [{ step_index: 0 }] },
    ]);
    await open(fixture, 'e', 'another');
    expect(fixture.service.close('e')).toBe(true);
  });

  test('an episode with a step under way does not expire, and has a fresh lease after it', async () => {
    const fixture = start({ episodeCountMax: 1 });
    await open(fixture, 'e');
    const hold = fixture.executor.hold('runQuery');
    const running = take(fixture, 'e');
    await hold.entered;
    fixture.advance(10_000);
    // A full table looks for leases that are over.
    expect(await reasonOf(open(fixture, 'other'))).toBe('OVERLOADED');
    const joined = take(fixture, 'e');
    hold.release();
    expect(await joined).toBe(await running);
    fixture.advance(999);
    expect(await reasonOf(take(fixture, 'e', 1))).toBe('ok');
    expect(fixture.recorded).toEqual([]);
  });

  test('the reaper runs by itself', async () => {
    const fixture = start({ leaseMs: 40 }, true);
    await open(fixture, 'e');
    expect(fixture.service.episodeCount).toBe(1);
    await sleep(120);
    expect(fixture.service.episodeCount).toBe(0);
    expect(fixture.recorded).toMatchObject([{ episode_id: 'e', end: 'expired' }]);
  });
});

describe('capacity', () => {
  test('one more than the most is OVERLOADED, until one ends', async () => {
    const fixture = start({});
    for (const id of ['a', 'b', 'c']) await open(fixture, id);
    expect(await reasonOf(open(fixture, 'd'))).toBe('OVERLOADED');
    expect(await reasonOf(open(fixture, 'c'))).toBe('ok');
    await take(fixture, 'b', 0, true);
    expect(await reasonOf(open(fixture, 'd'))).toBe('ok');
    expect(await reasonOf(open(fixture, 'e'))).toBe('OVERLOADED');
    fixture.service.close('a');
    expect(await reasonOf(open(fixture, 'e'))).toBe('ok');
  });

  test('episodes that are being opened count', async () => {
    const fixture = start({ episodeCountMax: 1 });
    const hold = fixture.executor.hold('describeGold');
    const opening = open(fixture, 'a');
    await hold.entered;
    expect(await reasonOf(open(fixture, 'b'))).toBe('OVERLOADED');
    hold.release();
    await opening;
  });

  test('expired episodes make room', async () => {
    const fixture = start({});
    for (const id of ['a', 'b', 'c']) await open(fixture, id);
    fixture.advance(600);
    await take(fixture, 'b');
    fixture.advance(600);
    expect(await reasonOf(open(fixture, 'd'))).toBe('ok');
    expect(fixture.recorded.map((line) => line.episode_id)).toEqual(['a', 'c']);
  });

  test('the texts of open episodes are bounded together, and open ones still go on', async () => {
    const fixture = start({ episodeBytesMax: 300 });
    await open(fixture, 'a');
    await take(fixture, 'a');
    expect(await reasonOf(open(fixture, 'b'))).toBe('OVERLOADED');
    expect(await reasonOf(take(fixture, 'a', 1))).toBe('ok');
    fixture.service.close('a');
    expect(await reasonOf(open(fixture, 'b'))).toBe('ok');
  });
});

describe('ended episodes', () => {
  test('are kept for repeats up to a number, the oldest forgotten first', async () => {
    const fixture = start({});
    for (const id of ['a', 'b', 'c']) {
      await open(fixture, id);
      await take(fixture, id, 0, true);
    }
    expect(await reasonOf(take(fixture, 'a', 0, true))).toBe('EPISODE_NOT_FOUND');
    expect(await reasonOf(take(fixture, 'b', 0, true))).toBe('ok');
    expect(await reasonOf(take(fixture, 'c', 0, true))).toBe('ok');
    expect(fixture.service.episodeCount).toBe(0);
  });

  test('are kept up to a size', async () => {
    const fixture = start({ endedCountMax: 100, endedBytesMax: 50 });
    for (const id of ['a', 'b', 'c', 'd']) {
      await open(fixture, id);
      await take(fixture, id, 0, true);
    }
    expect(await reasonOf(take(fixture, 'a', 0, true))).toBe('EPISODE_NOT_FOUND');
    expect(await reasonOf(take(fixture, 'd', 0, true))).toBe('ok');
  });

  test('are forgotten when their lease is over', async () => {
    const fixture = start({});
    await open(fixture, 'a');
    await take(fixture, 'a', 0, true);
    fixture.advance(1_001);
    expect(await reasonOf(take(fixture, 'a', 0, true))).toBe('EPISODE_NOT_FOUND');
    expect(fixture.recorded).toHaveLength(1);
  });
});
