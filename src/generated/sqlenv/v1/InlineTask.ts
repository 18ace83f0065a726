// Original file: proto/sqlenv/v1/task.proto


/**
 * A task that the caller brings along. Its database must be one that the server has.
 */
export interface InlineTask {
  /**
   * Name for logs and records, 1 to 200 bytes; empty takes `inline`.
   */
  'taskId'?: (string);
  /**
   * The database that the question is about.
   */
  'databaseId'?: (string);
  /**
   * The question, up to 64 kB.
   */
  'question'?: (string);
  /**
   * The SQL whose rows are right, up to 64 kB.
   */
  'goldSql'?: (string);
}

/**
 * A task that the caller brings along. Its database must be one that the server has.
 */
export interface InlineTask__Output {
  /**
   * Name for logs and records, 1 to 200 bytes; empty takes `inline`.
   */
  'taskId': (string);
  /**
   * The database that the question is about.
   */
  'databaseId': (string);
  /**
   * The question, up to 64 kB.
   */
  'question': (string);
  /**
   * The SQL whose rows are right, up to 64 kB.
   */
  'goldSql': (string);
}
