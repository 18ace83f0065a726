import { randomUUID } from 'node:crypto';
import type { StepResponse__Output } from '../generated/sqlenv/v1/StepResponse.ts';
import type { Task__Output } from '../generated/sqlenv/v1/Task.ts';
import type { SqlenvClient } from '../rpc/client.ts';
import { scriptOf, type PolicyName } from './policies.ts';

/** The shape of one training step: prompts, rollouts of each, and how many run side by side. */
export interface BatchOptions {
  readonly taskCount: number;
  readonly rolloutCount: number;
  /** Limits of one query, milliseconds: the runaways take all of it. */
  readonly queryMsMax: number;
  readonly onProgress?: (episodeCount: number, totalCount: number) => void;
}

/** One episode that was played. Times are in milliseconds. */
export interface EpisodePlayed {
  readonly policy: PolicyName;
  readonly reward: number;
  /** `match`, `mismatch`, ... */
  readonly verdict: string;
  readonly stepMs: readonly number[];
  readonly resetMs: number;
}

/** A whole batch. */
export interface BatchPlayed {
  readonly episodes: readonly EpisodePlayed[];
  readonly wallMs: number;
  readonly stepCount: number;
}

/** Plays a batch as a trainer does: all episodes at once. Throws `CallError` if any call fails. */
export async function playBatch(client: SqlenvClient, options: BatchOptions): Promise<BatchPlayed> {
  const { tasks } = await client.listTasks({
    pageSize: options.taskCount,
    split: 'train',
    includeGold: true,
  });
  const tables = await firstTables(client, tasks);
  const totalCount = tasks.length * options.rolloutCount;
  let finishedCount = 0;
  const start = performance.now();
  const episodes = await Promise.all(
    tasks.flatMap((task, taskIndex) =>
      Array.from({ length: options.rolloutCount }, async (_, rolloutIndex) => {
        const tableName = tables.get(task.databaseId) ?? 'sqlite_master';
        const script = scriptOf({ goldSql: task.goldSql, tableName }, taskIndex, rolloutIndex);
        const episode = await playEpisode(client, task, script, options);
        finishedCount += 1;
        options.onProgress?.(finishedCount, totalCount);
        return episode;
      }),
    ),
  );
  const stepCount = episodes.reduce((sum, episode) => sum + episode.stepMs.length, 0);
  return { episodes, wallMs: performance.now() - start, stepCount };
}

async function playEpisode(
  client: SqlenvClient,
  task: Task__Output,
  script: ReturnType<typeof scriptOf>,
  options: BatchOptions,
): Promise<EpisodePlayed> {
  const episodeId = `demo/${randomUUID()}`;
  const limits = { queryCpuMsMax: options.queryMsMax, queryWallMsMax: options.queryMsMax };
  const resetStart = performance.now();
  await client.reset({ episodeId, taskId: task.taskId, groupId: task.taskId, limits });
  const resetMs = performance.now() - resetStart;
  const stepMs: number[] = [];
  let last: StepResponse__Output | undefined;
  for (const [stepIndex, assistantText] of script.turns.entries()) {
    const start = performance.now();
    last = await client.step({ episodeId, stepIndex, assistantText });
    stepMs.push(performance.now() - start);
    if (last.terminated || last.truncated) break;
  }
  return {
    policy: script.policy,
    reward: last?.episodeReturn ?? 0,
    verdict: (last?.grade?.verdict ?? 'VERDICT_UNSPECIFIED').replace('VERDICT_', '').toLowerCase(),
    stepMs,
    resetMs,
  };
}

/** A table of each database, for policies that read or attack one. */
async function firstTables(
  client: SqlenvClient,
  tasks: readonly Task__Output[],
): Promise<Map<string, string>> {
  const tables = new Map<string, string>();
  for (const databaseId of new Set(tasks.map((task) => task.databaseId))) {
    const query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT 1";
    const { message } = await client.runSql({ databaseId, query });
    const { rows } = JSON.parse(message?.content ?? '{"rows": []}') as { rows: string[][] };
    tables.set(databaseId, rows[0]?.[0] ?? 'sqlite_master');
  }
  return tables;
}
