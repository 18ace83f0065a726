// Original file: proto/sqlenv/v1/score.proto

/**
 * Where the final answer is looked for.
 */
export const AnswerScope = {
  /**
   * The server's default.
   */
  ANSWER_SCOPE_UNSPECIFIED: 'ANSWER_SCOPE_UNSPECIFIED',
  /**
   * Only the last assistant turn.
   */
  ANSWER_SCOPE_LAST_TURN: 'ANSWER_SCOPE_LAST_TURN',
  /**
   * All assistant turns that the server has seen, the last fence wins.
   */
  ANSWER_SCOPE_TRANSCRIPT: 'ANSWER_SCOPE_TRANSCRIPT',
} as const;

/**
 * Where the final answer is looked for.
 */
export type AnswerScope =
  /**
   * The server's default.
   */
  | 'ANSWER_SCOPE_UNSPECIFIED'
  | 0
  /**
   * Only the last assistant turn.
   */
  | 'ANSWER_SCOPE_LAST_TURN'
  | 1
  /**
   * All assistant turns that the server has seen, the last fence wins.
   */
  | 'ANSWER_SCOPE_TRANSCRIPT'
  | 2

/**
 * Where the final answer is looked for.
 */
export type AnswerScope__Output = typeof AnswerScope[keyof typeof AnswerScope]
