// Original file: proto/sqlenv/v1/environment_service.proto

import type { StreamedReply as _sqlenv_v1_StreamedReply, StreamedReply__Output as _sqlenv_v1_StreamedReply__Output } from '../../sqlenv/v1/StreamedReply.ts';

/**
 * Replies that were ready at the same moment.
 */
export interface StreamStepsResponse {
  /**
   * One for each call that is over.
   */
  'replies'?: (_sqlenv_v1_StreamedReply)[];
}

/**
 * Replies that were ready at the same moment.
 */
export interface StreamStepsResponse__Output {
  /**
   * One for each call that is over.
   */
  'replies': (_sqlenv_v1_StreamedReply__Output)[];
}
