// Original file: proto/sqlenv/v1/environment_service.proto

import type { Message as _sqlenv_v1_Message, Message__Output as _sqlenv_v1_Message__Output } from '../../sqlenv/v1/Message.ts';
import type { QueryInfo as _sqlenv_v1_QueryInfo, QueryInfo__Output as _sqlenv_v1_QueryInfo__Output } from '../../sqlenv/v1/QueryInfo.ts';

/**
 * What the model would read.
 */
export interface RunSqlResponse {
  /**
   * The tool message.
   */
  'message'?: (_sqlenv_v1_Message | null);
  /**
   * How the query ran.
   */
  'query'?: (_sqlenv_v1_QueryInfo | null);
}

/**
 * What the model would read.
 */
export interface RunSqlResponse__Output {
  /**
   * The tool message.
   */
  'message': (_sqlenv_v1_Message__Output | null);
  /**
   * How the query ran.
   */
  'query': (_sqlenv_v1_QueryInfo__Output | null);
}
