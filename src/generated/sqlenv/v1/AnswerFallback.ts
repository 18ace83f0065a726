// Original file: proto/sqlenv/v1/score.proto

/**
 * What counts as an answer when there is no fenced block.
 */
export const AnswerFallback = {
  /**
   * The server's default.
   */
  ANSWER_FALLBACK_UNSPECIFIED: 'ANSWER_FALLBACK_UNSPECIFIED',
  /**
   * The last statement that starts a line with SELECT or WITH, else the last line with text.
   */
  ANSWER_FALLBACK_STATEMENT: 'ANSWER_FALLBACK_STATEMENT',
  /**
   * Nothing: no fence, no answer.
   */
  ANSWER_FALLBACK_NONE: 'ANSWER_FALLBACK_NONE',
} as const;

/**
 * What counts as an answer when there is no fenced block.
 */
export type AnswerFallback =
  /**
   * The server's default.
   */
  | 'ANSWER_FALLBACK_UNSPECIFIED'
  | 0
  /**
   * The last statement that starts a line with SELECT or WITH, else the last line with text.
   */
  | 'ANSWER_FALLBACK_STATEMENT'
  | 1
  /**
   * Nothing: no fence, no answer.
   */
  | 'ANSWER_FALLBACK_NONE'
  | 2

/**
 * What counts as an answer when there is no fenced block.
 */
export type AnswerFallback__Output = typeof AnswerFallback[keyof typeof AnswerFallback]
