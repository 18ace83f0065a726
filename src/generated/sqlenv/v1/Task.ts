// Original file: proto/sqlenv/v1/task.proto

import type { Message as _sqlenv_v1_Message, Message__Output as _sqlenv_v1_Message__Output } from '../../sqlenv/v1/Message.ts';

/**
 * A question about a database. The gold SQL stays with the server unless a debugging call asks for it.
 */
export interface Task {
  /**
   * Stable name, unique on this server, for example `spider/dev/17`.
   */
  'taskId'?: (string);
  /**
   * The database that the question is about.
   */
  'databaseId'?: (string);
  /**
   * The question, as the user message holds it.
   */
  'question'?: (string);
  /**
   * `train`, `dev` or another name that the task set uses; empty if it has none.
   */
  'split'?: (string);
  /**
   * `easy`, `medium`, `hard` or `extra` by the official Spider rule; empty if the gold can't be classified.
   */
  'difficulty'?: (string);
  /**
   * SHA-256 of the gold SQL's UTF-8 bytes, lower-case hex.
   */
  'goldSha256'?: (string);
  /**
   * The gold SQL, only if the request asked for it with `include_gold`.
   */
  'goldSql'?: (string);
  /**
   * The prompt, only if the request asked for it with `include_messages`.
   */
  'messages'?: (_sqlenv_v1_Message)[];
}

/**
 * A question about a database. The gold SQL stays with the server unless a debugging call asks for it.
 */
export interface Task__Output {
  /**
   * Stable name, unique on this server, for example `spider/dev/17`.
   */
  'taskId': (string);
  /**
   * The database that the question is about.
   */
  'databaseId': (string);
  /**
   * The question, as the user message holds it.
   */
  'question': (string);
  /**
   * `train`, `dev` or another name that the task set uses; empty if it has none.
   */
  'split': (string);
  /**
   * `easy`, `medium`, `hard` or `extra` by the official Spider rule; empty if the gold can't be classified.
   */
  'difficulty': (string);
  /**
   * SHA-256 of the gold SQL's UTF-8 bytes, lower-case hex.
   */
  'goldSha256': (string);
  /**
   * The gold SQL, only if the request asked for it with `include_gold`.
   */
  'goldSql': (string);
  /**
   * The prompt, only if the request asked for it with `include_messages`.
   */
  'messages': (_sqlenv_v1_Message__Output)[];
}
