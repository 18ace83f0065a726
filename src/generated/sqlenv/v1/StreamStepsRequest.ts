// Original file: proto/sqlenv/v1/environment_service.proto

import type { StreamedCall as _sqlenv_v1_StreamedCall, StreamedCall__Output as _sqlenv_v1_StreamedCall__Output } from '../../sqlenv/v1/StreamedCall.ts';

/**
 * Calls that are made together. None waits for another one, and those of one episode must not overlap.
 */
export interface StreamStepsRequest {
  /**
   * One to 4,096.
   */
  'calls'?: (_sqlenv_v1_StreamedCall)[];
}

/**
 * Calls that are made together. None waits for another one, and those of one episode must not overlap.
 */
export interface StreamStepsRequest__Output {
  /**
   * One to 4,096.
   */
  'calls': (_sqlenv_v1_StreamedCall__Output)[];
}
