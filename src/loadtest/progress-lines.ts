import { formatMs, significant } from './format.ts';
import type { LoadProgress } from './outcome.ts';

/** What the load will be, as far as it is known. */
export interface ProgressGoal {
  /** Undefined if only time bounds it. */
  readonly batchCount: number | undefined;
  readonly seconds: number | undefined;
}

const BAR_SIZE = 30;

/** The live display: some lines that replace each other. */
export function liveLines(progress: LoadProgress, goal: ProgressGoal): string[] {
  const { openCount, errorCount, lostCount, wrongCount } = progress;
  return [
    headOf(progress, goal),
    `  ${significant(progress.episodesPerS)} episodes/s   ${significant(progress.stepsPerS)} steps/s   ${openCount} under way`,
    `  step p50 ${formatMs(progress.stepP50Ms)}   p99 ${formatMs(progress.stepP99Ms)}   (all that was measured)`,
    `  ${errorCount} calls failed   ${lostCount} episodes lost   ${wrongCount} rewards wrong`,
  ];
}

/** The same on one line, for logs. */
export function plainLine(progress: LoadProgress, goal: ProgressGoal): string {
  const { episodeCount, errorCount, wrongCount, openCount } = progress;
  const batches = goal.batchCount === undefined ? '' : ` of ${goal.batchCount}`;
  return [
    `${(progress.elapsedMs / 1_000).toFixed(1)} s`,
    progress.isWarmup ? 'warm-up' : `batch ${progress.batchCount}${batches}`,
    `${episodeCount} episodes (${openCount} under way)`,
    `${significant(progress.episodesPerS)} episodes/s`,
    `${significant(progress.stepsPerS)} steps/s`,
    `p50 ${formatMs(progress.stepP50Ms)} p99 ${formatMs(progress.stepP99Ms)}`,
    `${errorCount} failed, ${wrongCount} wrong`,
  ].join(', ');
}

function headOf(progress: LoadProgress, { batchCount, seconds }: ProgressGoal): string {
  const elapsed = `${(progress.elapsedMs / 1_000).toFixed(1)} s`;
  if (progress.isWarmup) return `warming up   ${elapsed}`;
  const what = `${progress.batchCount}${batchCount === undefined ? '' : `/${batchCount}`} batches`;
  const shares = [
    ...(batchCount === undefined ? [] : [progress.batchCount / batchCount]),
    ...(seconds === undefined ? [] : [progress.elapsedMs / 1_000 / seconds]),
  ];
  const filled = Math.round(Math.min(1, Math.max(0, ...shares)) * BAR_SIZE);
  const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_SIZE - filled)}`;
  return `measuring ${bar} ${what}, ${progress.episodeCount} episodes, ${elapsed}`;
}
