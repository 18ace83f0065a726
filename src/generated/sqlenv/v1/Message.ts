// Original file: proto/sqlenv/v1/task.proto


/**
 * One message of a chat, as trainers and chat templates expect it.
 */
export interface Message {
  /**
   * `system`, `user`, `assistant` or `tool`.
   */
  'role'?: (string);
  /**
   * The text.
   */
  'content'?: (string);
}

/**
 * One message of a chat, as trainers and chat templates expect it.
 */
export interface Message__Output {
  /**
   * `system`, `user`, `assistant` or `tool`.
   */
  'role': (string);
  /**
   * The text.
   */
  'content': (string);
}
