// Original file: proto/sqlenv/v1/episode.proto

/**
 * Why an episode terminated.
 */
export const TerminationReason = {
  /**
   * It didn't.
   */
  TERMINATION_REASON_UNSPECIFIED: 'TERMINATION_REASON_UNSPECIFIED',
  /**
   * A final answer.
   */
  TERMINATION_REASON_ANSWER: 'TERMINATION_REASON_ANSWER',
  /**
   * A turn whose only tool call was malformed, under ON_MALFORMED_END.
   */
  TERMINATION_REASON_MALFORMED_CALL: 'TERMINATION_REASON_MALFORMED_CALL',
} as const;

/**
 * Why an episode terminated.
 */
export type TerminationReason =
  /**
   * It didn't.
   */
  | 'TERMINATION_REASON_UNSPECIFIED'
  | 0
  /**
   * A final answer.
   */
  | 'TERMINATION_REASON_ANSWER'
  | 1
  /**
   * A turn whose only tool call was malformed, under ON_MALFORMED_END.
   */
  | 'TERMINATION_REASON_MALFORMED_CALL'
  | 2

/**
 * Why an episode terminated.
 */
export type TerminationReason__Output = typeof TerminationReason[keyof typeof TerminationReason]
