import Table from 'cli-table3';
import type { EpisodeSummary } from '../replay/ports.ts';
import { printable } from '../replay/printable.ts';
import { durationText } from '../replay/terminal/text/format.ts';
import { EXIT_OK } from './exit-codes.ts';
import { printText } from './print.ts';
import type { ReplayRun } from './replay-run.ts';

/** Prints the episodes as a table, or one JSON object a line; gives the exit code. */
export function runReplayList({ episodes, flags }: ReplayRun): number {
  if (flags.json === true) {
    const lines = episodes.map((episode) => `${JSON.stringify(jsonSummary(episode))}\n`);
    printText(lines.join(''));
  } else printText(printable(`${tableOf(episodes)}\n`));
  return EXIT_OK;
}

function tableOf(episodes: readonly EpisodeSummary[]): string {
  const table = new Table({
    head: ['#', 'episode', 'task', 'database', 'verdict', 'reward', 'steps', 'flags', 'took'],
    colAligns: ['right', 'left', 'left', 'left', 'left', 'right', 'right', 'left', 'right'],
    style: { head: [], border: [] },
  });
  for (const episode of episodes) {
    const { verdict, end, reward, parentId } = episode;
    table.push([
      ...[episode.index, episode.episodeId, episode.taskId, episode.databaseId],
      ...[verdict === '' ? `(${end})` : verdict, reward ?? '', episode.stepCount],
      [...episode.flags, ...(parentId === undefined ? [] : ['fork'])].join('\n'),
      durationText(episode.durationMs),
    ]);
  }
  return table.toString();
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
