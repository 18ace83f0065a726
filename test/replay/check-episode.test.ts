import { rmSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import type { EpisodeCheck, ReplaySource } from '../../src/replay/ports.ts';
import { createReplayer } from '../../src/replay/replayer.ts';
import type { ReplayPlaces } from '../../src/cli/replay-catalogs.ts';
import { NEVER } from '../support/executor.ts';
import { answer, call, createReplayBed, written, type ReplayBed } from '../support/replay-bed.ts';

const GOLD = 'SELECT name FROM singer WHERE age = 30';
const COUNT = 'SELECT count(*) FROM song';

/** Of the test that runs, since it changes something; else of all. */
let bed: ReplayBed | undefined;
let shared: ReplayBed;
let sharedSource: ReplaySource;

beforeAll(async () => {
  shared = await createReplayBed([GOLD]);
  sharedSource = await shared.source();
});

afterEach(async () => {
  await bed?.close();
  bed = undefined;
});

afterAll(() => shared.close());

async function open(recordGold = false): Promise<ReplayBed> {
  bed = await createReplayBed([GOLD], { recordGold });
  return bed;
}

async function check(trajectory: Trajectory, places?: ReplayPlaces): Promise<EpisodeCheck> {
  const source = bed === undefined ? sharedSource : await bed.source(places);
  return await createReplayer(source).check(trajectory, NEVER);
}

/** What differs, each with its step. */
function differencesOf(found: EpisodeCheck): (readonly [number | undefined, string])[] {
  if (found.kind !== 'different') throw new Error(`it is ${JSON.stringify(found)}`);
  return found.differences.map(({ stepIndex, what }) => [stepIndex, what]);
}

describe('an episode that comes out as recorded', () => {
  test('with tool calls of both kinds, refusals, truncation and an answer', async () => {
    const { play } = shared;
    const trajectory = await play(
      [
        call('SELECT * FROM singer'),
        written('SELECT title, singer_id FROM song ORDER BY title'),
        call('SELECT nothing FROM singer'),
        { kind: 'tool_call', name: 'other', argumentsJson: '{}' },
        { kind: 'tool_call', name: 'run_sql', argumentsJson: 'no JSON' },
        call('DROP TABLE singer'),
        answer(GOLD),
      ],
      { observation: { textSizeMax: 40 }, promptStyle: 'compact' },
    );
    expect(trajectory.grade?.verdict).toBe('match');
    expect(trajectory.steps[0]?.queries[0]?.text_truncated).toBe(true);
    expect(await check(trajectory)).toEqual({ kind: 'same' });
  });

  test.each([
    ['a malformed call', [{ kind: 'assistant_text', text: '<tool_call>{</tool_call>' }], {}],
    ['the last step', [call(COUNT), call(COUNT)], { limits: { stepCountMax: 2 } }],
    ['the token limit', [written(COUNT)], { limits: { completionTokenCountMax: 2 } }],
    ['a Close call', [call(COUNT)], {}],
    ['a Close call before any step', [], {}],
  ] as const)('ended by %s', async (_, actions, reset) => {
    const { play } = shared;
    expect(await check(await play(actions, reset))).toEqual({ kind: 'same' });
  });

  test('whose gold is in the record alone', async () => {
    const { play, taskFile } = await open(true);
    const trajectory = await play([answer(GOLD)]);
    rmSync(taskFile);
    expect(await check(trajectory)).toEqual({ kind: 'same' });
  });
});

describe('an episode that comes out otherwise', () => {
  test('names the step whose observation changed, the text of both, and the rewards that follow', async () => {
    const { play, change } = await open();
    const trajectory = await play([
      call(COUNT),
      call(GOLD),
      answer("SELECT 'Ann' UNION SELECT 'Cy'"),
    ]);
    change("UPDATE singer SET name = 'Eve' WHERE id = 3");
    const found = await check(trajectory);
    expect(differencesOf(found).slice(0, 1)).toEqual([[1, 'observation']]);
    expect(differencesOf(found)).toContainEqual([2, 'verdict']);
    expect(differencesOf(found)).toContainEqual([2, 'reward']);
    expect(found).toMatchObject({
      differences: expect.arrayContaining([
        {
          episodeId: trajectory.episode_id,
          stepIndex: 1,
          what: 'observation',
          recorded: '{"columns": ["name"], "rows": [["Ann"], ["Cy"]]}',
          now: '{"columns": ["name"], "rows": [["Ann"], ["Eve"]]}',
        },
      ]) as unknown,
    });
  });

  test('is found by every byte of what was recorded', async () => {
    const { play } = shared;
    const good = await play([call(COUNT), answer(GOLD)]);
    const [step, last] = good.steps;
    const [query] = step?.queries ?? [];
    if (!step || !last || !query || !good.grade) throw new Error('there is no step');
    const withStep = (changes: Partial<typeof step>): Trajectory => ({
      ...good,
      steps: [{ ...step, ...changes }, last],
    });
    const withGrade = (changes: Partial<NonNullable<Trajectory['grade']>>): Trajectory => ({
      ...good,
      grade: good.grade && { ...good.grade, ...changes },
    });
    const cases: readonly (readonly [Trajectory, number | undefined, string])[] = [
      [
        { ...good, messages: [{ role: 'user', content: 'x' }, ...good.messages.slice(1)] },
        undefined,
        'prompt',
      ],
      [withStep({ messages: [{ role: 'tool', content: '' }] }), 0, 'observation'],
      [withStep({ messages: [], queries: [] }), 0, 'observation'],
      [withStep({ ignored_call_count: 2 }), 0, 'ignored calls'],
      [withStep({ queries: [{ ...query, row_count: 9 }] }), 0, 'rows'],
      [withStep({ queries: [{ ...query, status: 'sql_error' }] }), 0, 'status'],
      [withStep({ queries: [{ ...query, capped: true }] }), 0, 'capped'],
      [withStep({ queries: [{ ...query, text_size: 1 }] }), 0, 'text size'],
      [withStep({ queries: [{ ...query, text_truncated: true }] }), 0, 'shortened'],
      [withStep({ queries: [{ ...query, sql: 'SELECT 2' }] }), 0, 'SQL that ran'],
      [withGrade({ verdict: 'mismatch' }), 1, 'verdict'],
      [withGrade({ reward: 0 }), 1, 'reward'],
      [withGrade({ matched: false }), 1, 'matched'],
      [withGrade({ flags: ['gold_tie'] }), 1, 'flags'],
      [withGrade({ answer_sql: 'x' }), 1, 'answer'],
      [withGrade({ gold_row_count: 9 }), 1, "gold's rows"],
      [{ ...good, grade: null }, 1, 'verdict'],
      [{ ...good, return: 0.5 }, 1, 'return'],
      [{ ...good, termination_reason: 'malformed_call' }, 1, 'end'],
      [{ ...good, end: 'truncated' }, 1, 'end'],
      [{ ...good, end: 'closed' }, 1, 'end'],
      [{ ...good, steps: [step] }, 0, 'end'],
      [
        {
          ...good,
          steps: [
            { ...last, step_index: 0 },
            { ...step, step_index: 1 },
          ],
        },
        0,
        'end',
      ],
    ];
    for (const [trajectory, stepIndex, what] of cases) {
      expect(differencesOf(await check(trajectory))).toContainEqual([stepIndex, what]);
    }
  });

  test('near a time limit says so, and does not compare the texts', async () => {
    const { play } = shared;
    const good = await play([call(COUNT), answer(GOLD)]);
    const [step, last] = good.steps;
    const [query] = step?.queries ?? [];
    if (!step || !last || !query) throw new Error('there is no step');
    const slow = { ...query, status: 'time_limit', time_limit: 'cpu', row_count: 0 };
    const text = '{"error": "query took too long: over 2000 ms of CPU time"}';
    const changed = {
      ...step,
      queries: [slow],
      messages: [{ role: 'tool', content: text } as const],
    };
    const found = await check({ ...good, steps: [changed, last] });
    expect(differencesOf(found)).toEqual([[0, 'time limit']]);
    expect(found).toMatchObject({
      differences: [
        {
          recorded: 'stopped by its cpu limit',
          now: 'ran (ok)',
          note: expect.stringContaining("machine's speed") as string,
        },
      ],
    });
  });

  test('whose answer ran into a time limit is one difference, whatever its verdict was', async () => {
    const { play } = shared;
    const good = await play([answer(GOLD)]);
    const query = good.grade?.answer_query;
    if (!good.grade || !query) throw new Error('there is no grade');
    const grade = {
      ...good.grade,
      verdict: 'answer_time_limit',
      matched: false,
      reward: 0,
      flags: ['wall_backstop'],
      answer_query: { ...query, status: 'time_limit', time_limit: 'wall' },
    };
    const found = await check({ ...good, grade, return: 0 });
    expect(differencesOf(found)).toEqual([[0, 'time limit']]);
  });

  test('a runaway query that is stopped both times is the same', async () => {
    const { play } = shared;
    const endless =
      'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c';
    const limits = { queryCpuMsMax: 50 };
    const trajectory = await play([call(endless), answer(endless)], { limits });
    expect(trajectory.grade?.verdict).toBe('answer_time_limit');
    expect(await check(trajectory)).toEqual({ kind: 'same' });
  });

  test('because a query is random says so', async () => {
    const { play } = shared;
    const good = await play([call('SELECT random()'), answer(GOLD)]);
    const found = await check(good);
    const [first] = found.kind === 'different' ? found.differences : [];
    expect(first).toMatchObject({
      stepIndex: 0,
      what: 'observation',
      note: 'the query reads the clock or a random function',
    });
  });
});

describe('without its gold', () => {
  const REASON = 'the gold is not known';

  test('an episode is played, and its reward is said to be unchecked', async () => {
    const { play, databases } = await open();
    const reset = {
      task: {
        kind: 'inline',
        taskId: 'mine',
        databaseId: 'db',
        question: 'Mine?',
        goldSql: GOLD,
      },
    } as const;
    const trajectory = await play([call(COUNT), answer(COUNT)], reset);
    const found = await check(trajectory, { databases });
    expect(found).toEqual({
      kind: 'same',
      unchecked: expect.stringContaining(REASON) as string,
    });
  });

  test('an observation that changed is found all the same', async () => {
    const { play, taskFile, change } = await open();
    const trajectory = await play([call(COUNT), answer(GOLD)]);
    rmSync(taskFile);
    change('DELETE FROM song WHERE id = 3');
    const found = await check(trajectory);
    expect(differencesOf(found)).toEqual([[0, 'observation']]);
    expect(found).toMatchObject({ unchecked: expect.stringContaining(REASON) as string });
  });

  test('an answer that fails by itself is checked', async () => {
    const { play, taskFile } = await open();
    const trajectory = await play([answer('SELECT nothing FROM singer')]);
    rmSync(taskFile);
    expect(await check(trajectory)).toEqual({ kind: 'same' });
  });

  test('an episode that had no answer has nothing unchecked', async () => {
    const { play, taskFile } = await open();
    const trajectory = await play([call(COUNT)]);
    rmSync(taskFile);
    expect(await check(trajectory)).toEqual({ kind: 'same' });
  });

  test('a task whose gold is another one now is not scored by it', async () => {
    const { play, taskFile } = await open();
    const trajectory = await play([answer(GOLD)]);
    const task = { task_id: 't/0', database_id: 'db', question: 'Q?', gold_sql: 'SELECT 1' };
    writeFileSync(taskFile, `${JSON.stringify(task)}\n`);
    expect(await check(trajectory)).toEqual({
      kind: 'same',
      unchecked: expect.stringContaining("the task's gold is another one now") as string,
    });
  });
});

describe('an episode that cannot be played', () => {
  test('says that its database file is missing', async () => {
    const { play, databases } = await open();
    const trajectory = await play([answer(GOLD)]);
    rmSync(databases, { recursive: true });
    const found = await check(trajectory);
    expect(found).toEqual({
      kind: 'unplayable',
      reason: expect.stringMatching(
        /^database db: the database file is missing: .*db\.sqlite$/,
      ) as string,
    });
  });

  test('says that nothing names its database', async () => {
    const { play } = shared;
    const trajectory = await play([answer(GOLD)]);
    const found = await check({ ...trajectory, catalog_sha256: 'a'.repeat(64) });
    expect(found).toMatchObject({
      kind: 'unplayable',
      reason: expect.stringContaining('give --spider DIR, --databases DIR') as string,
    });
  });

  test('does not leave its folder by a database id', async () => {
    const { play, databases } = await open();
    const trajectory = { ...(await play([answer(GOLD)])), database_id: '../../etc' };
    expect(await check(trajectory, { databases })).toMatchObject({ kind: 'unplayable' });
  });

  test('says that its gold does not run any more', async () => {
    const { play, change } = await open();
    const trajectory = await play([answer(COUNT)]);
    change('DROP TABLE singer');
    expect(await check(trajectory)).toMatchObject({
      kind: 'unplayable',
      reason: expect.stringContaining('the gold SQL of task t/0 does not run') as string,
    });
  });

  test('says that its comparison mode is unknown', async () => {
    const { play } = shared;
    const trajectory = await play([answer(GOLD)]);
    const score = { ...trajectory.score, comparison_mode: 'bag@9' };
    expect(await check({ ...trajectory, score })).toEqual({
      kind: 'unplayable',
      reason: "it was recorded with the comparison mode bag@9, which this version doesn't know",
    });
  });
});

test('a database that is not the recorded one is named once, by its hash', async () => {
  const { play, change, source } = await open();
  const trajectories = [await play([answer(GOLD)]), await play([answer(COUNT)])];
  change("INSERT INTO song VALUES (9, 9, 'Z')");
  const opened = await source();
  for (const trajectory of trajectories) await createReplayer(opened).check(trajectory, NEVER);
  expect(opened.warnings).toHaveLength(1);
  expect(opened.warnings[0]).toMatch(/^database db is not the recorded one: /);
});

test('a cancelled check rejects with the reason, and is no difference', async () => {
  const { play, source } = await open();
  const trajectory = await play([call(COUNT), answer(GOLD)]);
  const replayer = createReplayer(await source());
  const reason = new Error('enough');
  await expect(replayer.check(trajectory, AbortSignal.abort(reason))).rejects.toBe(reason);
});
