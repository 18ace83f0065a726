// Original file: proto/sqlenv/v1/episode.proto

/**
 * What happens when a turn's only tool call can't be parsed.
 */
export const OnMalformed = {
  /**
   * The server's default.
   */
  ON_MALFORMED_UNSPECIFIED: 'ON_MALFORMED_UNSPECIFIED',
  /**
   * The episode ends, unseen by the model, as in verl: the turn counts as its final answer.
   */
  ON_MALFORMED_END: 'ON_MALFORMED_END',
  /**
   * The model is told what was wrong and goes on.
   */
  ON_MALFORMED_OBSERVE: 'ON_MALFORMED_OBSERVE',
} as const;

/**
 * What happens when a turn's only tool call can't be parsed.
 */
export type OnMalformed =
  /**
   * The server's default.
   */
  | 'ON_MALFORMED_UNSPECIFIED'
  | 0
  /**
   * The episode ends, unseen by the model, as in verl: the turn counts as its final answer.
   */
  | 'ON_MALFORMED_END'
  | 1
  /**
   * The model is told what was wrong and goes on.
   */
  | 'ON_MALFORMED_OBSERVE'
  | 2

/**
 * What happens when a turn's only tool call can't be parsed.
 */
export type OnMalformed__Output = typeof OnMalformed[keyof typeof OnMalformed]
