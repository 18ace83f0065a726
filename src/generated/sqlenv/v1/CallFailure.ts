// Original file: proto/sqlenv/v1/environment_service.proto

import type { ErrorReason as _sqlenv_v1_ErrorReason, ErrorReason__Output as _sqlenv_v1_ErrorReason__Output } from '../../sqlenv/v1/ErrorReason.ts';

/**
 * Why a call on a stream failed.
 */
export interface CallFailure {
  /**
   * The gRPC status code, for example 5 for NOT_FOUND.
   */
  'statusCode'?: (number);
  /**
   * The reason, as in the trailer of a unary call.
   */
  'reason'?: (_sqlenv_v1_ErrorReason);
  /**
   * For people.
   */
  'message'?: (string);
}

/**
 * Why a call on a stream failed.
 */
export interface CallFailure__Output {
  /**
   * The gRPC status code, for example 5 for NOT_FOUND.
   */
  'statusCode': (number);
  /**
   * The reason, as in the trailer of a unary call.
   */
  'reason': (_sqlenv_v1_ErrorReason__Output);
  /**
   * For people.
   */
  'message': (string);
}
