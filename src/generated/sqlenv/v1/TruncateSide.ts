// Original file: proto/sqlenv/v1/episode.proto

/**
 * Which end of a text is kept when it is too long. Names as in verl 0.8 and later.
 */
export const TruncateSide = {
  /**
   * The server's default.
   */
  TRUNCATE_SIDE_UNSPECIFIED: 'TRUNCATE_SIDE_UNSPECIFIED',
  /**
   * Head and tail stay.
   */
  TRUNCATE_SIDE_MIDDLE: 'TRUNCATE_SIDE_MIDDLE',
  /**
   * The tail stays.
   */
  TRUNCATE_SIDE_LEFT: 'TRUNCATE_SIDE_LEFT',
  /**
   * The head stays.
   */
  TRUNCATE_SIDE_RIGHT: 'TRUNCATE_SIDE_RIGHT',
} as const;

/**
 * Which end of a text is kept when it is too long. Names as in verl 0.8 and later.
 */
export type TruncateSide =
  /**
   * The server's default.
   */
  | 'TRUNCATE_SIDE_UNSPECIFIED'
  | 0
  /**
   * Head and tail stay.
   */
  | 'TRUNCATE_SIDE_MIDDLE'
  | 1
  /**
   * The tail stays.
   */
  | 'TRUNCATE_SIDE_LEFT'
  | 2
  /**
   * The head stays.
   */
  | 'TRUNCATE_SIDE_RIGHT'
  | 3

/**
 * Which end of a text is kept when it is too long. Names as in verl 0.8 and later.
 */
export type TruncateSide__Output = typeof TruncateSide[keyof typeof TruncateSide]
