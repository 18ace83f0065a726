import type {
  AnswerGraded,
  ExecutorFailure,
  ExecutorStats,
  GoldBroken,
  GoldDescribed,
  GradeAnswerRequest,
  QueryExecutor,
  QueryRan,
  RunQueryRequest,
  SchemaRead,
} from '../../src/episodes/ports.ts';

type Reply = QueryRan | AnswerGraded | GoldBroken | GoldDescribed | SchemaRead | ExecutorFailure;

/** What the next query does instead of running. */
export type Script =
  | { readonly fail: ExecutorFailure | GoldBroken }
  | { readonly reply: Reply }
  | { readonly reject: Error }
  /** Waits until it is released or cancelled. */
  | { readonly hold: Hold };

/** A query that waits. */
export class Hold {
  readonly #entered = withResolvers<void>();
  readonly #released = withResolvers<void>();
  cancelled = false;
  /** Its query ends well although it was cancelled, as one that was almost done. */
  readonly stubborn: boolean;

  constructor(stubborn = false) {
    this.stubborn = stubborn;
  }

  /** Resolves when the query is in. */
  get entered(): Promise<void> {
    return this.#entered.promise;
  }

  release(): void {
    this.#released.resolve();
  }

  /** Waits; true if it was cancelled. */
  async wait(signal: AbortSignal): Promise<boolean> {
    this.#entered.resolve();
    const aborted = withResolvers<void>();
    signal.addEventListener('abort', () => aborted.resolve(), { once: true });
    if (signal.aborted) aborted.resolve();
    await Promise.race([this.#released.promise, aborted.promise]);
    this.cancelled = signal.aborted;
    return signal.aborted && !this.stubborn;
  }
}

function withResolvers<T>() {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/**
 * An executor that fails or waits on command: what real SQLite can't be made to do at a given moment. Answers equal to the
 * gold match; every query gives one row with its own SQL.
 */
export class ScriptedExecutor implements QueryExecutor {
  /** Names of what was asked for, in order. */
  readonly calls: string[] = [];
  readonly #scripts = new Map<string, Script[]>();
  closed = false;

  /** Scripts the next call of a method. */
  script(method: 'runQuery' | 'gradeAnswer' | 'describeGold' | 'readSchema', next: Script): void {
    this.#scripts.set(method, [...(this.#scripts.get(method) ?? []), next]);
  }

  /** Makes the next call of a method wait. */
  hold(method: Parameters<ScriptedExecutor['script']>[0], stubborn = false): Hold {
    const hold = new Hold(stubborn);
    this.script(method, { hold });
    return hold;
  }

  async runQuery(
    request: RunQueryRequest,
    signal: AbortSignal,
  ): Promise<QueryRan | ExecutorFailure> {
    return (await this.#run('runQuery', request.sql, signal, {
      kind: 'ran',
      text: JSON.stringify({ columns: ['sql'], rows: [[request.sql]] }),
      query: queryInfo(request.sql),
    })) as QueryRan | ExecutorFailure;
  }

  async gradeAnswer(
    request: GradeAnswerRequest,
    signal: AbortSignal,
  ): Promise<AnswerGraded | GoldBroken | ExecutorFailure> {
    const matched = request.answerSql === request.goldSql;
    return (await this.#run('gradeAnswer', request.answerSql, signal, {
      kind: 'graded',
      judgements: request.comparisonModes.map((comparisonMode) => ({
        comparisonMode,
        verdict: matched ? ('match' as const) : ('mismatch' as const),
        flags: [],
        errorText: '',
        answerQuery: queryInfo(request.answerSql),
        goldRowCount: 3,
      })),
    })) as AnswerGraded | GoldBroken | ExecutorFailure;
  }

  async describeGold(
    _databaseId: string,
    goldSql: string,
    signal: AbortSignal,
  ): Promise<GoldDescribed | GoldBroken | ExecutorFailure> {
    return (await this.#run('describeGold', goldSql, signal, {
      kind: 'gold',
      rowCount: 3,
      columnCount: 1,
      queryCpuUs: 1,
      queryUs: 1,
      tie: false,
      volatile: false,
    })) as GoldDescribed | GoldBroken | ExecutorFailure;
  }

  async readSchema(databaseId: string, signal: AbortSignal): Promise<SchemaRead | ExecutorFailure> {
    return (await this.#run('readSchema', databaseId, signal, {
      kind: 'schema',
      schema: {
        tableSqls: ['CREATE TABLE singer (name TEXT)'],
        tables: [{ name: 'singer', columns: ['name'] }],
      },
    })) as SchemaRead | ExecutorFailure;
  }

  stats(): ExecutorStats {
    return {
      queuedCount: 0,
      runningCount: 0,
      slowCount: 0,
      oldestQueryMs: 0,
      lostWorkerCount: 0,
      threadCount: 1,
    };
  }

  async close(): Promise<void> {
    this.closed = true;
  }

  async #run(method: string, what: string, signal: AbortSignal, reply: Reply): Promise<Reply> {
    this.calls.push(`${method} ${what}`);
    const script = this.#scripts.get(method)?.shift();
    if (script === undefined) return signal.aborted ? { kind: 'cancelled' } : reply;
    if ('fail' in script) return script.fail;
    if ('reply' in script) return script.reply;
    if ('reject' in script) throw script.reject;
    return (await script.hold.wait(signal)) ? { kind: 'cancelled' } : reply;
  }
}

/** What is known of a query that went well. */
export function queryInfo(sql: string): QueryRan['query'] {
  return {
    status: 'ok',
    sql,
    rowCount: 1,
    capped: false,
    textTruncated: false,
    textSize: 10,
    queryCpuUs: 5,
    queryUs: 7,
    queueUs: 1,
    timeLimit: 'none',
  };
}
