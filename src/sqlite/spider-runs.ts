import { LRUCache } from 'lru-cache';
import type { Verdict } from '../../env/grade.ts';
import { GOLD_LIMITS } from '../../env/limits.ts';
import { timeLimitMessage, TOO_BIG_MESSAGE } from '../../env/refusals.ts';
import { checkSql } from './check-sql.ts';
import type { Connection } from './connection.ts';
import { raisedLimits, toldTimeLimit, type RunFailure } from './failure.ts';
import { fetchCells, NO_CELLS, type CellCaps, type FetchedCells } from './fetch-cells.ts';
import { guardedRun } from './guarded-run.ts';
import type { DatabaseFile, RunClocks, RunTimes, WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';

/** Judges an answer as the official scripts do. */
export type SpiderMessage = Extract<WorkerMessage, { kind: 'grade_spider' }>;

/** Opens a database, or says why it can't be. */
export type OpenConnection = (file: DatabaseFile) => Connection | WorkerReply;

/** A gold's result on one database. */
export interface GoldRun {
  readonly kind: 'gold_run';
  readonly result: FetchedCells;
  readonly cpuUs: number;
}

/** What an answer gave on one database. */
export type AnswerRun =
  | { readonly kind: 'ran'; readonly result: FetchedCells }
  | { readonly kind: 'failed'; readonly verdict: Verdict; readonly errorText: string };

/** The message is answered with this, whatever else there was to do. */
export interface Stopped {
  readonly kind: 'stopped';
  readonly reply: WorkerReply;
}

/** The gold itself fails. */
export interface BrokenGold {
  readonly kind: 'gold_broken';
  readonly message: string;
}

/** Bytes of a gold's results on all databases of a task, about: comparing takes several times as much of a thread's heap. */
const GOLD_BYTES_MAX = 64_000_000;

/** Bytes that an answer's result may have over its gold's, about. */
const ANSWER_BYTES_OVER_GOLD_MAX = 16_000_000;

const GOLD_TOO_BIG = "the gold's result is too big";

/** How much longer than its gold an answer may take at least. */
const GOLD_FACTOR = 2;

/** How many trials' worth of CPU time one message may take in the fast lane, all its runs together. */
const TRIAL_RUN_COUNT = 10;

/** Results of golds that this thread keeps: tasks share golds, and modes do. */
const KEPT_GOLD_COUNT_MAX = 100;
const KEPT_GOLD_BYTES_MAX = 32_000_000;

const golds = new LRUCache<string, GoldRun>({
  max: KEPT_GOLD_COUNT_MAX,
  maxSize: KEPT_GOLD_BYTES_MAX,
  sizeCalculation: ({ result }, key) => result.bytes + key.length * 2 + 1,
});

/** The runs of one message: golds under limits of their own, answers under the message's, and all of them counted. */
export class SpiderRuns {
  readonly #guard: NativeGuard;
  readonly #open: OpenConnection;
  readonly #message: SpiderMessage;
  readonly #startedUs = Number(process.hrtime.bigint() / 1_000n);
  /** By gold that this message has asked for. */
  readonly #goldBytes = new Map<string, number>();
  #cpuUs = 0;
  #wallUs = 0;
  /** The last answer that ran: both official scripts mostly run the same text. */
  #last: { readonly key: string; readonly run: AnswerRun } | undefined;

  constructor(guard: NativeGuard, open: OpenConnection, message: SpiderMessage) {
    this.#guard = guard;
    this.#open = open;
    this.#message = message;
  }

  /** What all runs so far have used. */
  get times(): RunTimes {
    return { startedUs: this.#startedUs, cpuUs: this.#cpuUs, wallUs: this.#wallUs };
  }

  /** Runs a gold, or remembers it. */
  gold(file: DatabaseFile, sql: string): GoldRun | BrokenGold | Stopped {
    const key = `${file.path}\0${file.fingerprint}\0${sql}`;
    const run = golds.get(key) ?? this.#runGold(file, sql);
    if (run.kind !== 'gold_run') return run;
    if (!this.#goldBytes.has(key)) this.#goldBytes.set(key, run.result.bytes);
    const bytes = [...this.#goldBytes.values()].reduce((sum, each) => sum + each, 0);
    if (bytes > GOLD_BYTES_MAX) return broken(GOLD_TOO_BIG);
    if (run.result.bytes <= KEPT_GOLD_BYTES_MAX) golds.set(key, run);
    return run;
  }

  #runGold(file: DatabaseFile, sql: string): GoldRun | BrokenGold | Stopped {
    const check = checkSql(sql);
    if (check === 'empty') return broken('the gold SQL is empty');
    if (check !== 'run') return this.#goldFailed(check);
    const clocks = this.#message.trial
      ? this.#message.clocks
      : { cpuMs: GOLD_LIMITS.queryCpuMsMax, wallMs: GOLD_LIMITS.queryWallMsMax };
    const caps = { rowCountMax: GOLD_LIMITS.rowCountMax, bytesMax: GOLD_BYTES_MAX };
    const outcome = this.#run(file, sql, clocks, caps);
    if (outcome.kind === 'stopped') return outcome;
    if (outcome.kind === 'failed') return this.#goldFailed(outcome.failure);
    if (outcome.value.over !== 'none') return broken(GOLD_TOO_BIG);
    return { kind: 'gold_run', result: outcome.value, cpuUs: outcome.times.cpuUs };
  }

  /** Runs an answer; of more rows than the gold has, one is fetched, which is enough to know. */
  answer(file: DatabaseFile, sql: string, gold: GoldRun): AnswerRun | Stopped {
    const rowCountMax = gold.result.rows.length + 1;
    const key = `${rowCountMax}\0${file.path}\0${sql}`;
    if (this.#last?.key === key) return this.#last.run;
    const run = this.#runAnswer(file, sql, gold, rowCountMax);
    if (run.kind !== 'stopped') this.#last = { key, run };
    return run;
  }

  #runAnswer(
    file: DatabaseFile,
    sql: string,
    gold: GoldRun,
    rowCountMax: number,
  ): AnswerRun | Stopped {
    const { trial, clocks } = this.#message;
    if (trial && this.#cpuUs > TRIAL_RUN_COUNT * clocks.cpuMs * 1_000) return this.#slow();
    const check = checkSql(sql);
    if (check === 'empty') return { kind: 'ran', result: NO_CELLS };
    if (check !== 'run') return this.#answerFailed(check, 0);
    const goldMs = trial ? 0 : Math.ceil((gold.cpuUs * GOLD_FACTOR) / 1_000);
    const raised = raisedLimits(limitsOf(clocks), goldMs);
    const allowed = { cpuMs: raised.queryCpuMsMax, wallMs: raised.queryWallMsMax };
    const outcome = this.#run(file, sql, allowed, {
      rowCountMax,
      bytesMax: gold.result.bytes + ANSWER_BYTES_OVER_GOLD_MAX,
    });
    if (outcome.kind === 'stopped') return outcome;
    if (outcome.kind === 'failed') return this.#answerFailed(outcome.failure, goldMs);
    if (outcome.value.over === 'size') {
      return { kind: 'failed', verdict: 'answer_too_big', errorText: TOO_BIG_MESSAGE };
    }
    return { kind: 'ran', result: outcome.value };
  }

  #run(file: DatabaseFile, sql: string, clocks: RunClocks, caps: CellCaps) {
    const connection = this.#open(file);
    if ('kind' in connection) return stopped(connection);
    const query = { queryId: this.#message.queryId, clocks };
    const outcome = guardedRun(this.#guard, connection, query, () =>
      fetchCells(connection, sql, caps),
    );
    this.#cpuUs += outcome.times.cpuUs;
    this.#wallUs += outcome.times.wallUs;
    return outcome;
  }

  #goldFailed(failure: RunFailure): BrokenGold | Stopped {
    switch (failure.kind) {
      case 'sql_error':
      case 'forbidden':
      case 'too_big':
        return broken(failure.message);
      case 'time_limit': {
        if (this.#message.trial) return this.#slow();
        // Out of wall time the machine may be busy, and the gold be fine.
        if (failure.timeLimit === 'wall') return stopped({ kind: 'starved' });
        return broken(timeLimitMessage('cpu', GOLD_LIMITS));
      }
      case 'cancelled':
      case 'database_broken':
      case 'internal':
        return stopped(failure);
    }
  }

  #answerFailed(failure: RunFailure, goldMs: number): AnswerRun | Stopped {
    switch (failure.kind) {
      case 'sql_error':
        return { kind: 'failed', verdict: 'answer_sql_error', errorText: failure.message };
      case 'forbidden':
        return { kind: 'failed', verdict: 'answer_forbidden', errorText: failure.message };
      case 'too_big':
        return { kind: 'failed', verdict: 'answer_too_big', errorText: failure.message };
      case 'time_limit': {
        if (this.#message.trial) return this.#slow();
        // The limit itself, not what earlier attempts have left of it: the same answer gives the same text.
        const limits = raisedLimits(limitsOf(this.#message.limits), goldMs);
        const errorText = timeLimitMessage(toldTimeLimit(failure.timeLimit, limits), limits);
        return { kind: 'failed', verdict: 'answer_time_limit', errorText };
      }
      case 'cancelled':
      case 'database_broken':
      case 'internal':
        return stopped(failure);
    }
  }

  #slow(): Stopped {
    return stopped({ kind: 'slow', times: this.times });
  }
}

function limitsOf({ cpuMs, wallMs }: RunClocks) {
  return { queryCpuMsMax: cpuMs, queryWallMsMax: wallMs };
}

function broken(message: string): BrokenGold {
  return { kind: 'gold_broken', message };
}

function stopped(reply: WorkerReply): Stopped {
  return { kind: 'stopped', reply };
}
