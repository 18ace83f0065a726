import type { SqlRow } from '../../env/compare/value.ts';
import { FETCH, Frame } from './frame.ts';
import type { NativeGuard } from './native-guard.ts';

/** SQLite refused or failed at a query. */
export class QueryError extends Error {
  override readonly name = 'QueryError';
  /** SQLite's extended result code. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** A statement that returns no rows by its nature: the guard lets nothing of that kind do anything. */
export class ForbiddenStatement extends Error {
  override readonly name = 'ForbiddenStatement';
}

/** The statement has parameters: nobody gives them values. */
export class ParametersError extends Error {
  override readonly name = 'ParametersError';
}

/** What the guard's `prepare` returns in the place of a number. */
const PREPARE = { error: -1, noRows: -2, parameters: -3, moreSql: -4 } as const;

/** Makes something of the rows of a result. */
export interface RowReader<Result> {
  /** Takes a row. False: it, and all others, are not wanted. */
  addRow(row: SqlRow): boolean;
  finish(): Result;
}

/** A prepared statement, that runs once at a time and can be kept. */
export class Statement {
  readonly columns: readonly string[];
  readonly #guard: NativeGuard;
  readonly #connection: number;
  readonly #number: number;
  #isOpen = true;
  #hadEnough = false;

  private constructor(guard: NativeGuard, connection: number, number: number) {
    this.#guard = guard;
    this.#connection = connection;
    this.#number = number;
    try {
      this.columns = guard.columnNames(number);
    } catch (error) {
      this.finish(false);
      throw error;
    }
  }

  /** Prepares one; `lasting`: it will be kept. Throws {@link QueryError}, {@link ForbiddenStatement} and {@link ParametersError}. */
  static prepare(guard: NativeGuard, connection: number, sql: string, lasting: boolean): Statement {
    const number = guard.prepare(connection, sql, lasting);
    switch (number) {
      case PREPARE.error:
        throw new QueryError(guard.errorCode(connection), guard.errorMessage(connection));
      case PREPARE.noRows:
        throw new ForbiddenStatement();
      case PREPARE.parameters:
        throw new ParametersError();
      case PREPARE.moreSql:
        throw new Error('more than one statement');
      default:
        return new Statement(guard, connection, number);
    }
  }

  /**
   * Runs it, and hands its rows over until the reader wants no more of them, or has had `rowCountMax`. Throws {@link QueryError}, after
   * the rows before it. Some rows that are not handed over may have been fetched, for a moment: what they come to does not count.
   */
  run(rowCountMax: number, reader: RowReader<unknown>): void {
    const frame = frameOf(this.#guard);
    let left = rowCountMax;
    while (left > 0) {
      const ended = frame.fetch(this.#number, left);
      const error =
        ended === FETCH.error
          ? new QueryError(frame.errorCode, this.#guard.errorMessage(this.#connection))
          : undefined;
      const rows = frame.rows(this.columns.length);
      left -= rows.length;
      for (const row of rows) {
        if (reader.addRow(row)) continue;
        this.#hadEnough = true;
        return;
      }
      if (error) throw error;
      if (ended === FETCH.done) return;
    }
  }

  /** Ends its run. Without `keep`, or if it is a large one, it is gone. */
  finish(keep: boolean): boolean {
    if (!this.#isOpen) return false;
    this.#isOpen = this.#guard.finish(this.#number, keep, this.#hadEnough);
    // What one run had does not excuse the next.
    this.#hadEnough = false;
    return this.#isOpen;
  }
}

let threadFrame: Frame | undefined;

function frameOf(guard: NativeGuard): Frame {
  return (threadFrame ??= new Frame(guard));
}
