// Original file: proto/sqlenv/v1/environment_service.proto

import type { ObservationOptions as _sqlenv_v1_ObservationOptions, ObservationOptions__Output as _sqlenv_v1_ObservationOptions__Output } from '../../sqlenv/v1/ObservationOptions.ts';
import type { Limits as _sqlenv_v1_Limits, Limits__Output as _sqlenv_v1_Limits__Output } from '../../sqlenv/v1/Limits.ts';

/**
 * Runs a query without an episode.
 */
export interface RunSqlRequest {
  /**
   * The database.
   */
  'databaseId'?: (string);
  /**
   * SQL text.
   */
  'query'?: (string);
  /**
   * A tool call's arguments as JSON text, checked as in an episode.
   */
  'argumentsJson'?: (string);
  /**
   * Observation size other than the default.
   */
  'observation'?: (_sqlenv_v1_ObservationOptions | null);
  /**
   * Limits other than the defaults; only those of queries matter.
   */
  'limits'?: (_sqlenv_v1_Limits | null);
  /**
   * The query: exactly one.
   */
  'input'?: "query"|"argumentsJson";
}

/**
 * Runs a query without an episode.
 */
export interface RunSqlRequest__Output {
  /**
   * The database.
   */
  'databaseId': (string);
  /**
   * SQL text.
   */
  'query'?: (string);
  /**
   * A tool call's arguments as JSON text, checked as in an episode.
   */
  'argumentsJson'?: (string);
  /**
   * Observation size other than the default.
   */
  'observation': (_sqlenv_v1_ObservationOptions__Output | null);
  /**
   * Limits other than the defaults; only those of queries matter.
   */
  'limits': (_sqlenv_v1_Limits__Output | null);
  /**
   * The query: exactly one.
   */
  'input'?: "query"|"argumentsJson";
}
