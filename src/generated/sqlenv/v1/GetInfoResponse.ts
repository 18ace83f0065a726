// Original file: proto/sqlenv/v1/environment_service.proto

import type { Limits as _sqlenv_v1_Limits, Limits__Output as _sqlenv_v1_Limits__Output } from '../../sqlenv/v1/Limits.ts';
import type { ObservationOptions as _sqlenv_v1_ObservationOptions, ObservationOptions__Output as _sqlenv_v1_ObservationOptions__Output } from '../../sqlenv/v1/ObservationOptions.ts';
import type { ScoreOptions as _sqlenv_v1_ScoreOptions, ScoreOptions__Output as _sqlenv_v1_ScoreOptions__Output } from '../../sqlenv/v1/ScoreOptions.ts';
import type { Long } from '@grpc/proto-loader';

/**
 * What the server is, holds and allows.
 */
export interface GetInfoResponse {
  /**
   * Version of the server.
   */
  'version'?: (string);
  /**
   * SQLite's version; it decides observations and rewards.
   */
  'sqliteVersion'?: (string);
  /**
   * SHA-256 over SQLite's version and compile options, lower-case hex.
   */
  'engineSha256'?: (string);
  /**
   * SHA-256 over tasks and database hashes, lower-case hex.
   */
  'catalogSha256'?: (string);
  /**
   * Number of tasks.
   */
  'taskCount'?: (number);
  /**
   * Number of databases.
   */
  'databaseCount'?: (number);
  /**
   * Tasks by split.
   */
  'splitTaskCounts'?: ({[key: string]: number});
  /**
   * Default limits.
   */
  'limits'?: (_sqlenv_v1_Limits | null);
  /**
   * Default observation size.
   */
  'observation'?: (_sqlenv_v1_ObservationOptions | null);
  /**
   * Default scoring.
   */
  'score'?: (_sqlenv_v1_ScoreOptions | null);
  /**
   * The comparison modes that it knows.
   */
  'comparisonModes'?: (string)[];
  /**
   * The tool in OpenAI form, JSON.
   */
  'toolSchemaJson'?: (string);
  /**
   * Episodes that are open now.
   */
  'episodeCount'?: (number);
  /**
   * Episodes that may be open at once.
   */
  'episodeCountMax'?: (number);
  /**
   * How long an idle episode is kept, milliseconds.
   */
  'leaseMs'?: (number | string | Long);
  /**
   * True while it shuts down.
   */
  'draining'?: (boolean);
  /**
   * Queries that wait for a thread.
   */
  'queuedQueryCount'?: (number);
  /**
   * Queries that run now.
   */
  'runningQueryCount'?: (number);
  /**
   * How long the oldest running query has been running, milliseconds; 0 if none is.
   */
  'oldestQueryMs'?: (number | string | Long);
  /**
   * Workers that died and were replaced since the start.
   */
  'lostWorkerCount'?: (number);
}

/**
 * What the server is, holds and allows.
 */
export interface GetInfoResponse__Output {
  /**
   * Version of the server.
   */
  'version': (string);
  /**
   * SQLite's version; it decides observations and rewards.
   */
  'sqliteVersion': (string);
  /**
   * SHA-256 over SQLite's version and compile options, lower-case hex.
   */
  'engineSha256': (string);
  /**
   * SHA-256 over tasks and database hashes, lower-case hex.
   */
  'catalogSha256': (string);
  /**
   * Number of tasks.
   */
  'taskCount': (number);
  /**
   * Number of databases.
   */
  'databaseCount': (number);
  /**
   * Tasks by split.
   */
  'splitTaskCounts': ({[key: string]: number});
  /**
   * Default limits.
   */
  'limits': (_sqlenv_v1_Limits__Output | null);
  /**
   * Default observation size.
   */
  'observation': (_sqlenv_v1_ObservationOptions__Output | null);
  /**
   * Default scoring.
   */
  'score': (_sqlenv_v1_ScoreOptions__Output | null);
  /**
   * The comparison modes that it knows.
   */
  'comparisonModes': (string)[];
  /**
   * The tool in OpenAI form, JSON.
   */
  'toolSchemaJson': (string);
  /**
   * Episodes that are open now.
   */
  'episodeCount': (number);
  /**
   * Episodes that may be open at once.
   */
  'episodeCountMax': (number);
  /**
   * How long an idle episode is kept, milliseconds.
   */
  'leaseMs': (number);
  /**
   * True while it shuts down.
   */
  'draining': (boolean);
  /**
   * Queries that wait for a thread.
   */
  'queuedQueryCount': (number);
  /**
   * Queries that run now.
   */
  'runningQueryCount': (number);
  /**
   * How long the oldest running query has been running, milliseconds; 0 if none is.
   */
  'oldestQueryMs': (number);
  /**
   * Workers that died and were replaced since the start.
   */
  'lostWorkerCount': (number);
}
