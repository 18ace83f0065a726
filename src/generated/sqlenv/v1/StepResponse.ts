// Original file: proto/sqlenv/v1/episode.proto

import type { Message as _sqlenv_v1_Message, Message__Output as _sqlenv_v1_Message__Output } from '../../sqlenv/v1/Message.ts';
import type { TerminationReason as _sqlenv_v1_TerminationReason, TerminationReason__Output as _sqlenv_v1_TerminationReason__Output } from '../../sqlenv/v1/TerminationReason.ts';
import type { TruncationReason as _sqlenv_v1_TruncationReason, TruncationReason__Output as _sqlenv_v1_TruncationReason__Output } from '../../sqlenv/v1/TruncationReason.ts';
import type { QueryInfo as _sqlenv_v1_QueryInfo, QueryInfo__Output as _sqlenv_v1_QueryInfo__Output } from '../../sqlenv/v1/QueryInfo.ts';
import type { Grade as _sqlenv_v1_Grade, Grade__Output as _sqlenv_v1_Grade__Output } from '../../sqlenv/v1/Grade.ts';

/**
 * What the environment says to an action.
 */
export interface StepResponse {
  /**
   * As in the request.
   */
  'stepIndex'?: (number);
  /**
   * What the model reads next: tool messages, in the order of the calls.
   */
  'messages'?: (_sqlenv_v1_Message)[];
  /**
   * Reward of this step.
   */
  'reward'?: (number | string);
  /**
   * The task ended the episode.
   */
  'terminated'?: (boolean);
  /**
   * Why it terminated.
   */
  'terminationReason'?: (_sqlenv_v1_TerminationReason);
  /**
   * A limit ended the episode.
   */
  'truncated'?: (boolean);
  /**
   * Why it was truncated.
   */
  'truncationReason'?: (_sqlenv_v1_TruncationReason);
  /**
   * One entry for each tool message, in the same order.
   */
  'queries'?: (_sqlenv_v1_QueryInfo)[];
  /**
   * The verdict on the final answer; absent before the end.
   */
  'grade'?: (_sqlenv_v1_Grade | null);
  /**
   * Tool calls of this turn that were dropped or ignored.
   */
  'ignoredCallCount'?: (number);
  /**
   * Sum of the rewards so far.
   */
  'episodeReturn'?: (number | string);
  /**
   * Completion tokens counted so far.
   */
  'completionTokenCount'?: (number);
}

/**
 * What the environment says to an action.
 */
export interface StepResponse__Output {
  /**
   * As in the request.
   */
  'stepIndex': (number);
  /**
   * What the model reads next: tool messages, in the order of the calls.
   */
  'messages': (_sqlenv_v1_Message__Output)[];
  /**
   * Reward of this step.
   */
  'reward': (number);
  /**
   * The task ended the episode.
   */
  'terminated': (boolean);
  /**
   * Why it terminated.
   */
  'terminationReason': (_sqlenv_v1_TerminationReason__Output);
  /**
   * A limit ended the episode.
   */
  'truncated': (boolean);
  /**
   * Why it was truncated.
   */
  'truncationReason': (_sqlenv_v1_TruncationReason__Output);
  /**
   * One entry for each tool message, in the same order.
   */
  'queries': (_sqlenv_v1_QueryInfo__Output)[];
  /**
   * The verdict on the final answer; absent before the end.
   */
  'grade': (_sqlenv_v1_Grade__Output | null);
  /**
   * Tool calls of this turn that were dropped or ignored.
   */
  'ignoredCallCount': (number);
  /**
   * Sum of the rewards so far.
   */
  'episodeReturn': (number);
  /**
   * Completion tokens counted so far.
   */
  'completionTokenCount': (number);
}
