// Original file: proto/sqlenv/v1/episode.proto

import type { InlineTask as _sqlenv_v1_InlineTask, InlineTask__Output as _sqlenv_v1_InlineTask__Output } from '../../sqlenv/v1/InlineTask.ts';
import type { Limits as _sqlenv_v1_Limits, Limits__Output as _sqlenv_v1_Limits__Output } from '../../sqlenv/v1/Limits.ts';
import type { ObservationOptions as _sqlenv_v1_ObservationOptions, ObservationOptions__Output as _sqlenv_v1_ObservationOptions__Output } from '../../sqlenv/v1/ObservationOptions.ts';
import type { EpisodeMode as _sqlenv_v1_EpisodeMode, EpisodeMode__Output as _sqlenv_v1_EpisodeMode__Output } from '../../sqlenv/v1/EpisodeMode.ts';
import type { PromptStyle as _sqlenv_v1_PromptStyle, PromptStyle__Output as _sqlenv_v1_PromptStyle__Output } from '../../sqlenv/v1/PromptStyle.ts';
import type { OnMalformed as _sqlenv_v1_OnMalformed, OnMalformed__Output as _sqlenv_v1_OnMalformed__Output } from '../../sqlenv/v1/OnMalformed.ts';
import type { ScoreOptions as _sqlenv_v1_ScoreOptions, ScoreOptions__Output as _sqlenv_v1_ScoreOptions__Output } from '../../sqlenv/v1/ScoreOptions.ts';

/**
 * Opens an episode. Repeating the same request returns the same response.
 */
export interface ResetRequest {
  /**
   * Chosen by the caller, 1 to 200 bytes, unique per episode.
   */
  'episodeId'?: (string);
  /**
   * A task of the server.
   */
  'taskId'?: (string);
  /**
   * A task of the caller.
   */
  'inlineTask'?: (_sqlenv_v1_InlineTask | null);
  /**
   * Limits other than the defaults.
   */
  'limits'?: (_sqlenv_v1_Limits | null);
  /**
   * Observation size other than the default.
   */
  'observation'?: (_sqlenv_v1_ObservationOptions | null);
  /**
   * Train or eval.
   */
  'mode'?: (_sqlenv_v1_EpisodeMode);
  /**
   * Names the group of rollouts of one prompt; free text up to 200 bytes.
   */
  'groupId'?: (string);
  /**
   * Free labels for the record: up to 32, 200 bytes each.
   */
  'labels'?: ({[key: string]: string});
  /**
   * How the prompt shows the schema.
   */
  'promptStyle'?: (_sqlenv_v1_PromptStyle);
  /**
   * What happens to malformed tool calls.
   */
  'onMalformed'?: (_sqlenv_v1_OnMalformed);
  /**
   * How the answer becomes a reward.
   */
  'score'?: (_sqlenv_v1_ScoreOptions | null);
  /**
   * If set, the gold's SHA-256 that the caller expects; another one is TASK_MISMATCH.
   */
  'goldSha256'?: (string);
  /**
   * The task, by name or brought along.
   */
  'task'?: "taskId"|"inlineTask";
}

/**
 * Opens an episode. Repeating the same request returns the same response.
 */
export interface ResetRequest__Output {
  /**
   * Chosen by the caller, 1 to 200 bytes, unique per episode.
   */
  'episodeId': (string);
  /**
   * A task of the server.
   */
  'taskId'?: (string);
  /**
   * A task of the caller.
   */
  'inlineTask'?: (_sqlenv_v1_InlineTask__Output | null);
  /**
   * Limits other than the defaults.
   */
  'limits': (_sqlenv_v1_Limits__Output | null);
  /**
   * Observation size other than the default.
   */
  'observation': (_sqlenv_v1_ObservationOptions__Output | null);
  /**
   * Train or eval.
   */
  'mode': (_sqlenv_v1_EpisodeMode__Output);
  /**
   * Names the group of rollouts of one prompt; free text up to 200 bytes.
   */
  'groupId': (string);
  /**
   * Free labels for the record: up to 32, 200 bytes each.
   */
  'labels': ({[key: string]: string});
  /**
   * How the prompt shows the schema.
   */
  'promptStyle': (_sqlenv_v1_PromptStyle__Output);
  /**
   * What happens to malformed tool calls.
   */
  'onMalformed': (_sqlenv_v1_OnMalformed__Output);
  /**
   * How the answer becomes a reward.
   */
  'score': (_sqlenv_v1_ScoreOptions__Output | null);
  /**
   * If set, the gold's SHA-256 that the caller expects; another one is TASK_MISMATCH.
   */
  'goldSha256': (string);
  /**
   * The task, by name or brought along.
   */
  'task'?: "taskId"|"inlineTask";
}
