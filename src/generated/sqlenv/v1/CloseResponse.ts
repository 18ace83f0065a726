// Original file: proto/sqlenv/v1/environment_service.proto


/**
 * The episode is closed.
 */
export interface CloseResponse {
  /**
   * True if this call closed it; false if it had ended, was closed before, or is unknown.
   */
  'closed'?: (boolean);
}

/**
 * The episode is closed.
 */
export interface CloseResponse__Output {
  /**
   * True if this call closed it; false if it had ended, was closed before, or is unknown.
   */
  'closed': (boolean);
}
