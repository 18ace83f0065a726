import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { openLibrary } from '../../src/replay/library.ts';
import type { Replayer } from '../../src/replay/ports.ts';
import { createReplayer } from '../../src/replay/replayer.ts';
import { NEVER } from '../support/executor.ts';
import { answer, call, createReplayBed, written, type ReplayBed } from '../support/replay-bed.ts';

const GOLD = 'SELECT name FROM singer WHERE age = 30';

let bed: ReplayBed;
let replayer: Replayer;

beforeAll(async () => {
  bed = await createReplayBed([GOLD], { recordGold: true });
  replayer = createReplayer(await bed.source());
});

afterAll(() => bed.close());

function wrongEpisode(): Promise<Trajectory> {
  return bed.play([
    written('SELECT * FROM singer'),
    written('SELECT title FROM song'),
    answer('SELECT title FROM song'),
  ]);
}

describe('a fork', () => {
  test('replays the steps before it, goes on by hand, and earns what the model would have earned', async () => {
    const parent = await wrongEpisode();
    const fork = await replayer.fork(parent, 1, NEVER);
    expect(fork.differences).toEqual([]);
    expect(fork.trajectory.steps.map((step) => step.messages)).toEqual([parent.steps[0]?.messages]);
    const looked = await fork.runSql('SELECT name FROM singer', NEVER);
    expect(looked.messages[0]?.content).toContain('"Cy"');
    expect(fork.trajectory.steps[1]?.action.kind).toBe('assistant_text');
    const outcome = await fork.answer(GOLD, NEVER);
    expect([outcome.reward, outcome.terminated, fork.ended]).toEqual([1, true, true]);
    await expect(fork.runSql('SELECT 1', NEVER)).rejects.toThrow('the fork has ended');

    const file = path.join(bed.records, 'forks.jsonl');
    const episodeId = await fork.save(file);
    expect(await fork.save(file)).toBe(episodeId);
    const library = await openLibrary([file]);
    expect(library.problems).toEqual([]);
    expect(library.episodes).toHaveLength(1);
    expect(library.episodes[0]).toMatchObject({
      episodeId,
      parentId: parent.episode_id,
      verdict: 'match',
      groupId: 'g',
    });
    const saved = await library.read(0);
    await library.close();
    expect(saved).toMatchObject({
      parent: { episode_id: parent.episode_id, step_index: 1 },
      labels: parent.labels,
      task_id: parent.task_id,
      split: 'dev',
      difficulty: 'easy',
      gold_sql: GOLD,
      gold_sha256: parent.gold_sha256,
      limits: parent.limits,
      messages: parent.messages,
      return: 1,
      end: 'terminated',
    });
    expect(Object.keys(saved).toSorted()).toEqual([...Object.keys(parent), 'parent'].toSorted());
    // It is an episode like any other: it can be checked and forked again.
    expect(await replayer.check(saved, NEVER)).toEqual({ kind: 'same' });
    const again = await replayer.fork(saved, 2, NEVER);
    await again.discard();
  });

  test('of an episode with parsed calls goes on with parsed calls', async () => {
    const parent = await bed.play([call('SELECT 1')]);
    const fork = await replayer.fork(parent, 1, NEVER);
    await fork.runSql('SELECT 2', NEVER);
    expect(fork.trajectory.steps[1]?.action).toEqual({
      kind: 'tool_call',
      name: 'run_sql',
      arguments_json: '{"query":"SELECT 2"}',
    });
    await fork.discard();
  });

  test('takes a whole turn as the model would write it, with its mistakes', async () => {
    const fork = await replayer.fork(await wrongEpisode(), 0, NEVER);
    const outcome = await fork.say('<tool_call>{</tool_call>', NEVER);
    expect(outcome.terminationReason).toBe('malformed_call');
    expect(fork.ended).toBe(true);
  });

  test('that is left in the middle is saved as closed', async () => {
    const fork = await replayer.fork(await wrongEpisode(), 2, NEVER);
    const file = path.join(bed.records, 'closed.jsonl');
    await fork.save(file);
    const saved = JSON.parse(readFileSync(file, 'utf8')) as Trajectory;
    expect(saved).toMatchObject({ end: 'closed', grade: null });
    expect(saved.steps).toHaveLength(2);
    expect(fork.ended).toBe(true);
  });

  test('tells what came out otherwise on the way, and goes on', async () => {
    const parent = await wrongEpisode();
    const [step, ...rest] = parent.steps;
    if (step === undefined) throw new Error('there is no step');
    const changed = { ...step, messages: [{ role: 'tool', content: 'other' } as const] };
    const fork = await replayer.fork({ ...parent, steps: [changed, ...rest] }, 1, NEVER);
    expect(fork.differences).toMatchObject([
      { stepIndex: 0, what: 'observation', recorded: 'other' },
    ]);
    expect((await fork.answer(GOLD, NEVER)).reward).toBe(1);
  });

  test.each([-1, 4, 1.5])('at step %d of three is refused', async (stepIndex) => {
    const forking = replayer.fork(await wrongEpisode(), stepIndex, NEVER);
    await expect(forking).rejects.toThrow("it can't be forked at step");
  });

  test('after the last step has nothing to go on with', async () => {
    const fork = await replayer.fork(await wrongEpisode(), 3, NEVER);
    expect(fork.ended).toBe(true);
  });

  test('without the gold is refused, since it could earn no reward', async () => {
    const { gold_sql: _, ...parent } = await bed.play([answer(GOLD)], {
      task: { kind: 'inline', taskId: 'mine', databaseId: 'db', question: 'Q?', goldSql: GOLD },
    });
    await expect(replayer.fork(parent, 0, NEVER)).rejects.toThrow('the gold is not known');
  });

  test('that was discarded is not saved', async () => {
    const fork = await replayer.fork(await wrongEpisode(), 0, NEVER);
    await fork.discard();
    await fork.discard();
    const file = path.join(bed.records, 'discarded.jsonl');
    await expect(fork.save(file)).rejects.toThrow('the fork was discarded');
  });
});

describe('saving', () => {
  test('after a torn line leaves the fork whole', async () => {
    const file = path.join(bed.records, 'torn.jsonl');
    writeFileSync(file, '{"version": 1, "episode_id": "to');
    const fork = await replayer.fork(await wrongEpisode(), 0, NEVER);
    await fork.answer(GOLD, NEVER);
    await fork.save(file);
    const library = await openLibrary([file]);
    expect(library.episodes).toHaveLength(1);
    expect(library.problems).toHaveLength(1);
    await library.close();
  });

  test.each([
    ['forks.jsonl.gz', 'must end in .jsonl'],
    ['missing/forks.jsonl', "it can't be written (ENOENT)"],
  ])('into %s is refused, and can be tried elsewhere', async (name, problem) => {
    const fork = await replayer.fork(await wrongEpisode(), 0, NEVER);
    await fork.answer(GOLD, NEVER);
    await expect(fork.save(path.join(bed.records, name))).rejects.toThrow(problem);
    await fork.save(path.join(bed.records, 'elsewhere.jsonl'));
  });
});
