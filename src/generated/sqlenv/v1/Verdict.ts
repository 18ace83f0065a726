// Original file: proto/sqlenv/v1/score.proto

/**
 * What the comparison says of an answer. Kept apart from the reward.
 */
export const Verdict = {
  /**
   * Never sent.
   */
  VERDICT_UNSPECIFIED: 'VERDICT_UNSPECIFIED',
  /**
   * The answer's rows equal the gold's, by the comparison mode.
   */
  VERDICT_MATCH: 'VERDICT_MATCH',
  /**
   * It ran, and its rows differ.
   */
  VERDICT_MISMATCH: 'VERDICT_MISMATCH',
  /**
   * There was no answer to score.
   */
  VERDICT_ANSWER_MISSING: 'VERDICT_ANSWER_MISSING',
  /**
   * SQLite refused the answer.
   */
  VERDICT_ANSWER_SQL_ERROR: 'VERDICT_ANSWER_SQL_ERROR',
  /**
   * The guard refused the answer.
   */
  VERDICT_ANSWER_FORBIDDEN: 'VERDICT_ANSWER_FORBIDDEN',
  /**
   * The answer took too long; see `time_limit` in its query info.
   */
  VERDICT_ANSWER_TIME_LIMIT: 'VERDICT_ANSWER_TIME_LIMIT',
  /**
   * The answer's result went over a cap before it could be compared.
   */
  VERDICT_ANSWER_TOO_BIG: 'VERDICT_ANSWER_TOO_BIG',
} as const;

/**
 * What the comparison says of an answer. Kept apart from the reward.
 */
export type Verdict =
  /**
   * Never sent.
   */
  | 'VERDICT_UNSPECIFIED'
  | 0
  /**
   * The answer's rows equal the gold's, by the comparison mode.
   */
  | 'VERDICT_MATCH'
  | 1
  /**
   * It ran, and its rows differ.
   */
  | 'VERDICT_MISMATCH'
  | 2
  /**
   * There was no answer to score.
   */
  | 'VERDICT_ANSWER_MISSING'
  | 3
  /**
   * SQLite refused the answer.
   */
  | 'VERDICT_ANSWER_SQL_ERROR'
  | 4
  /**
   * The guard refused the answer.
   */
  | 'VERDICT_ANSWER_FORBIDDEN'
  | 5
  /**
   * The answer took too long; see `time_limit` in its query info.
   */
  | 'VERDICT_ANSWER_TIME_LIMIT'
  | 6
  /**
   * The answer's result went over a cap before it could be compared.
   */
  | 'VERDICT_ANSWER_TOO_BIG'
  | 7

/**
 * What the comparison says of an answer. Kept apart from the reward.
 */
export type Verdict__Output = typeof Verdict[keyof typeof Verdict]
