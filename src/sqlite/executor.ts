import { GOLD_LIMITS, type QueryLimits } from '../../env/limits.ts';
import type {
  AnswerGraded,
  EngineInfo,
  ExecutorFailure,
  ExecutorStats,
  GoldBroken,
  GoldDescribed,
  GradeAnswerRequest,
  QueryExecutor,
  QueryRan,
  QueryTelemetry,
  RunQueryRequest,
  SchemaRead,
} from '../episodes/ports.ts';
import type { CancelSignal } from '../cancel.ts';
import { answerFailed } from './answer-reply.ts';
import { failureOf, unexpected } from './executor-failure.ts';
import { raisedLimits } from './failure.ts';
import { FileWatch } from './file-watch.ts';
import { GoldStore } from './gold-store.ts';
import { Interned, limitsKey } from './interned.ts';
import type { JobOrder, JobReply } from './job.ts';
import { Lane } from './lane.ts';
import type { DatabaseFile } from './messages.ts';
import { loadGuard } from './native-guard.ts';
import { queryFailed } from './query-reply.ts';
import { ResultCache } from './result-cache.ts';
import { Scheduler } from './scheduler.ts';
import { SqliteSpiderGrader } from './spider-grader.ts';
import { laneSizes, type ThreadOptions } from './thread-counts.ts';

/** Clocks of reading a schema, milliseconds. */
const SCHEMA_CLOCKS = { cpuMs: 10_000, wallMs: 60_000 };

/** How much longer than its gold an answer may take at least: one that does what the gold does must not be too slow. */
const GOLD_FACTOR = 2;

/** What an executor needs to know. */
export interface ExecutorOptions extends ThreadOptions {
  /** The databases by id, as the catalog found them. */
  readonly databases: ReadonlyMap<string, DatabaseFile>;
  /** Queries that may wait for a thread; more are refused at once. */
  readonly queueCountMax: number;
  /** Is told what becomes of queries; undefined where nobody measures. */
  readonly telemetry?: QueryTelemetry | undefined;
  /** Bytes of results that are kept for those who ask the same; 0 keeps none, as does undefined. */
  readonly resultCacheBytesMax?: number | undefined;
}

/** Starts the threads. Throws `GuardUnavailableError` where the guard is missing. */
export async function createExecutor(options: ExecutorOptions): Promise<SqliteExecutor> {
  const guard = loadGuard();
  const sizes = laneSizes(options);
  const lanes = { fast: new Lane('fast', sizes.fast), slow: new Lane('slow', sizes.slow) };
  try {
    const reply = await lanes.fast.describeEngine();
    if (reply.kind === 'internal') throw new Error(reply.message);
    const cache = new ResultCache(options.resultCacheBytesMax ?? 0);
    const scheduler = new Scheduler(guard, lanes, options.queueCountMax, cache, options.telemetry);
    return new SqliteExecutor(options.databases, lanes, scheduler, cache, reply.engine);
  } catch (error) {
    await Promise.all([lanes.fast.close(), lanes.slow.close()]);
    throw error;
  }
}

/** {@link QueryExecutor} over worker threads with guarded SQLite connections. Made by {@link createExecutor}. */
export class SqliteExecutor implements QueryExecutor {
  readonly engine: EngineInfo;
  /** The comparisons that are Spider's own. */
  readonly spider: SqliteSpiderGrader;
  readonly #databases: ReadonlyMap<string, DatabaseFile>;
  readonly #lanes: { readonly fast: Lane; readonly slow: Lane };
  readonly #scheduler: Scheduler;
  readonly #cache: ResultCache;
  readonly #watch: FileWatch;
  readonly #golds = new GoldStore();
  readonly #interned = new Interned();
  #closing: Promise<void> | undefined;

  constructor(
    databases: ReadonlyMap<string, DatabaseFile>,
    lanes: { readonly fast: Lane; readonly slow: Lane },
    scheduler: Scheduler,
    cache: ResultCache,
    engine: EngineInfo,
  ) {
    this.#cache = cache;
    this.#watch = new FileWatch();
    this.#databases = databases;
    this.#lanes = lanes;
    this.#scheduler = scheduler;
    this.engine = engine;
    this.spider = new SqliteSpiderGrader(databases, scheduler, (file, goldSql, signal) =>
      this.#gold(file, goldSql, signal),
    );
  }

  /** Runs a query of the model; see {@link QueryExecutor}. */
  async runQuery(
    request: RunQueryRequest,
    signal: CancelSignal,
  ): Promise<QueryRan | ExecutorFailure> {
    const file = this.#databases.get(request.databaseId);
    if (!file) return { kind: 'database_not_found' };
    const { sql } = request;
    const limits = this.#interned.limits(request.limits);
    const observation = this.#interned.observation(request.observation);
    const keptCounts = this.#isUnchanged(file) || (await this.#isFoundUnchanged(file));
    const reply = await this.#scheduler.run(
      {
        purpose: 'query',
        key: `${request.databaseId}\0${sql}`,
        shareKey: this.#shareKey(
          file,
          sql,
          limits,
          `run ${observation.textSizeMax} ${observation.truncateSide}`,
        ),
        keptCounts,
        clocks: { cpuMs: limits.queryCpuMsMax, wallMs: limits.queryWallMsMax },
        build: (attempt) => ({ kind: 'run_query', file, sql, limits, observation, ...attempt }),
        timedOut: (message, timeLimit, times) =>
          message.kind === 'run_query'
            ? queryFailed(message, { kind: 'time_limit', timeLimit }, times, false)
            : unexpected(message),
      },
      signal,
    );
    return reply.kind === 'ran'
      ? { kind: 'ran', text: reply.text, query: reply.query }
      : failureOf(reply);
  }

  /** Judges an answer; see {@link QueryExecutor}. */
  async gradeAnswer(
    request: GradeAnswerRequest,
    signal: CancelSignal,
  ): Promise<AnswerGraded | GoldBroken | ExecutorFailure> {
    const file = this.#databases.get(request.databaseId);
    if (!file) return { kind: 'database_not_found' };
    const keptCounts = this.#isUnchanged(file) || (await this.#isFoundUnchanged(file));
    const known = await this.#gold(file, request.goldSql, signal);
    if (known.kind === 'gold_broken') return { kind: 'gold_broken', message: known.message };
    if (known.kind !== 'gold') return failureOf(known);
    const { gold } = known;
    const { answerSql, comparisonModes } = request;
    const goldMs = Math.ceil((known.times.cpuUs * GOLD_FACTOR) / 1_000);
    const limits = this.#interned.limits(raisedLimits(request.limits, goldMs));
    const reply = await this.#scheduler.run(
      {
        purpose: 'answer',
        key: `${request.databaseId}\0${answerSql}`,
        shareKey: gold.volatile
          ? undefined
          : this.#shareKey(
              file,
              answerSql,
              limits,
              `grade ${comparisonModes.join()}\0${request.goldSql}`,
            ),
        keptCounts,
        clocks: { cpuMs: limits.queryCpuMsMax, wallMs: limits.queryWallMsMax },
        build: (attempt) => ({
          kind: 'grade_answer',
          file,
          answerSql,
          gold,
          comparisonModes,
          limits,
          ...attempt,
        }),
        timedOut: (message, timeLimit, times) =>
          message.kind === 'grade_answer'
            ? answerFailed(message, { kind: 'time_limit', timeLimit }, times, false)
            : unexpected(message),
      },
      signal,
    );
    if (reply.kind === 'graded') return { kind: 'graded', judgements: reply.judgements };
    return failureOf(reply);
  }

  /** Runs a gold, once for all callers; see {@link QueryExecutor}. */
  async describeGold(
    databaseId: string,
    goldSql: string,
    signal: CancelSignal,
  ): Promise<GoldDescribed | GoldBroken | ExecutorFailure> {
    const file = this.#databases.get(databaseId);
    if (!file) return { kind: 'database_not_found' };
    const reply = await this.#gold(file, goldSql, signal);
    if (reply.kind === 'gold_broken') return { kind: 'gold_broken', message: reply.message };
    if (reply.kind !== 'gold') return failureOf(reply);
    const { rowCount, columnCount, tie, volatile } = reply.gold;
    const { cpuUs, wallUs } = reply.times;
    return {
      kind: 'gold',
      rowCount,
      columnCount,
      queryCpuUs: cpuUs,
      queryUs: wallUs,
      tie,
      volatile,
    };
  }

  /** Reads what the prompts show of a database; see {@link QueryExecutor}. */
  async readSchema(
    databaseId: string,
    signal: CancelSignal,
  ): Promise<SchemaRead | ExecutorFailure> {
    const file = this.#databases.get(databaseId);
    if (!file) return { kind: 'database_not_found' };
    const reply = await this.#scheduler.run(
      {
        purpose: 'schema',
        key: `${databaseId}\0schema`,
        clocks: SCHEMA_CLOCKS,
        build: (attempt) => ({ kind: 'read_schema', file, ...attempt }),
        timedOut: () => ({ kind: 'starved' }),
      },
      signal,
    );
    return reply.kind === 'schema' ? { kind: 'schema', schema: reply.schema } : failureOf(reply);
  }

  /** What it is doing now. */
  stats(): ExecutorStats {
    const cache = this.#cache.stats;
    return {
      ...this.#scheduler.stats,
      cacheHitCount: cache.hitCount,
      cacheMissCount: cache.missCount,
      cacheEntryCount: cache.entryCount,
      cacheBytes: cache.bytes,
      threadCount: this.#lanes.fast.threadCount + this.#lanes.slow.threadCount,
    };
  }

  /** Ends a thread of the fast lane under whatever it does; for tests of that fault. */
  async killThread(index: number): Promise<void> {
    await this.#lanes.fast.killThread(index);
  }

  /** Stops running queries and ends the threads; idempotent. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      // A thread must not be ended inside better-sqlite3: its next use of V8 would end the whole process.
      await this.#scheduler.cancelAll();
      await Promise.all([this.#lanes.fast.close(), this.#lanes.slow.close()]);
    })();
    return this.#closing;
  }

  /** Whether a reply from before may be given: the file is known to be the one that was served. */
  #isUnchanged(file: DatabaseFile): boolean {
    return !this.#cache.isOn || this.#watch.isUnchanged(file);
  }

  /** The same after a look at it. */
  async #isFoundUnchanged(file: DatabaseFile): Promise<boolean> {
    await this.#watch.settled(file);
    return this.#isUnchanged(file);
  }

  /** Everything that decides a reply; undefined where none is shared. */
  #shareKey(
    file: DatabaseFile,
    sql: string,
    limits: QueryLimits,
    purpose: string,
  ): string | undefined {
    if (!this.#cache.isOn) return undefined;
    // With its length, so that no text can pass for another one's end.
    return `${file.databaseId}\0${file.fingerprint} ${limitsKey(limits)} ${sql.length}\0${sql}\0${purpose}`;
  }

  #gold(file: DatabaseFile, goldSql: string, signal: CancelSignal): Promise<JobReply> {
    const order: JobOrder = {
      purpose: 'gold',
      key: `${file.databaseId}\0${goldSql}`,
      clocks: { cpuMs: GOLD_LIMITS.queryCpuMsMax, wallMs: GOLD_LIMITS.queryWallMsMax },
      build: (attempt) => ({
        kind: 'summarize_gold',
        file,
        goldSql,
        rowCountMax: GOLD_LIMITS.rowCountMax,
        ...attempt,
      }),
      timedOut: () => ({ kind: 'starved' }),
    };
    const key = `${file.databaseId}\0${file.fingerprint}\0${goldSql}`;
    return this.#golds.get(key, signal, (shared) => this.#scheduler.run(order, shared));
  }
}
