import type { AnswerFallback, AnswerScope, RewardGuard } from './grade.ts';
import type { TruncateSide } from './query.ts';
import type { Message } from './task.ts';

/** Version of the format that this server writes. A change that breaks a reader is a new number. */
export const TRAJECTORY_VERSION = 1;

/** What ended an episode: the task, a limit, a Close call, its lease, or the server's shutdown. */
export type TrajectoryEnd = 'terminated' | 'truncated' | 'closed' | 'expired' | 'abandoned';

/** What is known of one query, keys as in the proto's `QueryInfo`. Times are in microseconds. */
export interface TrajectoryQuery {
  readonly status: string;
  readonly sql: string;
  readonly row_count: number;
  readonly capped: boolean;
  readonly text_truncated: boolean;
  readonly text_size: number;
  readonly query_cpu_us: number;
  readonly query_us: number;
  readonly queue_us: number;
  readonly time_limit: string;
}

/** The action of one step, as the trainer sent it. */
export type TrajectoryAction =
  | { readonly kind: 'assistant_text'; readonly text: string }
  | { readonly kind: 'tool_call'; readonly name: string; readonly arguments_json: string }
  | { readonly kind: 'final_text'; readonly text: string };

/** One step. */
export interface TrajectoryStep {
  readonly step_index: number;
  readonly action: TrajectoryAction;
  /** Completion tokens of this step, as the trainer counted them. */
  readonly completion_token_count: number;
  /** What the model read next. */
  readonly messages: readonly Message[];
  /** One for each of `messages`. */
  readonly queries: readonly TrajectoryQuery[];
  readonly reward: number;
  /** Tool calls of the turn that were dropped or ignored. */
  readonly ignored_call_count: number;
  /** Milliseconds from the episode's start to the arrival of the step. */
  readonly started_ms: number;
  /** Milliseconds that the step took in the server. */
  readonly step_ms: number;
}

/** The verdict on the final answer. */
export interface TrajectoryGrade {
  readonly comparison_mode: string;
  readonly verdict: string;
  readonly matched: boolean;
  readonly reward: number;
  readonly flags: readonly string[];
  readonly answer_sql: string;
  readonly error_text: string;
  readonly answer_query: TrajectoryQuery | null;
  readonly gold_row_count: number;
}

/** Limits in force, keys as in the proto's `Limits`. */
export interface TrajectoryLimits {
  readonly step_count_max: number;
  readonly invalid_call_count_max: number;
  readonly parallel_call_count_max: number;
  readonly completion_token_count_max: number;
  readonly query_cpu_ms_max: number;
  readonly query_wall_ms_max: number;
  readonly row_count_max: number;
  readonly cell_bytes_max: number;
  readonly result_bytes_max: number;
}

/** The record of one episode: one line of a trajectory file. */
export interface Trajectory {
  readonly version: typeof TRAJECTORY_VERSION;
  readonly episode_id: string;
  readonly task_id: string;
  readonly database_id: string;
  readonly question: string;
  readonly split: string;
  readonly difficulty: string;
  /** SHA-256 of the gold SQL's UTF-8 bytes. */
  readonly gold_sha256: string;
  /** Only if the server was told to record it. */
  readonly gold_sql?: string;
  /** True if the caller brought the task along. */
  readonly inline_task: boolean;
  readonly group_id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly mode: 'train' | 'eval';
  readonly server_version: string;
  readonly engine: { readonly sqlite_version: string; readonly engine_sha256: string };
  readonly catalog_sha256: string;
  readonly limits: TrajectoryLimits;
  readonly observation: { readonly text_size_max: number; readonly truncate_side: TruncateSide };
  readonly score: {
    readonly comparison_mode: string;
    readonly guard: RewardGuard;
    readonly scope: AnswerScope;
    readonly fallback: AnswerFallback;
  };
  readonly prompt_style: string;
  readonly on_malformed: string;
  /** The prompt. */
  readonly messages: readonly Message[];
  readonly steps: readonly TrajectoryStep[];
  readonly end: TrajectoryEnd;
  /** Empty unless `end` is `terminated`. */
  readonly termination_reason: string;
  /** Empty unless `end` is `truncated`. */
  readonly truncation_reason: string;
  readonly return: number;
  readonly completion_token_count: number;
  /** Null for an episode that no answer was graded in. */
  readonly grade: TrajectoryGrade | null;
  /** UTC, ISO 8601 with milliseconds. */
  readonly started_at: string;
  readonly ended_at: string;
  /** Only of a fork: the episode that it was forked from, and the first step that was done by hand. */
  readonly parent?: { readonly episode_id: string; readonly step_index: number };
}
