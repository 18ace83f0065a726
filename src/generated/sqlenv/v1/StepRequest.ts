// Original file: proto/sqlenv/v1/episode.proto

import type { ToolCall as _sqlenv_v1_ToolCall, ToolCall__Output as _sqlenv_v1_ToolCall__Output } from '../../sqlenv/v1/ToolCall.ts';

/**
 * One action of the model. Repeating the last step with the same action returns the same response and runs nothing.
 */
export interface StepRequest {
  /**
   * The episode.
   */
  'episodeId'?: (string);
  /**
   * 0 for the first step, then one more each.
   */
  'stepIndex'?: (number);
  /**
   * A whole turn; hermes tool calls are found in it, and a turn without one is the final answer.
   */
  'assistantText'?: (string);
  /**
   * One tool call.
   */
  'toolCall'?: (_sqlenv_v1_ToolCall | null);
  /**
   * The turn (or transcript) that holds the final answer; ends the episode.
   */
  'finalText'?: (string);
  /**
   * Completion tokens that the turn took, for the shared budget; 0 if the caller does not count.
   */
  'completionTokenCount'?: (number);
  /**
   * What the model did: exactly one.
   */
  'action'?: "assistantText"|"toolCall"|"finalText";
}

/**
 * One action of the model. Repeating the last step with the same action returns the same response and runs nothing.
 */
export interface StepRequest__Output {
  /**
   * The episode.
   */
  'episodeId': (string);
  /**
   * 0 for the first step, then one more each.
   */
  'stepIndex': (number);
  /**
   * A whole turn; hermes tool calls are found in it, and a turn without one is the final answer.
   */
  'assistantText'?: (string);
  /**
   * One tool call.
   */
  'toolCall'?: (_sqlenv_v1_ToolCall__Output | null);
  /**
   * The turn (or transcript) that holds the final answer; ends the episode.
   */
  'finalText'?: (string);
  /**
   * Completion tokens that the turn took, for the shared budget; 0 if the caller does not count.
   */
  'completionTokenCount': (number);
  /**
   * What the model did: exactly one.
   */
  'action'?: "assistantText"|"toolCall"|"finalText";
}
