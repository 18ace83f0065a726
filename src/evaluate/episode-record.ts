import { z } from 'zod';

const Query = z.object({ status: z.string(), sql: z.string(), row_count: z.number() });

/** Label under which an episode that `evaluate --policy` has played says which attempt at its task it is. */
export const ATTEMPT_LABEL = 'evaluate_attempt';

/** What evaluation reads of a recorded trajectory (`docs/trajectories.md`); other keys don't matter. */
export const EpisodeRecordSchema = z.object({
  version: z.literal(1),
  episode_id: z.string(),
  task_id: z.string(),
  database_id: z.string(),
  gold_sha256: z.string(),
  labels: z.record(z.string(), z.string()).default({}),
  steps: z.array(z.object({ queries: z.array(Query) })),
  end: z.string(),
  termination_reason: z.string(),
  truncation_reason: z.string(),
  return: z.number(),
  completion_token_count: z.number(),
  grade: z.object({ verdict: z.string(), answer_sql: z.string() }).nullable(),
});

/** A recorded trajectory, as far as evaluation reads it. */
export type EpisodeRecord = Readonly<z.infer<typeof EpisodeRecordSchema>>;
