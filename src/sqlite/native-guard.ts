import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { PACKAGE_ROOT } from '../package-root.ts';

/**
 * The Node-API face of `native/guard.c`. Connections are known by the number that the guard gave them, queries by a number
 * of ours. All but `cancel`, `forget`, `stopping`, `overdue`, `usedCpuMs` and `usedWallMs` are for the thread that opened the connection.
 */
export interface NativeGuard {
  /** Lowers limits, sets the authorizer, turns double-quoted literals on. There is no way back. */
  lock(connection: number): void;
  /** Starts the clocks of a query on the calling thread; limits in milliseconds. */
  arm(connection: number, queryId: number, cpuMs: number, wallMs: number): void;
  /** Stops the clocks and fills `out`: see `guarded-run.ts`. */
  disarm(connection: number, out: Float64Array): void;
  /** A number that no other query of this process has. */
  queryId(): number;
  /** Stops a query, now or as soon as it is armed; until `forget`. */
  cancel(queryId: number): void;
  /** Drops a cancellation: the query's worker has answered. */
  forget(queryId: number): void;
  /** Why the guard is stopping a query: 0 it is not, 1 CPU time, 2 wall time, 3 cancelled. */
  stopping(queryId: number): number;
  /** For how many milliseconds the guard has been trying to stop it; -1 if it is not. */
  overdue(queryId: number): number;
  /** CPU time that an armed query has used so far, milliseconds; -1 if it is not armed. */
  usedCpuMs(queryId: number): number;
  /** Milliseconds since a query was armed; -1 if it is not. */
  usedWallMs(queryId: number): number;
  /** Prepares a statement and returns its number, or why there is none: see `statement.ts`. */
  prepare(connection: number, sql: string, lasting: boolean): number;
  columnNames(statement: number): string[];
  /** Where this thread's rows are put from now on: see `frame.ts`. */
  useFrame(cells: Float64Array, kinds: Uint8Array, bytes: Uint8Array, out: Int32Array): void;
  /** Fetches rows into the frame, at most so many, and tells how that ended: see `frame.ts`. */
  fetch(statement: number, rowCountMax: number): number;
  /**
   * Ends a statement's run, for good or until the next one. True if there can be one: it is asked for, and it is small. `enough`: no
   * more rows were wanted, so no limit counts that was passed after them.
   */
  finish(statement: number, keep: boolean, enough: boolean): boolean;
  /** SQLite's extended code and message of its last call. */
  errorCode(connection: number): number;
  errorMessage(connection: number): string;
  /** Lowers the calling thread's priority for good. False where the system can't do that. */
  lowerPriority(nice: number): boolean;
}

/** The shared object: a Node-API module and a SQLite extension in one; SQLite takes the entry point from its name. */
export const GUARD_FILE: string = path.join(PACKAGE_ROOT, 'native', 'build', 'guard.node');

/** The guard is missing or can't be loaded. The message says how to fix it. */
export class GuardUnavailableError extends Error {
  override readonly name = 'GuardUnavailableError';
}

/** Loads the guard. Throws {@link GuardUnavailableError}. */
export function loadGuard(): NativeGuard {
  if (!existsSync(GUARD_FILE)) throw new GuardUnavailableError(advice('it has not been built'));
  try {
    return createRequire(import.meta.url)(GUARD_FILE) as NativeGuard;
  } catch (error) {
    throw new GuardUnavailableError(
      advice(error instanceof Error ? error.message : String(error)),
      {
        cause: error,
      },
    );
  }
}

function advice(problem: string): string {
  return [
    `the native guard can't be loaded: ${problem}.`,
    'Without it no query could be stopped, so the server does not start.',
    'To build it, install a C compiler (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install)',
    "and run 'npm rebuild sqlenv', or in a checkout 'node native/build.mjs --strict'.",
  ].join('\n');
}
