// Original file: proto/sqlenv/v1/environment_service.proto

import type { InlineTask as _sqlenv_v1_InlineTask, InlineTask__Output as _sqlenv_v1_InlineTask__Output } from '../../sqlenv/v1/InlineTask.ts';
import type { ScoreOptions as _sqlenv_v1_ScoreOptions, ScoreOptions__Output as _sqlenv_v1_ScoreOptions__Output } from '../../sqlenv/v1/ScoreOptions.ts';
import type { Limits as _sqlenv_v1_Limits, Limits__Output as _sqlenv_v1_Limits__Output } from '../../sqlenv/v1/Limits.ts';

/**
 * Scores an answer without an episode.
 */
export interface ScoreRequest {
  /**
   * A task of the server.
   */
  'taskId'?: (string);
  /**
   * A task of the caller.
   */
  'inlineTask'?: (_sqlenv_v1_InlineTask | null);
  /**
   * Model text, from which the answer is extracted.
   */
  'completion'?: (string);
  /**
   * SQL, taken as it is.
   */
  'sql'?: (string);
  /**
   * Modes to score under; none takes the one in `score`.
   */
  'comparisonModes'?: (string)[];
  /**
   * Guard and extraction, and the mode if `comparison_modes` is empty.
   */
  'score'?: (_sqlenv_v1_ScoreOptions | null);
  /**
   * Limits other than the defaults; only those of queries matter.
   */
  'limits'?: (_sqlenv_v1_Limits | null);
  /**
   * If set, the gold's SHA-256 that the caller expects; another one is TASK_MISMATCH.
   */
  'goldSha256'?: (string);
  /**
   * Include the gold SQL in the response: for debugging, never for a model.
   */
  'includeGold'?: (boolean);
  /**
   * The task, by name or brought along.
   */
  'task'?: "taskId"|"inlineTask";
  /**
   * The answer: exactly one.
   */
  'answer'?: "completion"|"sql";
}

/**
 * Scores an answer without an episode.
 */
export interface ScoreRequest__Output {
  /**
   * A task of the server.
   */
  'taskId'?: (string);
  /**
   * A task of the caller.
   */
  'inlineTask'?: (_sqlenv_v1_InlineTask__Output | null);
  /**
   * Model text, from which the answer is extracted.
   */
  'completion'?: (string);
  /**
   * SQL, taken as it is.
   */
  'sql'?: (string);
  /**
   * Modes to score under; none takes the one in `score`.
   */
  'comparisonModes': (string)[];
  /**
   * Guard and extraction, and the mode if `comparison_modes` is empty.
   */
  'score': (_sqlenv_v1_ScoreOptions__Output | null);
  /**
   * Limits other than the defaults; only those of queries matter.
   */
  'limits': (_sqlenv_v1_Limits__Output | null);
  /**
   * If set, the gold's SHA-256 that the caller expects; another one is TASK_MISMATCH.
   */
  'goldSha256': (string);
  /**
   * Include the gold SQL in the response: for debugging, never for a model.
   */
  'includeGold': (boolean);
  /**
   * The task, by name or brought along.
   */
  'task'?: "taskId"|"inlineTask";
  /**
   * The answer: exactly one.
   */
  'answer'?: "completion"|"sql";
}
