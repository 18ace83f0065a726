import Database from 'better-sqlite3';
import { KeptStatements } from './kept-statements.ts';
import { GUARD_FILE, type NativeGuard } from './native-guard.ts';
import { Statement, type RowReader } from './statement.ts';

/** Pages kept in memory for a connection, KiB. Also what the sorter keeps before it writes, so that no sort is one long step. */
const CACHE_KIB = 2_000;

/**
 * A guarded, read-only connection. The only file that knows better-sqlite3. Nothing that a query does outlives it: the
 * authorizer allows reads alone, so there are no temporary objects, attached files or settings to reset.
 */
export class Connection {
  /** The guard's name for it. */
  readonly number: number;
  readonly #database: Database.Database;
  readonly #guard: NativeGuard;
  readonly #kept = new KeptStatements();

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
   * Runs a statement. `begin` is told its columns, and gives what reads its rows, `rowCountMax` of them at most. Throws
   * {@link QueryError}, {@link ForbiddenStatement} and {@link ParametersError}.
   */
  run<Result>(
    sql: string,
    rowCountMax: number,
    begin: (columns: readonly string[]) => RowReader<Result>,
  ): Result {
    return this.#kept.use(
      sql,
      (lasting) => Statement.prepare(this.#guard, this.number, sql, lasting),
      (statement) => {
        const reader = begin(statement.columns);
        statement.run(rowCountMax, reader);
        return reader.finish();
      },
    );
  }

  /** Closes it; idempotent. */
  close(): void {
    this.#kept.clear();
    this.#database.close();
  }
}

/** SQLite's error code, if that is what it is. */
export function sqliteErrorCode(error: unknown): string | undefined {
  return error instanceof Database.SqliteError ? error.code : undefined;
}
