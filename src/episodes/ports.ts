import type { ComparisonMode, Judgement } from '../../env/grade.ts';
import type { QueryLimits } from '../../env/limits.ts';
import type { ObservationOptions, QueryInfo } from '../../env/query.ts';

/** A query of the model, to be run as the tool does. */
export interface RunQueryRequest {
  readonly databaseId: string;
  readonly sql: string;
  readonly limits: QueryLimits;
  readonly observation: ObservationOptions;
}

/** An answer to be judged against a gold. */
export interface GradeAnswerRequest {
  readonly databaseId: string;
  readonly goldSql: string;
  readonly answerSql: string;
  readonly comparisonModes: readonly ComparisonMode[];
  readonly limits: QueryLimits;
}

/** Tables and columns as the prompts need them. */
export interface DatabaseSchema {
  /** `sql` of every table, ordered by name, stripped: the `ddl` prompt joins them by blank lines. */
  readonly tableSqls: readonly string[];
  /** Tables in the order of the file with their columns in table order: the `compact` prompt. */
  readonly tables: readonly { readonly name: string; readonly columns: readonly string[] }[];
}

/** Why the executor could not do what it was asked. None of these may become a reward or an observation. */
export type ExecutorFailure =
  /** The queue is full; nothing ran. */
  | { readonly kind: 'overloaded' }
  /** The signal fired; the query was stopped or never started. */
  | { readonly kind: 'cancelled' }
  /** The thread died under the query; it has been replaced. */
  | { readonly kind: 'worker_lost' }
  /** The database is unknown here. */
  | { readonly kind: 'database_not_found' }
  /** The file is missing, changed, locked or corrupt; the message holds no host path. */
  | { readonly kind: 'database_broken'; readonly message: string }
  /** An invariant broke; for the log only. */
  | { readonly kind: 'internal'; readonly message: string };

/** The tool's answer: text as the model reads it, already shortened to the observation size. */
export interface QueryRan {
  readonly kind: 'ran';
  readonly text: string;
  readonly query: QueryInfo;
}

/** The answer was judged, once for each mode asked for, in that order. */
export interface AnswerGraded {
  readonly kind: 'graded';
  readonly judgements: readonly Judgement[];
}

/** The gold does not run within its own limits: an error of the call, never a reward. */
export interface GoldBroken {
  readonly kind: 'gold_broken';
  readonly message: string;
}

/** What a task's gold is like; `validate` reports it. */
export interface GoldDescribed {
  readonly kind: 'gold';
  readonly rowCount: number;
  readonly columnCount: number;
  readonly queryCpuUs: number;
  readonly queryUs: number;
  /** Its LIMIT cuts between rows that are equal on its sort keys. */
  readonly tie: boolean;
  /** It calls the clock or a random function. */
  readonly volatile: boolean;
}

/** The schema was read. */
export interface SchemaRead {
  readonly kind: 'schema';
  readonly schema: DatabaseSchema;
}

/** What the executor is doing now. Times are in milliseconds. */
export interface ExecutorStats {
  readonly queuedCount: number;
  readonly runningCount: number;
  /** Queries that run in the slow lane now. */
  readonly slowCount: number;
  readonly oldestQueryMs: number;
  readonly lostWorkerCount: number;
  readonly threadCount: number;
}

/**
 * Runs SQL on guarded read-only SQLite. Never rejects for anything that SQL, load or a dying thread can cause: each is
 * a tagged reply. Whoever aborts the signal gets `cancelled`, and the query stops.
 */
export interface QueryExecutor {
  runQuery(request: RunQueryRequest, signal: AbortSignal): Promise<QueryRan | ExecutorFailure>;
  gradeAnswer(
    request: GradeAnswerRequest,
    signal: AbortSignal,
  ): Promise<AnswerGraded | GoldBroken | ExecutorFailure>;
  describeGold(
    databaseId: string,
    goldSql: string,
    signal: AbortSignal,
  ): Promise<GoldDescribed | GoldBroken | ExecutorFailure>;
  readSchema(databaseId: string, signal: AbortSignal): Promise<SchemaRead | ExecutorFailure>;
  stats(): ExecutorStats;
  /** Stops running queries and ends the threads; idempotent. */
  close(): Promise<void>;
}

/** Version and build of the SQLite that decides observations and rewards. */
export interface EngineInfo {
  readonly sqliteVersion: string;
  /** SHA-256 over version and compile options, lower-case hex. */
  readonly engineSha256: string;
}
