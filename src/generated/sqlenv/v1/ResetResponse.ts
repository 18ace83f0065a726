// Original file: proto/sqlenv/v1/episode.proto

import type { Task as _sqlenv_v1_Task, Task__Output as _sqlenv_v1_Task__Output } from '../../sqlenv/v1/Task.ts';
import type { Message as _sqlenv_v1_Message, Message__Output as _sqlenv_v1_Message__Output } from '../../sqlenv/v1/Message.ts';
import type { Limits as _sqlenv_v1_Limits, Limits__Output as _sqlenv_v1_Limits__Output } from '../../sqlenv/v1/Limits.ts';
import type { ObservationOptions as _sqlenv_v1_ObservationOptions, ObservationOptions__Output as _sqlenv_v1_ObservationOptions__Output } from '../../sqlenv/v1/ObservationOptions.ts';
import type { ScoreOptions as _sqlenv_v1_ScoreOptions, ScoreOptions__Output as _sqlenv_v1_ScoreOptions__Output } from '../../sqlenv/v1/ScoreOptions.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * An open episode.
 */
export interface ResetResponse {
  /**
   * As in the request.
   */
  'episodeId'?: (string);
  /**
   * The task, without its gold.
   */
  'task'?: (_sqlenv_v1_Task | null);
  /**
   * The prompt: a system and a user message.
   */
  'messages'?: (_sqlenv_v1_Message)[];
  /**
   * The tool in OpenAI form, JSON.
   */
  'toolSchemaJson'?: (string);
  /**
   * The limits in force.
   */
  'limits'?: (_sqlenv_v1_Limits | null);
  /**
   * The observation size in force.
   */
  'observation'?: (_sqlenv_v1_ObservationOptions | null);
  /**
   * How long the episode is kept without a call, milliseconds.
   */
  'leaseMs'?: (number | string | Long);
  /**
   * How the answer becomes a reward, defaults filled in.
   */
  'score'?: (_sqlenv_v1_ScoreOptions | null);
}

/**
 * An open episode.
 */
export interface ResetResponse__Output {
  /**
   * As in the request.
   */
  'episodeId': (string);
  /**
   * The task, without its gold.
   */
  'task': (_sqlenv_v1_Task__Output | null);
  /**
   * The prompt: a system and a user message.
   */
  'messages': (_sqlenv_v1_Message__Output)[];
  /**
   * The tool in OpenAI form, JSON.
   */
  'toolSchemaJson': (string);
  /**
   * The limits in force.
   */
  'limits': (_sqlenv_v1_Limits__Output | null);
  /**
   * The observation size in force.
   */
  'observation': (_sqlenv_v1_ObservationOptions__Output | null);
  /**
   * How long the episode is kept without a call, milliseconds.
   */
  'leaseMs': (number);
  /**
   * How the answer becomes a reward, defaults filled in.
   */
  'score': (_sqlenv_v1_ScoreOptions__Output | null);
}
