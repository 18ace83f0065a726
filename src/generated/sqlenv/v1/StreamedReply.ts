// Original file: proto/sqlenv/v1/environment_service.proto

import type { ResetResponse as _sqlenv_v1_ResetResponse, ResetResponse__Output as _sqlenv_v1_ResetResponse__Output } from '../../sqlenv/v1/ResetResponse.ts';
import type { StepResponse as _sqlenv_v1_StepResponse, StepResponse__Output as _sqlenv_v1_StepResponse__Output } from '../../sqlenv/v1/StepResponse.ts';
import type { CloseResponse as _sqlenv_v1_CloseResponse, CloseResponse__Output as _sqlenv_v1_CloseResponse__Output } from '../../sqlenv/v1/CloseResponse.ts';
import type { CallFailure as _sqlenv_v1_CallFailure, CallFailure__Output as _sqlenv_v1_CallFailure__Output } from '../../sqlenv/v1/CallFailure.ts';

/**
 * The reply to one call. A call that fails does not end the stream.
 */
export interface StreamedReply {
  /**
   * As in the call.
   */
  'callId'?: (number);
  /**
   * As Reset answers.
   */
  'reset'?: (_sqlenv_v1_ResetResponse | null);
  /**
   * As Step answers.
   */
  'step'?: (_sqlenv_v1_StepResponse | null);
  /**
   * As Close answers.
   */
  'close'?: (_sqlenv_v1_CloseResponse | null);
  /**
   * What the unary call would have failed with.
   */
  'failure'?: (_sqlenv_v1_CallFailure | null);
  /**
   * What came of it: exactly one.
   */
  'reply'?: "reset"|"step"|"close"|"failure";
}

/**
 * The reply to one call. A call that fails does not end the stream.
 */
export interface StreamedReply__Output {
  /**
   * As in the call.
   */
  'callId': (number);
  /**
   * As Reset answers.
   */
  'reset'?: (_sqlenv_v1_ResetResponse__Output | null);
  /**
   * As Step answers.
   */
  'step'?: (_sqlenv_v1_StepResponse__Output | null);
  /**
   * As Close answers.
   */
  'close'?: (_sqlenv_v1_CloseResponse__Output | null);
  /**
   * What the unary call would have failed with.
   */
  'failure'?: (_sqlenv_v1_CallFailure__Output | null);
  /**
   * What came of it: exactly one.
   */
  'reply'?: "reset"|"step"|"close"|"failure";
}
