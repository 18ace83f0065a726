import type { Action } from '../../env/action.ts';
import type { OnMalformed } from '../../env/episode.ts';
import type { ComparisonMode, Grade, ScoreOptions } from '../../env/grade.ts';
import type { EpisodeLimits, QueryLimits } from '../../env/limits.ts';
import type { PromptStyle } from '../../env/prompt.ts';
import type { ObservationOptions, QueryInfo } from '../../env/query.ts';
import type { Message, Task } from '../../env/task.ts';

/** What an episode is for; recorded, and without any effect. */
export type EpisodeMode = 'train' | 'eval';

/** A task of the server, or one that the caller brings along. */
export type TaskChoice =
  | { readonly kind: 'named'; readonly taskId: string }
  | {
      readonly kind: 'inline';
      readonly taskId: string;
      readonly databaseId: string;
      readonly question: string;
      readonly goldSql: string;
    };

/** Opens an episode. What is left out takes the server's default. */
export interface ResetRequest {
  readonly episodeId: string;
  readonly task: TaskChoice;
  readonly limits: Partial<EpisodeLimits>;
  readonly observation: Partial<ObservationOptions>;
  readonly mode: EpisodeMode;
  readonly groupId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly promptStyle?: PromptStyle | undefined;
  readonly onMalformed?: OnMalformed | undefined;
  readonly score: Partial<ScoreOptions>;
  /** The gold's hash that the caller expects; empty expects none. */
  readonly goldSha256: string;
}

/** What an episode is, fixed by its Reset. */
export interface EpisodeFacts {
  readonly episodeId: string;
  readonly task: Task;
  readonly goldSha256: string;
  readonly goldRowCount: number;
  readonly inlineTask: boolean;
  readonly limits: EpisodeLimits;
  readonly observation: ObservationOptions;
  readonly score: ScoreOptions;
  readonly promptStyle: PromptStyle;
  readonly onMalformed: OnMalformed;
  readonly mode: EpisodeMode;
  readonly groupId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly messages: readonly Message[];
  /** By the wall clock, milliseconds since 1970. */
  readonly startedWallMs: number;
  /** By the monotonic clock. */
  readonly startedMs: number;
}

/** A task as callers see it: the gold is there only if they asked for it. */
export interface ShownTask {
  readonly taskId: string;
  readonly databaseId: string;
  readonly question: string;
  readonly split: string;
  readonly difficulty: string;
  readonly goldSha256: string;
  readonly goldSql: string;
  readonly messages: readonly Message[];
}

/** An open episode. */
export interface ResetResult {
  readonly episodeId: string;
  readonly task: ShownTask;
  readonly messages: readonly Message[];
  readonly limits: EpisodeLimits;
  readonly observation: ObservationOptions;
  readonly score: ScoreOptions;
}

/** One action. */
export interface StepRequest {
  readonly episodeId: string;
  readonly stepIndex: number;
  readonly action: Action;
  readonly completionTokenCount: number;
}

/** Scores an answer without an episode. */
export interface ScoreRequest {
  readonly task: TaskChoice;
  readonly answer:
    | { readonly kind: 'completion'; readonly text: string }
    | { readonly kind: 'sql'; readonly sql: string };
  readonly comparisonModes: readonly ComparisonMode[];
  readonly score: Partial<ScoreOptions>;
  readonly limits: Partial<QueryLimits>;
  readonly goldSha256: string;
  readonly includeGold: boolean;
}

/** The answer under each mode. */
export interface ScoreResult {
  readonly grades: readonly Grade[];
  /** Empty unless asked for. */
  readonly goldSql: string;
}

/** Runs a query without an episode. */
export interface RunSqlRequest {
  readonly databaseId: string;
  readonly input:
    | { readonly kind: 'query'; readonly sql: string }
    | { readonly kind: 'arguments'; readonly argumentsJson: string };
  readonly observation: Partial<ObservationOptions>;
  readonly limits: Partial<QueryLimits>;
}

/** What the model would read. */
export interface RunSqlResult {
  readonly message: Message;
  readonly query: QueryInfo;
}

/** Asks for a page of tasks; empty texts filter nothing. */
export interface ListTasksRequest {
  readonly pageSize: number;
  readonly pageToken: string;
  readonly split: string;
  readonly databaseId: string;
  readonly difficulty: string;
  readonly includeGold: boolean;
  readonly includeMessages: boolean;
  readonly promptStyle?: PromptStyle | undefined;
}

/** A page of tasks. */
export interface ListTasksResult {
  readonly tasks: readonly ShownTask[];
  /** Empty after the last page. */
  readonly nextPageToken: string;
  readonly totalCount: number;
}
