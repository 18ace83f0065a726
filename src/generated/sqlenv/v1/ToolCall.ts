// Original file: proto/sqlenv/v1/episode.proto


/**
 * A tool call that the caller has parsed.
 */
export interface ToolCall {
  /**
   * Name of the tool.
   */
  'name'?: (string);
  /**
   * Its arguments as JSON text, whatever the model gave: an object, a string, a list, null.
   */
  'argumentsJson'?: (string);
}

/**
 * A tool call that the caller has parsed.
 */
export interface ToolCall__Output {
  /**
   * Name of the tool.
   */
  'name': (string);
  /**
   * Its arguments as JSON text, whatever the model gave: an object, a string, a list, null.
   */
  'argumentsJson': (string);
}
