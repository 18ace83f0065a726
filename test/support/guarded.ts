import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { SqlRow } from '../../env/compare/value.ts';
import { Connection } from '../../src/sqlite/connection.ts';
import type { RunFailure } from '../../src/sqlite/failure.ts';
import { guardedRun } from '../../src/sqlite/guarded-run.ts';
import type { RunClocks, RunTimes } from '../../src/sqlite/messages.ts';
import { loadGuard } from '../../src/sqlite/native-guard.ts';

/** Clocks that no honest query reaches. */
export const PATIENT: RunClocks = { cpuMs: 20_000, wallMs: 60_000 };

/** How a query ended on a {@link GuardedDatabase}. */
export type GuardedOutcome = {
  readonly kind: 'ok' | RunFailure['kind'];
  /** The message of a failure; which limit it was for `time_limit`. */
  readonly message: string;
  readonly columns: readonly string[];
  readonly rows: readonly SqlRow[];
  readonly times: RunTimes;
};

/** A database with the guard on it, on this very thread: no executor, no queue, no lanes. */
export interface GuardedDatabase {
  readonly folder: string;
  readonly connection: Connection;
  run(sql: string, clocks?: RunClocks, onRow?: (row: SqlRow) => void): GuardedOutcome;
  close(): void;
}

let queryIdNext = 1;

/** Creates a {@link GuardedDatabase} that holds what the SQL says. */
export function openGuarded(sql = ''): GuardedDatabase {
  const guard = loadGuard();
  // As every worker does: from here on the guard's file layer is the default.
  const empty = Connection.openEmpty(guard);
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-guard-'));
  const file = path.join(folder, 'db.sqlite');
  const database = new Database(file);
  database.exec(sql);
  database.close();
  const connection = Connection.open(file, guard);
  return {
    folder,
    connection,
    run(query, clocks = PATIENT, onRow) {
      let columns: readonly string[] = [];
      const rows: SqlRow[] = [];
      const outcome = guardedRun(guard, connection, { queryId: queryIdNext++, clocks }, () => {
        connection.run(query, Infinity, (names) => {
          columns = names;
          const addRow = (row: SqlRow) => {
            if (onRow) onRow(row);
            else rows.push(row);
            return true;
          };
          return { addRow, finish: () => undefined };
        });
      });
      const { times } = outcome;
      if (outcome.kind === 'value') return { kind: 'ok', message: '', columns, rows, times };
      const { failure } = outcome;
      const message =
        'message' in failure
          ? failure.message
          : failure.kind === 'time_limit'
            ? failure.timeLimit
            : '';
      return { kind: failure.kind, message, columns, rows, times };
    },
    close() {
      connection.close();
      empty.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** `count` pieces of SQL, joined. */
export function repeat(count: number, piece: (index: number) => string, separator = ','): string {
  return Array.from({ length: count }, (_, index) => piece(index)).join(separator);
}

/** An expression of `count` leaves that is as shallow as can be, since depth is limited and width is not. */
export function balanced(leaf: string, count: number, operator = '+'): string {
  if (count === 1) return leaf;
  const half = count >> 1;
  return `(${balanced(leaf, half, operator)}${operator}${balanced(leaf, count - half, operator)})`;
}

/** SQL for a text of one character, `size` times; it is built by a function that no guard replaces. */
export function longText(size: number, character = 'a'): string {
  return `printf('%.${size}c','${character}')`;
}
