import { z } from 'zod';
import type { Trajectory } from '../../env/trajectory.ts';

/** A line of a trajectory file: the record of an episode, or why it is none. */
export type TrajectoryRead =
  | { readonly kind: 'trajectory'; readonly trajectory: Trajectory }
  | { readonly kind: 'problem'; readonly message: string };

const Count = z.int().nonnegative();
const Milliseconds = z.number().nonnegative();
const Sha256 = z.string().regex(/^[0-9a-f]{64}$/, 'it must be a SHA-256 in lower-case hex');
const Instant = z
  .string()
  .regex(
    /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/,
    'it must be a time like 2026-01-31T23:59:59.999Z',
  );

const MessageSchema = z.looseObject({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: z.string(),
});

const QuerySchema = z.looseObject({
  status: z.string(),
  sql: z.string(),
  row_count: Count,
  capped: z.boolean(),
  text_truncated: z.boolean(),
  text_size: Count,
  query_cpu_us: Count,
  query_us: Count,
  queue_us: Count,
  time_limit: z.string(),
});

const ActionSchema = z.discriminatedUnion('kind', [
  z.looseObject({ kind: z.literal('assistant_text'), text: z.string() }),
  z.looseObject({ kind: z.literal('tool_call'), name: z.string(), arguments_json: z.string() }),
  z.looseObject({ kind: z.literal('final_text'), text: z.string() }),
]);

const StepSchema = z.looseObject({
  step_index: Count,
  action: ActionSchema,
  completion_token_count: Count,
  messages: z.array(MessageSchema),
  queries: z.array(QuerySchema),
  reward: z.number(),
  ignored_call_count: Count,
  started_ms: Milliseconds,
  step_ms: Milliseconds,
});

const GradeSchema = z.looseObject({
  comparison_mode: z.string(),
  verdict: z.string(),
  matched: z.boolean(),
  reward: z.number(),
  flags: z.array(z.string()),
  answer_sql: z.string(),
  error_text: z.string(),
  answer_query: QuerySchema.nullable(),
  gold_row_count: Count,
});

const LimitsSchema = z.looseObject({
  step_count_max: Count,
  invalid_call_count_max: Count,
  parallel_call_count_max: Count,
  completion_token_count_max: Count,
  query_cpu_ms_max: Count,
  query_wall_ms_max: Count,
  row_count_max: Count,
  cell_bytes_max: Count,
  result_bytes_max: Count,
});

/** A trajectory of version 1. Unknown keys are allowed: newer servers of the same version may write more. */
export const TrajectorySchema: z.ZodType<Trajectory> = z.looseObject({
  version: z.literal(1),
  parent: z.looseObject({ episode_id: z.string(), step_index: Count }).exactOptional(),
  episode_id: z.string(),
  task_id: z.string(),
  database_id: z.string(),
  question: z.string(),
  split: z.string(),
  difficulty: z.string(),
  gold_sha256: Sha256,
  gold_sql: z.string().exactOptional(),
  inline_task: z.boolean(),
  group_id: z.string(),
  labels: z.record(z.string(), z.string()),
  mode: z.enum(['train', 'eval']),
  server_version: z.string(),
  engine: z.looseObject({ sqlite_version: z.string(), engine_sha256: Sha256 }),
  catalog_sha256: Sha256,
  limits: LimitsSchema,
  observation: z.looseObject({
    text_size_max: Count,
    truncate_side: z.enum(['middle', 'left', 'right']),
  }),
  score: z.looseObject({
    comparison_mode: z.string(),
    guard: z.enum(['flag', 'strict']),
    scope: z.enum(['last_turn', 'transcript']),
    fallback: z.enum(['statement', 'none']),
  }),
  prompt_style: z.string(),
  on_malformed: z.string(),
  messages: z.array(MessageSchema),
  steps: z.array(StepSchema),
  end: z.enum(['terminated', 'truncated', 'closed', 'expired', 'abandoned']),
  termination_reason: z.string(),
  truncation_reason: z.string(),
  return: z.number(),
  completion_token_count: Count,
  grade: GradeSchema.nullable(),
  started_at: Instant,
  ended_at: Instant,
});

/** Reads one line of a trajectory file. Its problem is for the user, and names the key that is wrong. */
export function readTrajectory(line: string): TrajectoryRead {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return problem(`it is not JSON (${(error as Error).message.slice(0, 120)})`);
  }
  return checkTrajectory(value);
}

/** Checks a parsed line: the whole schema, and that its steps are in order. The record is the value itself, keys in their order. */
export function checkTrajectory(value: unknown): TrajectoryRead {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return problem('it is JSON, but not an object');
  }
  const { version } = value as { version?: unknown };
  if (version === undefined) return problem('it is no trajectory: it has no version');
  if (typeof version === 'number' && Number.isInteger(version) && version > 1) {
    return problem(`it is a trajectory of version ${version}, written by a newer sqlenv`);
  }
  if (version !== 1) return problem('it is no trajectory: its version is not 1');
  const parsed = TrajectorySchema.safeParse(value);
  if (!parsed.success) return problem(describeIssue(value, parsed.error.issues));
  const trajectory = value as Trajectory;
  const misplaced = trajectory.steps.findIndex((step, index) => step.step_index !== index);
  if (misplaced === -1) return { kind: 'trajectory', trajectory };
  return problem(`steps.${misplaced}.step_index: steps must count from 0 without gaps`);
}

function problem(message: string): TrajectoryRead {
  return { kind: 'problem', message };
}

/** The first issue, and how many there are. */
function describeIssue(value: object, issues: readonly z.core.$ZodIssue[]): string {
  const [issue] = issues;
  if (issue === undefined) return 'it is no trajectory';
  const key = issue.path.join('.');
  const what = valueAt(value, issue.path) === undefined ? 'it is missing' : issue.message;
  const rest = issues.length - 1;
  const others = rest === 0 ? '' : ` (and ${rest} more ${rest === 1 ? 'key' : 'keys'})`;
  return `it is no trajectory of version 1: ${key}: ${what}${others}`;
}

function valueAt(value: unknown, keys: readonly PropertyKey[]): unknown {
  let inner = value;
  for (const key of keys) {
    if (typeof inner !== 'object' || inner === null) return undefined;
    inner = (inner as Record<PropertyKey, unknown>)[key];
  }
  return inner;
}
