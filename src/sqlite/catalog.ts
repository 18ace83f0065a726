import { closeSync, openSync, readSync } from 'node:fs';
import { fileFingerprint } from './fingerprint.ts';
import type { DatabaseFile } from './messages.ts';

/** First bytes of every SQLite 3 file. */
const MAGIC = 'SQLite format 3\0';

/** What is wrong with a database file; the message holds no path. */
export interface DatabaseProblem {
  readonly databaseId: string;
  readonly message: string;
}

/** Looks at a database file without SQLite: is it there, does it look like one, can it be read without writing? */
export function inspectDatabase(databaseId: string, path: string): DatabaseFile | DatabaseProblem {
  const problem = (message: string): DatabaseProblem => ({ databaseId, message });
  const header = Buffer.alloc(100);
  let size: number;
  try {
    const descriptor = openSync(path, 'r');
    try {
      size = readSync(descriptor, header, 0, header.length, 0);
    } finally {
      closeSync(descriptor);
    }
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    return problem(missing ? 'the database file is missing' : 'the database file cannot be read');
  }
  if (size === 0) return problem('the database file is empty');
  if (size < header.length || header.toString('latin1', 0, 16) !== MAGIC) {
    return problem('the file is not a SQLite 3 database');
  }
  if (header[18] === 2 || header[19] === 2) {
    // Reading it would create files beside it.
    return problem("the database is in WAL mode; convert it with 'PRAGMA journal_mode = DELETE'");
  }
  return { databaseId, path, fingerprint: fileFingerprint(path) };
}

/** Tells a usable file from a problem. */
export function isProblem(found: DatabaseFile | DatabaseProblem): found is DatabaseProblem {
  return 'message' in found;
}
