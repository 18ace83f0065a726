import type { CancelSignal } from '../cancel.ts';
import type { ComparisonMode, Judgement } from '../../env/grade.ts';
import type { QueryLimits } from '../../env/limits.ts';
import type { ObservationOptions, QueryInfo, QueryStatus } from '../../env/query.ts';

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
  /** The queue is full, or what the message says is missing; nothing ran. */
  | { readonly kind: 'overloaded'; readonly message?: string }
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
  /** Queries that the result cache answered, and those that it had to let run; absent where there is no cache. */
  readonly cacheHitCount?: number;
  readonly cacheMissCount?: number;
  /** What the result cache holds now. */
  readonly cacheBytes?: number;
  readonly cacheEntryCount?: number;
}

/** What a query is run for. */
export type QueryPurpose = 'query' | 'answer' | 'gold' | 'schema' | 'spider';

/** Where a query ended; `none` if it never ran: it got a reply that was there or on its way, or was refused. */
export type QueryLane = 'fast' | 'slow' | 'none';

/** How a query ended: as the model's own doing, or as a failure of ours that never reaches a model. */
export type QueryOutcome =
  | Exclude<QueryStatus, 'unparsed' | 'invalid_arguments' | 'unknown_tool'>
  | 'gold_broken'
  | 'starved'
  | Exclude<ExecutorFailure['kind'], 'database_not_found'>;

/** Is told what becomes of queries. Called for each of them: it must cost next to nothing, and never throws. */
export interface QueryTelemetry {
  /** A query was answered, or will never be. */
  queryEnded(purpose: QueryPurpose, lane: QueryLane, outcome: QueryOutcome): void;
  /** How long it waited and ran, all attempts together; called only for those that ran to an answer. Microseconds. */
  queryTimed(lane: QueryLane, queueUs: number, cpuUs: number, wallUs: number): void;
  /** A query outlasted its trial in the fast lane and goes on in the slow one. */
  trialOverrun(): void;
}

/**
 * Runs SQL on guarded read-only SQLite. Never rejects for anything that SQL, load or a dying thread can cause: each is
 * a tagged reply. Whoever aborts the signal gets `cancelled`, and the query stops.
 */
export interface QueryExecutor {
  runQuery(request: RunQueryRequest, signal: CancelSignal): Promise<QueryRan | ExecutorFailure>;
  gradeAnswer(
    request: GradeAnswerRequest,
    signal: CancelSignal,
  ): Promise<AnswerGraded | GoldBroken | ExecutorFailure>;
  describeGold(
    databaseId: string,
    goldSql: string,
    signal: CancelSignal,
  ): Promise<GoldDescribed | GoldBroken | ExecutorFailure>;
  readSchema(databaseId: string, signal: CancelSignal): Promise<SchemaRead | ExecutorFailure>;
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
