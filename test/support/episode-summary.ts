import type { EpisodeSummary } from '../../src/replay/ports.ts';

/** A summary of an episode with a right answer, as far as nothing else is said. */
export function summary(changes: Partial<EpisodeSummary> = {}): EpisodeSummary {
  return {
    index: 0,
    episodeId: 'e/1',
    taskId: 'spider/dev/17',
    databaseId: 'concert_singer',
    question: 'How many singers are there?',
    groupId: 'g/1',
    split: 'dev',
    difficulty: 'easy',
    mode: 'train',
    end: 'terminated',
    endReason: 'answer',
    verdict: 'match',
    reward: 1,
    stepCount: 2,
    toolCallCount: 1,
    flags: [],
    truncatedCount: 0,
    failedQueryCount: 0,
    comparisonMode: 'bag@1',
    completionTokenCount: 120,
    startedMs: 1_700_000_000_000,
    durationMs: 900,
    stepMsMax: 12.5,
    sqliteVersion: '3.53.2',
    catalogSha256: 'c'.repeat(64),
    parentId: undefined,
    ...changes,
  };
}
