import Table from 'cli-table3';
import type { InputProblem } from '../tasks/task-set.ts';
import type { EpisodeSummary } from './ports.ts';
import { counted } from './terminal/text/format.ts';
import type { Rescored } from './replayer.ts';

/** A graded episode, scored anew. */
export interface RescoredEpisode {
  readonly summary: EpisodeSummary;
  readonly recorded: { readonly verdict: string; readonly reward: number };
  /** Why it could not be scored, or how it came out. */
  readonly outcome: Rescored | string;
}

/** All that was scored anew under one mode. */
export interface RescoreReport {
  readonly mode: string;
  readonly rescored: readonly RescoredEpisode[];
  /** Episodes without a graded answer. */
  readonly ungradedCount: number;
  readonly problems: readonly InputProblem[];
}

/** An episode whose reward is another one under the mode. */
interface Flip {
  readonly summary: EpisodeSummary;
  readonly own: Rescored['own'];
  readonly other: Rescored['other'];
}

const SHOWN_FLIP_COUNT = 50;
const SHOWN_REASON_COUNT = 10;

/** Whether every graded episode could be scored. */
export function isComplete({ rescored, problems }: RescoreReport): boolean {
  return problems.length === 0 && rescored.every(({ outcome }) => typeof outcome !== 'string');
}

/** The report for people. */
export function textRescore(report: RescoreReport): string {
  const { mode, rescored, ungradedCount } = report;
  const { gained, lost } = flipsOf(report);
  const unscored = rescored.filter(({ outcome }) => typeof outcome === 'string');
  const lines = [
    `${counted(rescored.length, 'graded episode')} under ${mode}`,
    `  unchanged ${String(rescored.length - unscored.length - gained.length - lost.length).padStart(7)}`,
    `  gained    ${String(gained.length).padStart(7)}  right under ${mode}, and were wrong`,
    `  lost      ${String(lost.length).padStart(7)}  wrong under ${mode}, and were right`,
  ];
  if (unscored.length > 0) lines.push(`  unscored  ${String(unscored.length).padStart(7)}`);
  if (ungradedCount > 0) lines.push(`${ungradedCount} more have no graded answer`);
  const changed = changedCount(report);
  if (changed > 0) {
    lines.push(
      `${changed} come out otherwise than recorded under their own mode, too: see --check; flips are counted as of now`,
    );
  }
  const flips = [...gained, ...lost];
  if (flips.length > 0) lines.push('', tableOf(flips.slice(0, SHOWN_FLIP_COUNT)));
  if (flips.length > SHOWN_FLIP_COUNT) {
    lines.push(`... and ${flips.length - SHOWN_FLIP_COUNT} more; --json lists them all`);
  }
  for (const { summary, outcome } of unscored.slice(0, SHOWN_REASON_COUNT)) {
    if (typeof outcome === 'string') lines.push(`unscored: ${summary.episodeId}: ${outcome}`);
  }
  const rest = unscored.length - SHOWN_REASON_COUNT;
  if (rest > 0) lines.push(`... and ${rest} more unscored`);
  return `${lines.join('\n')}\n`;
}

/** The report for programs. */
export function jsonRescore(report: RescoreReport): unknown {
  const { gained, lost } = flipsOf(report);
  const unscored = report.rescored.flatMap(({ summary, outcome }) =>
    typeof outcome === 'string' ? [{ episode_id: summary.episodeId, reason: outcome }] : [],
  );
  return {
    mode: report.mode,
    graded_count: report.rescored.length,
    ungraded_count: report.ungradedCount,
    gained_count: gained.length,
    lost_count: lost.length,
    changed_since_record_count: changedCount(report),
    flips: [...gained, ...lost].map(({ summary, own, other }) => ({
      episode_id: summary.episodeId,
      task_id: summary.taskId,
      database_id: summary.databaseId,
      own_mode: summary.comparisonMode,
      own_verdict: own.verdict,
      own_reward: own.reward,
      verdict: other.verdict,
      reward: other.reward,
    })),
    unscored,
    problems: report.problems,
  };
}

function flipsOf({ rescored }: RescoreReport): { gained: Flip[]; lost: Flip[] } {
  const flips = rescored.flatMap(({ summary, outcome }): Flip[] =>
    typeof outcome !== 'string' && outcome.own.reward !== outcome.other.reward
      ? [{ summary, ...outcome }]
      : [],
  );
  return {
    gained: flips.filter(({ own, other }) => other.reward > own.reward),
    lost: flips.filter(({ own, other }) => other.reward < own.reward),
  };
}

function changedCount({ rescored }: RescoreReport): number {
  return rescored.filter(
    ({ outcome, recorded }) =>
      typeof outcome !== 'string' &&
      (outcome.own.verdict !== recorded.verdict || outcome.own.reward !== recorded.reward),
  ).length;
}

function tableOf(flips: readonly Flip[]): string {
  const table = new Table({
    head: ['episode', 'task', 'mode', 'verdict', 'reward', 'now', 'reward'],
    style: { head: [], border: [] },
  });
  for (const { summary, own, other } of flips) {
    const { episodeId, taskId, comparisonMode } = summary;
    const rewards = [own.reward, other.reward].map(String);
    table.push([
      ...[episodeId, taskId, comparisonMode, own.verdict, rewards[0]],
      ...[other.verdict, rewards[1]],
    ]);
  }
  return table.toString();
}
