import type { StepOutcome } from '../../env/episode.ts';
import type { Log } from '../logger.ts';

/**
 * Logs one line for a step, at the level debug: ids, how its queries went and how long it took, but no text of anybody. Making and
 * writing it takes a tenth of what a step costs the main thread; the line at an episode's end is there without it.
 */
export function logStep(log: Log, episodeId: string, outcome: StepOutcome, stepMs: number): void {
  if (log.isLevelEnabled?.('debug') === false) return;
  const { stepIndex, queries, grade, reward } = outcome;
  const all = grade?.answerQuery === undefined ? queries : [...queries, grade.answerQuery];
  log.debug(
    {
      episodeId,
      stepIndex,
      queryStatus: all.map((query) => query.status).join(','),
      queryUs: sum(all.map((query) => query.queryUs)),
      queueUs: sum(all.map((query) => query.queueUs)),
      stepMs: Math.round(stepMs * 1_000) / 1_000,
      ...(grade === undefined ? {} : { verdict: grade.verdict, reward }),
      ...(outcome.truncationReason && { truncationReason: outcome.truncationReason }),
    },
    'step',
  );
}

function sum(values: readonly number[]): number {
  return Math.round(values.reduce((total, value) => total + value, 0));
}
