// Original file: proto/sqlenv/v1/environment_service.proto

import type { ResetRequest as _sqlenv_v1_ResetRequest, ResetRequest__Output as _sqlenv_v1_ResetRequest__Output } from '../../sqlenv/v1/ResetRequest.ts';
import type { StepRequest as _sqlenv_v1_StepRequest, StepRequest__Output as _sqlenv_v1_StepRequest__Output } from '../../sqlenv/v1/StepRequest.ts';
import type { CloseRequest as _sqlenv_v1_CloseRequest, CloseRequest__Output as _sqlenv_v1_CloseRequest__Output } from '../../sqlenv/v1/CloseRequest.ts';

/**
 * One call on a stream.
 */
export interface StreamedCall {
  /**
   * Chosen by the caller, and given back with the reply; of the calls under way no two have the same.
   */
  'callId'?: (number);
  /**
   * The call is given up after so many milliseconds, as at a deadline; 0 never.
   */
  'timeoutMs'?: (number);
  /**
   * Opens an episode.
   */
  'reset'?: (_sqlenv_v1_ResetRequest | null);
  /**
   * Takes one action.
   */
  'step'?: (_sqlenv_v1_StepRequest | null);
  /**
   * Ends an episode early.
   */
  'close'?: (_sqlenv_v1_CloseRequest | null);
  /**
   * What is called: exactly one.
   */
  'call'?: "reset"|"step"|"close";
}

/**
 * One call on a stream.
 */
export interface StreamedCall__Output {
  /**
   * Chosen by the caller, and given back with the reply; of the calls under way no two have the same.
   */
  'callId': (number);
  /**
   * The call is given up after so many milliseconds, as at a deadline; 0 never.
   */
  'timeoutMs': (number);
  /**
   * Opens an episode.
   */
  'reset'?: (_sqlenv_v1_ResetRequest__Output | null);
  /**
   * Takes one action.
   */
  'step'?: (_sqlenv_v1_StepRequest__Output | null);
  /**
   * Ends an episode early.
   */
  'close'?: (_sqlenv_v1_CloseRequest__Output | null);
  /**
   * What is called: exactly one.
   */
  'call'?: "reset"|"step"|"close";
}
