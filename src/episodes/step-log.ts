import type { StepOutcome } from '../../env/episode.ts';
import type { Log } from '../logger.ts';

/** Logs one line for a step: ids, how its queries went and how long it took, but no text of anybody. */
export function logStep(log: Log, episodeId: string, outcome: StepOutcome, stepMs: number): void {
  const { stepIndex, queries, grade, reward } = outcome;
  const all = grade?.answerQuery === undefined ? queries : [...queries, grade.answerQuery];
  log.info(
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
