import { status as Status, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { ERROR_REASONS, type ErrorReason } from '../errors.ts';
import { REASON_TRAILER } from './status.ts';

/** A call that failed. */
export class CallError extends Error {
  readonly code: Status;
  /** Name of the code: `UNAVAILABLE`, `DEADLINE_EXCEEDED`, ... */
  readonly status: string;
  /** Why; UNSPECIFIED if the server gave no reason, or none of it was reached. */
  readonly reason: ErrorReason;

  constructor(
    method: string,
    failure: { readonly code: Status; readonly reason: ErrorReason; readonly details: string },
    options?: ErrorOptions,
  ) {
    super(`${method}: ${Status[failure.code]}: ${failure.details}`, options);
    this.name = 'CallError';
    this.code = failure.code;
    this.status = Status[failure.code];
    this.reason = failure.reason;
  }

  /** What grpc-js reports. */
  static of(method: string, error: ServiceError): CallError {
    const { code, details } = error;
    return new CallError(
      method,
      { code, details, reason: reasonIn(error.metadata) },
      { cause: error },
    );
  }
}

/** A reason by its name; UNSPECIFIED if it is not one that is known here. */
export function reasonNamed(name: unknown): ErrorReason {
  return ERROR_REASONS.find((reason) => reason === name) ?? 'UNSPECIFIED';
}

function reasonIn(metadata: Metadata | undefined): ErrorReason {
  return reasonNamed(metadata?.get(REASON_TRAILER)[0]);
}
