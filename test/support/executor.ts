import { setMaxListeners } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import type { QueryLimits } from '../../env/limits.ts';
import type { QueryRan } from '../../src/episodes/ports.ts';
import { inspectDatabase, isProblem } from '../../src/sqlite/catalog.ts';
import {
  createExecutor,
  type ExecutorOptions,
  type SqliteExecutor,
} from '../../src/sqlite/executor.ts';
import type { DatabaseFile } from '../../src/sqlite/messages.ts';

/** Untruncated observations. */
export const WHOLE = { textSizeMax: 0, truncateSide: 'middle' } as const;

/** A signal that never fires. */
export const NEVER: AbortSignal = new AbortController().signal;
setMaxListeners(0, NEVER); // hundreds of calls listen to it at once

/** A folder with one database made from SQL, and an executor over it. */
export interface TestBed {
  readonly folder: string;
  readonly file: string;
  readonly executor: SqliteExecutor;
  run(sql: string, limits?: Partial<QueryLimits>): Promise<QueryRan>;
  close(): Promise<void>;
}

/** Creates a {@link TestBed} whose database `db` holds what the SQL says. */
export async function createTestBed(
  sql: string,
  options: Partial<Omit<ExecutorOptions, 'databases'>> = {},
): Promise<TestBed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-test-'));
  const file = path.join(folder, 'db.sqlite');
  const database = new Database(file);
  database.exec(sql);
  database.close();
  const executor = await createExecutor({
    databases: databasesOf({ db: file }),
    queueCountMax: 4_096,
    ...options,
  });
  return {
    folder,
    file,
    executor,
    async run(query, limits = {}) {
      const reply = await executor.runQuery(
        {
          databaseId: 'db',
          sql: query,
          limits: { ...DEFAULT_LIMITS, ...limits },
          observation: WHOLE,
        },
        NEVER,
      );
      if (reply.kind !== 'ran') throw new Error(`not run: ${JSON.stringify(reply)}`);
      return reply;
    },
    async close() {
      await executor.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The catalog's view of database files by id. */
export function databasesOf(paths: Readonly<Record<string, string>>): Map<string, DatabaseFile> {
  const files = new Map<string, DatabaseFile>();
  for (const [databaseId, file] of Object.entries(paths)) {
    const found = inspectDatabase(databaseId, file);
    if (isProblem(found)) throw new Error(`${databaseId}: ${found.message}`);
    files.set(databaseId, found);
  }
  return files;
}
