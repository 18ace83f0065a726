import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { groupEpisodes } from '../../src/replay/group-episodes.ts';
import type { EpisodeSummary } from '../../src/replay/ports.ts';
import { SORT_COLUMNS, sortEpisodes } from '../../src/replay/sort-episodes.ts';
import { statisticsOf } from '../../src/replay/statistics.ts';
import { summary } from '../support/episode-summary.ts';

const episodes = (...changes: Partial<EpisodeSummary>[]): EpisodeSummary[] =>
  changes.map((change, index) => summary({ index, ...change }));

const some = fc
  .array(
    fc.record({
      taskId: fc.constantFrom('t/1', 't/2', 't/10'),
      groupId: fc.constantFrom('', 'a', 'b'),
      reward: fc.constantFrom(0, 1, undefined),
      difficulty: fc.constantFrom('', 'easy', 'extra', 'odd'),
      stepCount: fc.nat(5),
      stepMsMax: fc.double({ min: 0, max: 1_000, noNaN: true }),
      flags: fc.subarray(['both_empty', 'gold_tie']),
    }),
    { maxLength: 30 },
  )
  .map((changes) => episodes(...changes));

describe('sorting', () => {
  const order = (
    column: Parameters<typeof sortEpisodes>[1],
    descending: boolean,
    list: EpisodeSummary[],
  ) => sortEpisodes(list, column, descending).map((episode) => episode.index);

  test('numbers in names count as numbers', () => {
    const list = episodes({ taskId: 't/10' }, { taskId: 't/9' }, { taskId: 't/2' });
    expect(order('task', false, list)).toEqual([2, 1, 0]);
    expect(order('task', true, list)).toEqual([0, 1, 2]);
  });

  test('episodes without a value come last both ways', () => {
    const list = episodes({ reward: undefined }, { reward: 1 }, { reward: 0 });
    expect(order('reward', false, list)).toEqual([2, 1, 0]);
    expect(order('reward', true, list)).toEqual([1, 2, 0]);
  });

  test('equal ones keep their order both ways, and the list itself stays as it is', () => {
    const list = episodes({ stepCount: 1 }, { stepCount: 1 }, { stepCount: 2 });
    expect(order('steps', true, list)).toEqual([2, 0, 1]);
    expect(order('steps', false, list)).toEqual([0, 1, 2]);
    expect(list.map((episode) => episode.index)).toEqual([0, 1, 2]);
  });

  test('every column sorts, both ways, and loses nothing', () => {
    fc.assert(
      fc.property(some, fc.constantFrom(...SORT_COLUMNS), fc.boolean(), (list, column, down) => {
        const sorted = sortEpisodes(list, column, down);
        expect(new Set(sorted)).toEqual(new Set(list));
        expect(sortEpisodes(list.toReversed(), column, down)).toEqual(sorted);
      }),
    );
  });
});

describe('grouping', () => {
  test('rollouts of one task that share a group are together', () => {
    const groups = groupEpisodes(
      episodes(
        { groupId: 'g', taskId: 'a', reward: 1 },
        { groupId: 'g', taskId: 'b', reward: 0 },
        { groupId: 'g', taskId: 'a', reward: 0 },
        { groupId: '', taskId: 'b', reward: 1 },
        { groupId: '', taskId: 'b', reward: undefined },
        { groupId: 'h', taskId: 'c', reward: undefined },
      ),
    );
    expect(
      groups.map((group) => [
        group.groupId,
        group.taskId,
        group.episodes.map((episode) => episode.index),
        group.gradedCount,
        group.rewardMean,
        group.spread,
      ]),
    ).toEqual([
      ['g', 'a', [0, 2], 2, 0.5, 'mixed'],
      ['g', 'b', [1], 1, 0, 'all_wrong'],
      ['', 'b', [3, 4], 1, 1, 'all_right'],
      ['h', 'c', [5], 0, undefined, 'ungraded'],
    ]);
  });

  test('every episode is in one group, and keys are unique', () => {
    fc.assert(
      fc.property(some, (list) => {
        const groups = groupEpisodes(list);
        expect(new Set(groups.flatMap((group) => group.episodes))).toEqual(new Set(list));
        expect(new Set(groups.map((group) => group.key)).size).toBe(groups.length);
      }),
    );
  });
});

describe('statistics', () => {
  test('of no episodes are empty, not NaN', () => {
    expect(statisticsOf([])).toEqual({
      episodeCount: 0,
      gradedCount: 0,
      rewardMean: undefined,
      byDatabase: [],
      byDifficulty: [],
      verdicts: [],
      ends: [],
      flags: [],
      stepCounts: [],
      toolMessageCount: 0,
      truncatedMessageCount: 0,
      truncatedShare: undefined,
      failedQueryCount: 0,
      completionTokenCount: 0,
      stepMs: undefined,
      durationMs: undefined,
    });
  });

  test('of a few episodes are what one counts by hand', () => {
    const list = episodes(
      { databaseId: 'b', difficulty: 'extra', reward: 1, toolCallCount: 3, truncatedCount: 1 },
      {
        databaseId: 'a',
        difficulty: '',
        reward: 0,
        verdict: 'mismatch',
        stepCount: 4,
        flags: ['x'],
      },
      { databaseId: 'b', difficulty: 'easy', reward: undefined, verdict: '', end: 'closed' },
      { databaseId: 'b', difficulty: 'easy', reward: 0, verdict: 'mismatch', flags: ['x', 'y'] },
    );
    expect(statisticsOf(list)).toMatchObject({
      episodeCount: 4,
      gradedCount: 3,
      rewardMean: 1 / 3,
      byDatabase: [
        { name: 'a', episodeCount: 1, gradedCount: 1, rewardMean: 0 },
        { name: 'b', episodeCount: 3, gradedCount: 2, rewardMean: 0.5 },
      ],
      byDifficulty: [{ name: 'easy', rewardMean: 0 }, { name: 'extra' }, { name: '' }],
      verdicts: [
        { name: 'mismatch', count: 2 },
        { name: '', count: 1 },
        { name: 'match', count: 1 },
      ],
      ends: [
        { name: 'terminated', count: 3 },
        { name: 'closed', count: 1 },
      ],
      flags: [
        { name: 'x', count: 2 },
        { name: 'y', count: 1 },
      ],
      stepCounts: [
        { stepCount: 0, episodeCount: 0 },
        { stepCount: 1, episodeCount: 0 },
        { stepCount: 2, episodeCount: 3 },
        { stepCount: 3, episodeCount: 0 },
        { stepCount: 4, episodeCount: 1 },
      ],
      toolMessageCount: 6,
      truncatedMessageCount: 1,
      truncatedShare: 1 / 6,
    });
  });

  test('quantiles are values that are there', () => {
    const list = Array.from({ length: 200 }, (_, index) =>
      summary({ index, durationMs: 200 - index }),
    );
    expect(statisticsOf(list).durationMs).toEqual({ p50: 100, p90: 180, p99: 198, max: 200 });
    expect(statisticsOf(list.slice(0, 1)).durationMs).toEqual({
      p50: 200,
      p90: 200,
      p99: 200,
      max: 200,
    });
  });

  test('an episode of a million steps makes no million bars', () => {
    const { stepCounts } = statisticsOf(episodes({ stepCount: 1_000_000 }, { stepCount: 0 }));
    expect(stepCounts.length).toBe(201);
    expect(stepCounts.at(-1)).toEqual({ stepCount: 200, episodeCount: 1 });
  });

  test('the parts add up to the whole', () => {
    fc.assert(
      fc.property(some, (list) => {
        const figures = statisticsOf(list);
        const sum = (counts: readonly { readonly episodeCount: number }[]): number =>
          counts.reduce((total, { episodeCount }) => total + episodeCount, 0);
        for (const part of [figures.byDatabase, figures.byDifficulty, figures.stepCounts]) {
          expect(sum(part)).toBe(list.length);
        }
        const graded = list.flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
        expect(figures.gradedCount).toBe(graded.length);
      }),
    );
  });
});

describe('bug: a fork that a person saved counted among the rollouts of the run', () => {
  const list = episodes(
    { groupId: 'g', reward: 0 },
    { groupId: 'g', reward: 0 },
    { groupId: 'g', reward: 1, parentId: 'e/1' },
  );

  test('groups and means are without it', () => {
    expect(groupEpisodes(list)).toMatchObject([{ rewardMean: 0, spread: 'all_wrong' }]);
    expect(groupEpisodes(list)[0]?.episodes.map(({ index }) => index)).toEqual([0, 1]);
    expect(statisticsOf(list)).toMatchObject({ episodeCount: 2, gradedCount: 2, rewardMean: 0 });
  });

  test('forks alone, as `fork:yes` gives them, are counted', () => {
    const forks = list.slice(2);
    expect(groupEpisodes(forks)).toMatchObject([{ rewardMean: 1, spread: 'all_right' }]);
    expect(statisticsOf(forks)).toMatchObject({ episodeCount: 1, rewardMean: 1 });
  });
});
