import type { EpisodeSummary } from '../replay/ports.ts';
import { episodeTable } from './episode-table.ts';
import { EXIT_OK } from './exit-codes.ts';
import { printLines } from './print.ts';
import type { ReplayRun } from './replay-run.ts';

/** Prints the episodes as a table, or one JSON object a line, as fast as they are read; gives the exit code. */
export async function runReplayList({ episodes, flags }: ReplayRun): Promise<number> {
  const { isTTY, columns } = process.stdout;
  await printLines(
    flags.json === true ? jsonLines(episodes) : episodeTable(episodes, isTTY ? columns : undefined),
  );
  return EXIT_OK;
}

function* jsonLines(episodes: readonly EpisodeSummary[]): Generator<string> {
  for (const episode of episodes) yield JSON.stringify(jsonSummary(episode));
}

/** Keys as in the record where it has them. */
function jsonSummary(episode: EpisodeSummary): Readonly<Record<string, unknown>> {
  return {
    index: episode.index,
    episode_id: episode.episodeId,
    task_id: episode.taskId,
    database_id: episode.databaseId,
    question: episode.question,
    group_id: episode.groupId,
    split: episode.split,
    difficulty: episode.difficulty,
    mode: episode.mode,
    end: episode.end,
    end_reason: episode.endReason,
    verdict: episode.verdict === '' ? null : episode.verdict,
    reward: episode.reward ?? null,
    step_count: episode.stepCount,
    tool_call_count: episode.toolCallCount,
    flags: episode.flags,
    truncated_count: episode.truncatedCount,
    failed_query_count: episode.failedQueryCount,
    comparison_mode: episode.comparisonMode,
    completion_token_count: episode.completionTokenCount,
    started_at: new Date(episode.startedMs).toISOString(),
    duration_ms: episode.durationMs,
    sqlite_version: episode.sqliteVersion,
    catalog_sha256: episode.catalogSha256,
    parent_id: episode.parentId ?? null,
  };
}
