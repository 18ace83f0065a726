// Original file: proto/sqlenv/v1/score.proto

/**
 * Something that makes a verdict suspect. Flags never change the reward, but under REWARD_GUARD_STRICT.
 */
export const ScoreFlag = {
  /**
   * Never sent.
   */
  SCORE_FLAG_UNSPECIFIED: 'SCORE_FLAG_UNSPECIFIED',
  /**
   * Gold and answer both have no rows.
   */
  SCORE_FLAG_BOTH_EMPTY: 'SCORE_FLAG_BOTH_EMPTY',
  /**
   * The gold is one row with one column.
   */
  SCORE_FLAG_GOLD_SCALAR: 'SCORE_FLAG_GOLD_SCALAR',
  /**
   * The answer reads no table.
   */
  SCORE_FLAG_ANSWER_TABLE_FREE: 'SCORE_FLAG_ANSWER_TABLE_FREE',
  /**
   * The answer reads no table, and its one value equals the gold's.
   */
  SCORE_FLAG_ANSWER_CONSTANT: 'SCORE_FLAG_ANSWER_CONSTANT',
  /**
   * The gold's LIMIT cuts between rows that are equal on its sort keys.
   */
  SCORE_FLAG_GOLD_TIE: 'SCORE_FLAG_GOLD_TIE',
  /**
   * The gold calls the clock or a random function.
   */
  SCORE_FLAG_GOLD_VOLATILE: 'SCORE_FLAG_GOLD_VOLATILE',
  /**
   * The wall-clock backstop stopped the answer with CPU time left.
   */
  SCORE_FLAG_WALL_BACKSTOP: 'SCORE_FLAG_WALL_BACKSTOP',
} as const;

/**
 * Something that makes a verdict suspect. Flags never change the reward, but under REWARD_GUARD_STRICT.
 */
export type ScoreFlag =
  /**
   * Never sent.
   */
  | 'SCORE_FLAG_UNSPECIFIED'
  | 0
  /**
   * Gold and answer both have no rows.
   */
  | 'SCORE_FLAG_BOTH_EMPTY'
  | 1
  /**
   * The gold is one row with one column.
   */
  | 'SCORE_FLAG_GOLD_SCALAR'
  | 2
  /**
   * The answer reads no table.
   */
  | 'SCORE_FLAG_ANSWER_TABLE_FREE'
  | 3
  /**
   * The answer reads no table, and its one value equals the gold's.
   */
  | 'SCORE_FLAG_ANSWER_CONSTANT'
  | 4
  /**
   * The gold's LIMIT cuts between rows that are equal on its sort keys.
   */
  | 'SCORE_FLAG_GOLD_TIE'
  | 5
  /**
   * The gold calls the clock or a random function.
   */
  | 'SCORE_FLAG_GOLD_VOLATILE'
  | 6
  /**
   * The wall-clock backstop stopped the answer with CPU time left.
   */
  | 'SCORE_FLAG_WALL_BACKSTOP'
  | 7

/**
 * Something that makes a verdict suspect. Flags never change the reward, but under REWARD_GUARD_STRICT.
 */
export type ScoreFlag__Output = typeof ScoreFlag[keyof typeof ScoreFlag]
