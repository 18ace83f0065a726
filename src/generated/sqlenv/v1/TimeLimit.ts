// Original file: proto/sqlenv/v1/score.proto

/**
 * Which clock stopped a query.
 */
export const TimeLimit = {
  /**
   * Neither.
   */
  TIME_LIMIT_UNSPECIFIED: 'TIME_LIMIT_UNSPECIFIED',
  /**
   * The CPU time of its thread: the query's own fault, whatever the machine's load.
   */
  TIME_LIMIT_CPU: 'TIME_LIMIT_CPU',
  /**
   * The wall-clock backstop, with CPU time left: a busy machine may have caused it.
   */
  TIME_LIMIT_WALL: 'TIME_LIMIT_WALL',
} as const;

/**
 * Which clock stopped a query.
 */
export type TimeLimit =
  /**
   * Neither.
   */
  | 'TIME_LIMIT_UNSPECIFIED'
  | 0
  /**
   * The CPU time of its thread: the query's own fault, whatever the machine's load.
   */
  | 'TIME_LIMIT_CPU'
  | 1
  /**
   * The wall-clock backstop, with CPU time left: a busy machine may have caused it.
   */
  | 'TIME_LIMIT_WALL'
  | 2

/**
 * Which clock stopped a query.
 */
export type TimeLimit__Output = typeof TimeLimit[keyof typeof TimeLimit]
