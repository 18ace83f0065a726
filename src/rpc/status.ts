import { Metadata, status as Status } from '@grpc/grpc-js';
import { escapeLoneSurrogates } from '../../env/utf8.ts';
import { CallAborted, ServerError, type ErrorReason } from '../errors.ts';

/** The trailer that carries the reason: one ASCII word, a name of the proto's `ErrorReason` without its prefix. */
export const REASON_TRAILER = 'sqlenv-error-reason';

/** The status code of each reason; `docs/protocol.md` has the same table, and a test compares them. */
export const STATUS_BY_REASON: Readonly<Record<ErrorReason, Status>> = {
  UNSPECIFIED: Status.UNKNOWN,
  INVALID_FIELD: Status.INVALID_ARGUMENT,
  TASK_NOT_FOUND: Status.NOT_FOUND,
  DATABASE_NOT_FOUND: Status.NOT_FOUND,
  EPISODE_NOT_FOUND: Status.NOT_FOUND,
  EPISODE_ENDED: Status.FAILED_PRECONDITION,
  TASK_BROKEN: Status.FAILED_PRECONDITION,
  TASK_MISMATCH: Status.FAILED_PRECONDITION,
  DATABASE_BROKEN: Status.FAILED_PRECONDITION,
  EPISODE_ID_TAKEN: Status.ALREADY_EXISTS,
  STEP_CONFLICT: Status.ABORTED,
  OVERLOADED: Status.RESOURCE_EXHAUSTED,
  DRAINING: Status.UNAVAILABLE,
  WORKER_LOST: Status.INTERNAL,
  INTERNAL: Status.INTERNAL,
};

/** A failed call, as grpc-js sends it. */
export interface FailedStatus {
  readonly code: Status;
  readonly details: string;
  readonly metadata: Metadata;
}

/** Clients bound the size of all trailers together, many at 8 kB. */
const DETAILS_SIZE_MAX = 1_000;

/**
 * Turns whatever a call threw into its status. An error that is not ours may hold a host path or a gold SQL, so its text
 * stays in the log, and the caller reads "internal error".
 */
export function statusOf(error: unknown): FailedStatus {
  if (error instanceof CallAborted) {
    return failedStatus(Status[error.status], error.message, 'UNSPECIFIED');
  }
  if (error instanceof ResponseTooLarge) {
    return failedStatus(Status.RESOURCE_EXHAUSTED, error.message, 'UNSPECIFIED');
  }
  if (error instanceof ServerError && error.reason !== 'INTERNAL') {
    return failedStatus(STATUS_BY_REASON[error.reason], error.message, error.reason);
  }
  return failedStatus(
    Status.INTERNAL,
    'internal error; the log of the server has more',
    'INTERNAL',
  );
}

/** The reason that a failed call is sent with; empty where the status code says it all. */
export function reasonOf(failed: FailedStatus): string {
  const [reason] = failed.metadata.get(REASON_TRAILER);
  return reason === undefined || reason === 'UNSPECIFIED' ? '' : String(reason);
}

/** A response that no message can hold. It has no reason: OVERLOADED would say "try again", which can't help. */
export class ResponseTooLarge extends Error {
  constructor(bytes: number, bytesMax: number) {
    super(
      `the response would take ${bytes} bytes and a message holds ${bytesMax}; ` +
        'ask for less (limits.result_bytes_max, observation.text_size_max, limits.parallel_call_count_max)',
    );
    this.name = 'ResponseTooLarge';
  }
}

function failedStatus(code: Status, message: string, reason: ErrorReason): FailedStatus {
  const metadata = new Metadata();
  metadata.set(REASON_TRAILER, reason);
  // grpc-js escapes details with encodeURI, which throws on half a surrogate pair.
  const text = escapeLoneSurrogates(message);
  const details =
    text.length > DETAILS_SIZE_MAX ? `${text.slice(0, DETAILS_SIZE_MAX - 3)}...` : text;
  return { code, details: escapeLoneSurrogates(details), metadata };
}
