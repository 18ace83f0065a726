// Original file: proto/sqlenv/v1/score.proto

import type { QueryStatus as _sqlenv_v1_QueryStatus, QueryStatus__Output as _sqlenv_v1_QueryStatus__Output } from '../../sqlenv/v1/QueryStatus.ts';
import type { TimeLimit as _sqlenv_v1_TimeLimit, TimeLimit__Output as _sqlenv_v1_TimeLimit__Output } from '../../sqlenv/v1/TimeLimit.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * What is known of one query, apart from what the model reads.
 */
export interface QueryInfo {
  /**
   * How it ended.
   */
  'status'?: (_sqlenv_v1_QueryStatus);
  /**
   * The SQL that ran; empty if none did.
   */
  'sql'?: (string);
  /**
   * Rows fetched.
   */
  'rowCount'?: (number | string | Long);
  /**
   * True if a cap on rows or bytes cut the result while it was fetched.
   */
  'capped'?: (boolean);
  /**
   * True if the text that the model reads was shortened to the observation size.
   */
  'textTruncated'?: (boolean);
  /**
   * Length of the text before it was shortened, in code points.
   */
  'textSize'?: (number | string | Long);
  /**
   * CPU time of the query's thread, microseconds.
   */
  'queryCpuUs'?: (number | string | Long);
  /**
   * Wall time from the query's start in its thread, microseconds.
   */
  'queryUs'?: (number | string | Long);
  /**
   * Time that it waited for a thread, microseconds; never part of a limit.
   */
  'queueUs'?: (number | string | Long);
  /**
   * Which clock stopped it.
   */
  'timeLimit'?: (_sqlenv_v1_TimeLimit);
}

/**
 * What is known of one query, apart from what the model reads.
 */
export interface QueryInfo__Output {
  /**
   * How it ended.
   */
  'status': (_sqlenv_v1_QueryStatus__Output);
  /**
   * The SQL that ran; empty if none did.
   */
  'sql': (string);
  /**
   * Rows fetched.
   */
  'rowCount': (number);
  /**
   * True if a cap on rows or bytes cut the result while it was fetched.
   */
  'capped': (boolean);
  /**
   * True if the text that the model reads was shortened to the observation size.
   */
  'textTruncated': (boolean);
  /**
   * Length of the text before it was shortened, in code points.
   */
  'textSize': (number);
  /**
   * CPU time of the query's thread, microseconds.
   */
  'queryCpuUs': (number);
  /**
   * Wall time from the query's start in its thread, microseconds.
   */
  'queryUs': (number);
  /**
   * Time that it waited for a thread, microseconds; never part of a limit.
   */
  'queueUs': (number);
  /**
   * Which clock stopped it.
   */
  'timeLimit': (_sqlenv_v1_TimeLimit__Output);
}
