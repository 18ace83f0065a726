import { LRUCache } from 'lru-cache';
import type { Statement } from './statement.ts';

/** Statements that a thread keeps, of all its connections; each takes 64 kB at most, and 5 to 15 as a rule. */
const COUNT_MAX = 128;

/** SQL of which is remembered that it was asked for, and how long such SQL may be: together a few MB at the worst. */
const ASKED_COUNT_MAX = 1_024;
const ASKED_SIZE_MAX = 4_096;

interface Kept {
  readonly statement: Statement;
  readonly sql: string;
  readonly owner: Map<string, Kept>;
  usedAt: number;
  isRunning: boolean;
}

/** Those of this thread, in no order. */
const kept: Kept[] = [];
let useCount = 0;

/** What this thread was asked lately. */
const asked = new LRUCache<string, true>({ max: ASKED_COUNT_MAX });

/**
 * Statements of one connection, kept for the next time: to prepare one takes a sixth of a query's time. That pays where a query is asked
 * for a second time, so the first time it is only remembered: to keep what never comes again took more than it saved. What a
 * thread has longest not used makes room.
 */
export class KeptStatements {
  readonly #bySql = new Map<string, Kept>();

  /**
   * Runs `body` with the statement for this SQL, a kept one or one that `prepare` makes, which is told whether it will be kept. After
   * an error it is not.
   */
  use<Result>(
    sql: string,
    prepare: (lasting: boolean) => Statement,
    body: (statement: Statement) => Result,
  ): Result {
    const known = this.#bySql.get(sql);
    if (known === undefined || known.isRunning) {
      const lasting = wasAsked(sql) && known === undefined;
      return this.#useNew(sql, prepare(lasting), lasting, body);
    }
    known.isRunning = true;
    let done = false;
    try {
      const result = body(known.statement);
      done = true;
      return result;
    } finally {
      known.isRunning = false;
      known.usedAt = useCount += 1;
      if (!known.statement.finish(done)) forget(known);
    }
  }

  #useNew<Result>(
    sql: string,
    statement: Statement,
    lasting: boolean,
    body: (statement: Statement) => Result,
  ): Result {
    let done = false;
    try {
      const result = body(statement);
      done = true;
      return result;
    } finally {
      const isWanted = done && lasting && !this.#bySql.has(sql);
      if (statement.finish(isWanted)) this.#keep(sql, statement);
    }
  }

  #keep(sql: string, statement: Statement): void {
    useCount += 1;
    const entry = { statement, sql, owner: this.#bySql, usedAt: useCount, isRunning: false };
    this.#bySql.set(sql, entry);
    kept.push(entry);
    if (kept.length > COUNT_MAX) drop(oldest());
  }

  /** Lets go of all of them. */
  clear(): void {
    for (const entry of this.#bySql.values()) if (!entry.isRunning) drop(entry);
  }
}

/** Whether this SQL was asked for lately, on any connection; it counts from now on. */
function wasAsked(sql: string): boolean {
  if (asked.get(sql)) return true;
  if (sql.length <= ASKED_SIZE_MAX) asked.set(sql, true);
  return false;
}

function oldest(): Kept | undefined {
  let found: Kept | undefined;
  for (const entry of kept) {
    if (!entry.isRunning && (found === undefined || entry.usedAt < found.usedAt)) found = entry;
  }
  return found;
}

function drop(entry: Kept | undefined): void {
  if (entry === undefined) return;
  entry.statement.finish(false);
  forget(entry);
}

function forget(entry: Kept): void {
  entry.owner.delete(entry.sql);
  const index = kept.indexOf(entry);
  if (index >= 0) kept.splice(index, 1);
}
