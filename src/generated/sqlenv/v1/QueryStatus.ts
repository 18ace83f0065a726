// Original file: proto/sqlenv/v1/score.proto

/**
 * How a query ended.
 */
export const QueryStatus = {
  /**
   * Never sent.
   */
  QUERY_STATUS_UNSPECIFIED: 'QUERY_STATUS_UNSPECIFIED',
  /**
   * It ran; rows beyond a cap are cut, and the info says so.
   */
  QUERY_STATUS_OK: 'QUERY_STATUS_OK',
  /**
   * SQLite refused it: syntax, unknown names, types at run time.
   */
  QUERY_STATUS_SQL_ERROR: 'QUERY_STATUS_SQL_ERROR',
  /**
   * The guard refused it: a write, ATTACH, PRAGMA, a second statement, a function that is not allowed.
   */
  QUERY_STATUS_FORBIDDEN: 'QUERY_STATUS_FORBIDDEN',
  /**
   * It used up its CPU time, or the wall-clock backstop stopped it; see `time_limit`.
   */
  QUERY_STATUS_TIME_LIMIT: 'QUERY_STATUS_TIME_LIMIT',
  /**
   * One value, or the memory and disk that it needed, went over a limit of the engine.
   */
  QUERY_STATUS_TOO_BIG: 'QUERY_STATUS_TOO_BIG',
  /**
   * The tool call could not be parsed, so nothing ran.
   */
  QUERY_STATUS_UNPARSED: 'QUERY_STATUS_UNPARSED',
  /**
   * The call's arguments hold no string `query`, so nothing ran.
   */
  QUERY_STATUS_INVALID_ARGUMENTS: 'QUERY_STATUS_INVALID_ARGUMENTS',
  /**
   * The call names a tool that does not exist, so nothing ran.
   */
  QUERY_STATUS_UNKNOWN_TOOL: 'QUERY_STATUS_UNKNOWN_TOOL',
} as const;

/**
 * How a query ended.
 */
export type QueryStatus =
  /**
   * Never sent.
   */
  | 'QUERY_STATUS_UNSPECIFIED'
  | 0
  /**
   * It ran; rows beyond a cap are cut, and the info says so.
   */
  | 'QUERY_STATUS_OK'
  | 1
  /**
   * SQLite refused it: syntax, unknown names, types at run time.
   */
  | 'QUERY_STATUS_SQL_ERROR'
  | 2
  /**
   * The guard refused it: a write, ATTACH, PRAGMA, a second statement, a function that is not allowed.
   */
  | 'QUERY_STATUS_FORBIDDEN'
  | 3
  /**
   * It used up its CPU time, or the wall-clock backstop stopped it; see `time_limit`.
   */
  | 'QUERY_STATUS_TIME_LIMIT'
  | 4
  /**
   * One value, or the memory and disk that it needed, went over a limit of the engine.
   */
  | 'QUERY_STATUS_TOO_BIG'
  | 5
  /**
   * The tool call could not be parsed, so nothing ran.
   */
  | 'QUERY_STATUS_UNPARSED'
  | 6
  /**
   * The call's arguments hold no string `query`, so nothing ran.
   */
  | 'QUERY_STATUS_INVALID_ARGUMENTS'
  | 7
  /**
   * The call names a tool that does not exist, so nothing ran.
   */
  | 'QUERY_STATUS_UNKNOWN_TOOL'
  | 8

/**
 * How a query ended.
 */
export type QueryStatus__Output = typeof QueryStatus[keyof typeof QueryStatus]
