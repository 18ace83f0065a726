import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { inspectDatabase, isProblem } from '../sqlite/catalog.ts';
import type { DatabaseFile } from '../sqlite/messages.ts';
import { databasePath } from '../tasks/database-path.ts';

/** The files of the databases that tasks name. */
export interface DatabaseFiles {
  /** By the id that the executor knows each file by. */
  readonly files: ReadonlyMap<string, DatabaseFile>;
  /** By the tasks' database id: the ids of its files, `ID.sqlite` first. An answer must match on all of them. */
  readonly idsByDatabase: ReadonlyMap<string, readonly [string, ...string[]]>;
  /** By the tasks' database id, for those that can't be used. */
  readonly problems: ReadonlyMap<string, string>;
}

/**
 * Finds the databases. `DIR/ID.sqlite` is one file; `DIR/ID/` holds `ID.sqlite`, and all other `*.sqlite` beside it are
 * further databases of the same task, as in Spider's test suites.
 */
export function findDatabaseFiles(folder: string, databaseIds: Iterable<string>): DatabaseFiles {
  const files = new Map<string, DatabaseFile>();
  const idsByDatabase = new Map<string, [string, ...string[]]>();
  const problems = new Map<string, string>();
  for (const databaseId of databaseIds) {
    const [first, ...others] = suitePaths(folder, databaseId);
    const found = [first, ...others].map((file) => ({
      id: file === first ? databaseId : `${databaseId}/${path.basename(file, '.sqlite')}`,
      file: inspectDatabase(databaseId, file),
      name: path.basename(file),
    }));
    for (const { file, name } of found) {
      if (!isProblem(file)) continue;
      const problem = others.length === 0 ? file.message : `${name}: ${file.message}`;
      problems.set(databaseId, problem);
    }
    if (problems.has(databaseId)) continue;
    for (const { id, file } of found) if (!isProblem(file)) files.set(id, file);
    idsByDatabase.set(databaseId, [databaseId, ...found.slice(1).map(({ id }) => id)]);
  }
  return { files, idsByDatabase, problems };
}

/** The files of one database in a fixed order: the official one is the folder's, which differs from disk to disk. */
function suitePaths(folder: string, databaseId: string): [string, ...string[]] {
  const main = databasePath(folder, databaseId);
  const own = path.join(folder, databaseId);
  if (path.dirname(main) !== own || !existsSync(own)) return [main];
  const names = readdirSync(own).filter((name) => name.endsWith('.sqlite'));
  const others = names.filter((name) => name !== `${databaseId}.sqlite`).toSorted();
  return [main, ...others.map((name) => path.join(own, name))];
}
