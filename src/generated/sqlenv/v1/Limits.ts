// Original file: proto/sqlenv/v1/episode.proto


/**
 * Limits of one episode and its queries. A zero takes the server's default, which GetInfo and ResetResponse show.
 */
export interface Limits {
  /**
   * Steps of an episode; the step that reaches it is the last.
   */
  'stepCountMax'?: (number);
  /**
   * Invalid tool calls in a row before the episode is truncated.
   */
  'invalidCallCountMax'?: (number);
  /**
   * Tool calls of one turn that run; the rest are ignored, as verl does.
   */
  'parallelCallCountMax'?: (number);
  /**
   * Completion tokens of the whole episode, as the trainer counts them.
   */
  'completionTokenCountMax'?: (number);
  /**
   * CPU time of one query, milliseconds.
   */
  'queryCpuMsMax'?: (number);
  /**
   * Wall-clock backstop of one query, milliseconds from its start in a thread.
   */
  'queryWallMsMax'?: (number);
  /**
   * Rows fetched for an observation.
   */
  'rowCountMax'?: (number);
  /**
   * Bytes of one cell shown in an observation.
   */
  'cellBytesMax'?: (number);
  /**
   * Bytes of all cells fetched for an observation.
   */
  'resultBytesMax'?: (number);
}

/**
 * Limits of one episode and its queries. A zero takes the server's default, which GetInfo and ResetResponse show.
 */
export interface Limits__Output {
  /**
   * Steps of an episode; the step that reaches it is the last.
   */
  'stepCountMax': (number);
  /**
   * Invalid tool calls in a row before the episode is truncated.
   */
  'invalidCallCountMax': (number);
  /**
   * Tool calls of one turn that run; the rest are ignored, as verl does.
   */
  'parallelCallCountMax': (number);
  /**
   * Completion tokens of the whole episode, as the trainer counts them.
   */
  'completionTokenCountMax': (number);
  /**
   * CPU time of one query, milliseconds.
   */
  'queryCpuMsMax': (number);
  /**
   * Wall-clock backstop of one query, milliseconds from its start in a thread.
   */
  'queryWallMsMax': (number);
  /**
   * Rows fetched for an observation.
   */
  'rowCountMax': (number);
  /**
   * Bytes of one cell shown in an observation.
   */
  'cellBytesMax': (number);
  /**
   * Bytes of all cells fetched for an observation.
   */
  'resultBytesMax': (number);
}
