// Original file: proto/sqlenv/v1/episode.proto

/**
 * Why an episode was truncated.
 */
export const TruncationReason = {
  /**
   * It wasn't.
   */
  TRUNCATION_REASON_UNSPECIFIED: 'TRUNCATION_REASON_UNSPECIFIED',
  /**
   * The step limit.
   */
  TRUNCATION_REASON_STEP_LIMIT: 'TRUNCATION_REASON_STEP_LIMIT',
  /**
   * Too many invalid tool calls in a row.
   */
  TRUNCATION_REASON_INVALID_CALL_LIMIT: 'TRUNCATION_REASON_INVALID_CALL_LIMIT',
  /**
   * The completion-token budget.
   */
  TRUNCATION_REASON_TOKEN_LIMIT: 'TRUNCATION_REASON_TOKEN_LIMIT',
} as const;

/**
 * Why an episode was truncated.
 */
export type TruncationReason =
  /**
   * It wasn't.
   */
  | 'TRUNCATION_REASON_UNSPECIFIED'
  | 0
  /**
   * The step limit.
   */
  | 'TRUNCATION_REASON_STEP_LIMIT'
  | 1
  /**
   * Too many invalid tool calls in a row.
   */
  | 'TRUNCATION_REASON_INVALID_CALL_LIMIT'
  | 2
  /**
   * The completion-token budget.
   */
  | 'TRUNCATION_REASON_TOKEN_LIMIT'
  | 3

/**
 * Why an episode was truncated.
 */
export type TruncationReason__Output = typeof TruncationReason[keyof typeof TruncationReason]
