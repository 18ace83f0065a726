// Original file: proto/sqlenv/v1/environment_service.proto


/**
 * Ends an episode early.
 */
export interface CloseRequest {
  /**
   * The episode.
   */
  'episodeId'?: (string);
}

/**
 * Ends an episode early.
 */
export interface CloseRequest__Output {
  /**
   * The episode.
   */
  'episodeId': (string);
}
