import Database from 'better-sqlite3';
import type { SqlRow } from '../../env/compare/value.ts';
import { isolateInvalidText } from './invalid-text.ts';
import { GUARD_FILE, type NativeGuard } from './native-guard.ts';

/** Pages kept in memory for a connection, KiB. Also what the sorter keeps before it writes, so that no sort is one long step. */
const CACHE_KIB = 2_000;

/** Bytes of one value, and of a row while it is sorted: SQLite's limit, lowered by what follows. */
const VALUE_BYTES_MAX = 1_000_000;

/**
 * Bytes of SQL times bytes of a value. SQLite looks at an interrupt in loops only, and an expression is none: 100 kB of
 * `x+x+...` over a text of 1 MB ran for 27 s. Within this product the longest such line measured takes 0.5 s.
 */
const SQL_TIMES_VALUE_MAX = 1_000_000_000;

/** Bytes of one row as it is handed over, all at once: 512 references to one text of 1 MB took 1.1 GB of a thread's heap. */
const ROW_BYTES_MAX = 8_000_000;

/** One statement, started: its columns, and its rows as they are fetched. */
export interface OpenStatement {
  readonly columns: readonly string[];
  readonly rows: Iterable<SqlRow>;
}

/**
 * A guarded, read-only connection. The only file that knows better-sqlite3. Nothing that a query does outlives it: the
 * authorizer allows reads alone, so there are no temporary objects, attached files or settings to reset.
 */
export class Connection {
  /** The guard's name for it. */
  readonly number: number;
  readonly #database: Database.Database;
  readonly #guard: NativeGuard;

  private constructor(database: Database.Database, guard: NativeGuard) {
    this.#database = database;
    this.#guard = guard;
    database.defaultSafeIntegers(true);
    database.loadExtension(GUARD_FILE);
    database.pragma(`cache_size = -${CACHE_KIB}`);
    database.pragma('temp_store = FILE');
    this.number = Number(database.prepare('SELECT sqlenv_guard_number()').pluck().get());
    guard.lock(this.number);
  }

  /** Opens a database file read-only. Throws SQLite's error; the file is never created. */
  static open(path: string, guard: NativeGuard): Connection {
    // A lock is held by another program for as long as it likes: say so at once instead of waiting in a worker.
    const database = new Database(path, { readonly: true, fileMustExist: true, timeout: 0 });
    try {
      return new Connection(database, guard);
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** An empty database in memory: its opening makes the guard's file layer the default for all later ones. */
  static openEmpty(guard: NativeGuard): Connection {
    return new Connection(new Database(':memory:'), guard);
  }

  /** Options that this SQLite was compiled with. */
  static compileOptions(): string[] {
    const database = new Database(':memory:');
    try {
      return database.prepare('PRAGMA compile_options').pluck().all().map(String);
    } finally {
      database.close();
    }
  }

  /**
   * Prepares a statement. Undefined if it returns no rows by its nature: nothing that the guard lets through does. So does a
   * plain EXPLAIN: it shows addresses in memory, which differ from thread to thread. EXPLAIN QUERY PLAN is as good as SELECT.
   */
  start(sql: string): OpenStatement | undefined {
    // Preparing reads the schema and names columns after their expressions: neither is to fail for the values' sake.
    this.#guard.limitLength(this.number, VALUE_BYTES_MAX);
    const statement = this.#database.prepare(sql);
    if (!statement.reader || this.#guard.listsProgram(this.number)) return undefined;
    const columns = statement.columns().map((column) => column.name);
    this.#guard.limitLength(
      this.number,
      Math.min(
        VALUE_BYTES_MAX,
        SQL_TIMES_VALUE_MAX / Buffer.byteLength(sql),
        ROW_BYTES_MAX / columns.length,
      ),
    );
    return { columns, rows: this.#rows(statement.raw(true)) };
  }

  *#rows(statement: Database.Statement): Generator<SqlRow> {
    for (const row of statement.iterate() as IterableIterator<SqlRow>) {
      yield isolateInvalidText(row, (column) => this.#guard.textBytes(this.number, column));
    }
  }

  /** Closes it; idempotent. */
  close(): void {
    this.#database.close();
  }
}

/** SQLite's error code, if that is what it is. */
export function sqliteErrorCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}
