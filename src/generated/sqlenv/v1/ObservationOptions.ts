// Original file: proto/sqlenv/v1/episode.proto

import type { TruncateSide as _sqlenv_v1_TruncateSide, TruncateSide__Output as _sqlenv_v1_TruncateSide__Output } from '../../sqlenv/v1/TruncateSide.ts';

/**
 * How long the text of one tool message may be.
 */
export interface ObservationOptions {
  /**
   * Code points that stay, the marker not counted; 0 is no truncation, absent is the server's default.
   */
  'textSizeMax'?: (number);
  /**
   * Which part stays.
   */
  'truncateSide'?: (_sqlenv_v1_TruncateSide);
  '_textSizeMax'?: "textSizeMax";
}

/**
 * How long the text of one tool message may be.
 */
export interface ObservationOptions__Output {
  /**
   * Code points that stay, the marker not counted; 0 is no truncation, absent is the server's default.
   */
  'textSizeMax'?: (number);
  /**
   * Which part stays.
   */
  'truncateSide': (_sqlenv_v1_TruncateSide__Output);
  '_textSizeMax'?: "textSizeMax";
}
