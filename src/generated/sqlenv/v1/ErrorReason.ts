// Original file: proto/sqlenv/v1/error.proto

/**
 * Why a call failed. Sent as the ASCII trailer `sqlenv-error-reason`, its value the name below without the prefix
 * (`EPISODE_ENDED`). A mistake of the model is never an error: it is an observation with status OK.
 */
export const ErrorReason = {
  /**
   * No reason was given; read the status code.
   */
  ERROR_REASON_UNSPECIFIED: 'ERROR_REASON_UNSPECIFIED',
  /**
   * INVALID_ARGUMENT: a field is missing, out of range or too large; the message names it.
   */
  ERROR_REASON_INVALID_FIELD: 'ERROR_REASON_INVALID_FIELD',
  /**
   * NOT_FOUND: the server has no task with this id.
   */
  ERROR_REASON_TASK_NOT_FOUND: 'ERROR_REASON_TASK_NOT_FOUND',
  /**
   * NOT_FOUND: the server has no database with this id.
   */
  ERROR_REASON_DATABASE_NOT_FOUND: 'ERROR_REASON_DATABASE_NOT_FOUND',
  /**
   * NOT_FOUND: no such episode; it was never opened here, its lease ran out, or the server restarted.
   */
  ERROR_REASON_EPISODE_NOT_FOUND: 'ERROR_REASON_EPISODE_NOT_FOUND',
  /**
   * FAILED_PRECONDITION: the episode has ended; only a repeat of its last step is answered.
   */
  ERROR_REASON_EPISODE_ENDED: 'ERROR_REASON_EPISODE_ENDED',
  /**
   * FAILED_PRECONDITION: the task's gold SQL does not run within its own limits, so no reward exists.
   */
  ERROR_REASON_TASK_BROKEN: 'ERROR_REASON_TASK_BROKEN',
  /**
   * FAILED_PRECONDITION: the gold SQL that the caller expects is not the one that the server has.
   */
  ERROR_REASON_TASK_MISMATCH: 'ERROR_REASON_TASK_MISMATCH',
  /**
   * FAILED_PRECONDITION: the database file is missing, changed or unreadable.
   */
  ERROR_REASON_DATABASE_BROKEN: 'ERROR_REASON_DATABASE_BROKEN',
  /**
   * ALREADY_EXISTS: this episode_id was used for a different request.
   */
  ERROR_REASON_EPISODE_ID_TAKEN: 'ERROR_REASON_EPISODE_ID_TAKEN',
  /**
   * ABORTED: the step_index is not the next one, or another step of this episode is under way.
   */
  ERROR_REASON_STEP_CONFLICT: 'ERROR_REASON_STEP_CONFLICT',
  /**
   * RESOURCE_EXHAUSTED: the episode table or the query queue is full; retry with backoff.
   */
  ERROR_REASON_OVERLOADED: 'ERROR_REASON_OVERLOADED',
  /**
   * UNAVAILABLE: the server is shutting down and takes no new episodes; retry elsewhere.
   */
  ERROR_REASON_DRAINING: 'ERROR_REASON_DRAINING',
  /**
   * INTERNAL: the worker that ran the query died. Nothing was scored; the sample can be tried again or dropped.
   */
  ERROR_REASON_WORKER_LOST: 'ERROR_REASON_WORKER_LOST',
  /**
   * INTERNAL: the server broke an invariant of its own. Nothing was scored; the log holds the cause.
   */
  ERROR_REASON_INTERNAL: 'ERROR_REASON_INTERNAL',
} as const;

/**
 * Why a call failed. Sent as the ASCII trailer `sqlenv-error-reason`, its value the name below without the prefix
 * (`EPISODE_ENDED`). A mistake of the model is never an error: it is an observation with status OK.
 */
export type ErrorReason =
  /**
   * No reason was given; read the status code.
   */
  | 'ERROR_REASON_UNSPECIFIED'
  | 0
  /**
   * INVALID_ARGUMENT: a field is missing, out of range or too large; the message names it.
   */
  | 'ERROR_REASON_INVALID_FIELD'
  | 1
  /**
   * NOT_FOUND: the server has no task with this id.
   */
  | 'ERROR_REASON_TASK_NOT_FOUND'
  | 2
  /**
   * NOT_FOUND: the server has no database with this id.
   */
  | 'ERROR_REASON_DATABASE_NOT_FOUND'
  | 3
  /**
   * NOT_FOUND: no such episode; it was never opened here, its lease ran out, or the server restarted.
   */
  | 'ERROR_REASON_EPISODE_NOT_FOUND'
  | 4
  /**
   * FAILED_PRECONDITION: the episode has ended; only a repeat of its last step is answered.
   */
  | 'ERROR_REASON_EPISODE_ENDED'
  | 5
  /**
   * FAILED_PRECONDITION: the task's gold SQL does not run within its own limits, so no reward exists.
   */
  | 'ERROR_REASON_TASK_BROKEN'
  | 6
  /**
   * FAILED_PRECONDITION: the gold SQL that the caller expects is not the one that the server has.
   */
  | 'ERROR_REASON_TASK_MISMATCH'
  | 7
  /**
   * FAILED_PRECONDITION: the database file is missing, changed or unreadable.
   */
  | 'ERROR_REASON_DATABASE_BROKEN'
  | 8
  /**
   * ALREADY_EXISTS: this episode_id was used for a different request.
   */
  | 'ERROR_REASON_EPISODE_ID_TAKEN'
  | 9
  /**
   * ABORTED: the step_index is not the next one, or another step of this episode is under way.
   */
  | 'ERROR_REASON_STEP_CONFLICT'
  | 10
  /**
   * RESOURCE_EXHAUSTED: the episode table or the query queue is full; retry with backoff.
   */
  | 'ERROR_REASON_OVERLOADED'
  | 11
  /**
   * UNAVAILABLE: the server is shutting down and takes no new episodes; retry elsewhere.
   */
  | 'ERROR_REASON_DRAINING'
  | 12
  /**
   * INTERNAL: the worker that ran the query died. Nothing was scored; the sample can be tried again or dropped.
   */
  | 'ERROR_REASON_WORKER_LOST'
  | 13
  /**
   * INTERNAL: the server broke an invariant of its own. Nothing was scored; the log holds the cause.
   */
  | 'ERROR_REASON_INTERNAL'
  | 14

/**
 * Why a call failed. Sent as the ASCII trailer `sqlenv-error-reason`, its value the name below without the prefix
 * (`EPISODE_ENDED`). A mistake of the model is never an error: it is an observation with status OK.
 */
export type ErrorReason__Output = typeof ErrorReason[keyof typeof ErrorReason]
