import type { CallFailure } from '../generated/sqlenv/v1/CallFailure.ts';
import type { ErrorReason } from '../generated/sqlenv/v1/ErrorReason.ts';
import { reasonOf, statusOf } from './status.ts';

/** What a call on a stream fails with, whatever it threw: the same code, reason and text as a unary call. */
export function failureOf(error: unknown): CallFailure {
  const failed = statusOf(error);
  const reason = reasonOf(failed);
  return {
    statusCode: failed.code,
    reason: `ERROR_REASON_${reason === '' ? 'UNSPECIFIED' : reason}` as ErrorReason,
    message: failed.details,
  };
}
