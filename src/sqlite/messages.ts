import type { GoldSummary } from '../../env/compare/summary.ts';
import type { ComparisonMode, Judgement } from '../../env/grade.ts';
import type { QueryLimits } from '../../env/limits.ts';
import type { ObservationOptions, QueryInfo } from '../../env/query.ts';
import type { DatabaseSchema, EngineInfo } from '../episodes/ports.ts';
import type { SpiderComparison, SpiderGraded } from '../evaluate/ports.ts';

/** Clocks of one run: how long the query may take before it is stopped. Milliseconds. */
export interface RunClocks {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** What every message to a worker carries. */
interface MessageBase {
  /** Names the query to the guard, so that the main thread can cancel it. */
  readonly queryId: number;
  readonly file: DatabaseFile;
  /** Clocks of this attempt; in the fast lane shorter than the query's own limits. */
  readonly clocks: RunClocks;
  /** A query stopped by its clocks is answered `slow`, not scored: it will be run again in the slow lane. */
  readonly trial: boolean;
}

/** A database as the catalog knew it; a file that has changed since is not read. */
export interface DatabaseFile {
  readonly databaseId: string;
  readonly path: string;
  readonly fingerprint: string;
}

/** What a worker can be asked, several in one message. Structured-clone types only; a worker never throws on purpose. */
export type WorkerMessage =
  | (MessageBase & {
      readonly kind: 'run_query';
      readonly sql: string;
      readonly limits: QueryLimits;
      readonly observation: ObservationOptions;
    })
  | (MessageBase & {
      readonly kind: 'grade_answer';
      readonly answerSql: string;
      readonly gold: GoldSummary;
      readonly comparisonModes: readonly ComparisonMode[];
      readonly limits: QueryLimits;
    })
  | (MessageBase & {
      readonly kind: 'summarize_gold';
      readonly goldSql: string;
      readonly rowCountMax: number;
    })
  | (MessageBase & { readonly kind: 'read_schema' })
  | (MessageBase &
      SpiderItem & {
        readonly kind: 'grade_spider';
        /** What a run of the answer may take; the clocks of this attempt can be shorter. */
        readonly limits: RunClocks;
      })
  | (Omit<MessageBase, 'file'> & {
      readonly kind: 'grade_spider_batch';
      readonly items: readonly SpiderItem[];
      readonly limits: RunClocks;
    });

/** One answer to be judged as the official scripts do. */
export interface SpiderItem {
  readonly file: DatabaseFile;
  /** Databases besides `file` that the answer must match on. */
  readonly moreFiles: readonly DatabaseFile[];
  readonly comparisons: readonly SpiderComparison[];
}

/** What a query used, microseconds; `startedUs` is on the clock of `process.hrtime`, shared by all threads. */
export interface RunTimes {
  readonly startedUs: number;
  readonly cpuUs: number;
  readonly wallUs: number;
}

/** What a worker answers. */
export type WorkerReply =
  | {
      readonly kind: 'ran';
      readonly text: string;
      readonly query: QueryInfo;
      /** The same query would give the same again, so that the reply may be kept for it. */
      readonly lasting: boolean;
      readonly times: RunTimes;
    }
  | {
      readonly kind: 'graded';
      readonly judgements: readonly Judgement[];
      /** As above. */
      readonly lasting: boolean;
      readonly times: RunTimes;
    }
  | (SpiderGraded & { readonly times: RunTimes })
  /** undefined for answers that are to be judged on their own. */
  | {
      readonly kind: 'spider_batch';
      readonly outcomes: readonly (SpiderGraded['outcomes'] | undefined)[];
      readonly times: RunTimes;
    }
  | { readonly kind: 'gold'; readonly gold: GoldSummary; readonly times: RunTimes }
  | { readonly kind: 'gold_broken'; readonly message: string; readonly times: RunTimes }
  | { readonly kind: 'schema'; readonly schema: DatabaseSchema; readonly times: RunTimes }
  /** The trial's clocks stopped it. */
  | { readonly kind: 'slow'; readonly times: RunTimes }
  /** The wall-clock backstop stopped our own query (gold, schema) with CPU time left: the machine is busy. */
  | { readonly kind: 'starved' }
  /** The process has no descriptors left to open the database with. */
  | { readonly kind: 'out_of_files' }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'database_broken'; readonly message: string }
  | { readonly kind: 'internal'; readonly message: string };

/** What a worker says of itself once it has loaded everything. */
export interface LoadedMessage {
  readonly loadedThreadId: number;
  /** Memory of its `ThreadState`. */
  readonly state: SharedArrayBuffer;
}

/** What the first worker reports. */
export type EngineReply =
  | { readonly kind: 'engine'; readonly engine: EngineInfo }
  | { readonly kind: 'internal'; readonly message: string };
