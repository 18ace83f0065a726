/** Why a call failed: the names of the proto's `ErrorReason` without their prefix. */
export const ERROR_REASONS = [
  'UNSPECIFIED',
  'INVALID_FIELD',
  'TASK_NOT_FOUND',
  'DATABASE_NOT_FOUND',
  'EPISODE_NOT_FOUND',
  'EPISODE_ENDED',
  'TASK_BROKEN',
  'TASK_MISMATCH',
  'DATABASE_BROKEN',
  'EPISODE_ID_TAKEN',
  'STEP_CONFLICT',
  'OVERLOADED',
  'DRAINING',
  'WORKER_LOST',
  'INTERNAL',
] as const;

/** Machine-readable reason of a failed call. */
export type ErrorReason = (typeof ERROR_REASONS)[number];

/** What goes with an error besides its message. */
export interface ServerErrorOptions {
  /** Facts for the log: ids and indices, never a gold SQL. */
  readonly metadata?: Readonly<Record<string, string | number>>;
  /** What caused it; it reaches the log, never the caller. */
  readonly cause?: unknown;
}

/**
 * A call that failed, and whose mistake it was. Thrown in `episodes` and `rpc` only; `rpc/status.ts` turns it into a
 * gRPC status. Its message goes to the caller, so it holds neither a host path nor a gold SQL.
 */
export class ServerError extends Error {
  readonly reason: ErrorReason;
  readonly metadata: Readonly<Record<string, string | number>>;

  constructor(reason: ErrorReason, message: string, options: ServerErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ServerError';
    this.reason = reason;
    this.metadata = options.metadata ?? {};
  }
}

/** The caller gave up: it cancelled the call, or its deadline passed. It needs no reason, its status code says it all. */
export class CallAborted extends Error {
  readonly status: 'CANCELLED' | 'DEADLINE_EXCEEDED';

  constructor(status: 'CANCELLED' | 'DEADLINE_EXCEEDED') {
    super(status === 'CANCELLED' ? 'the caller cancelled the call' : 'the deadline passed');
    this.name = 'CallAborted';
    this.status = status;
  }
}
