import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
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
  let fileBytes: number;
  try {
    const descriptor = openSync(path, 'r');
    try {
      size = readSync(descriptor, header, 0, header.length, 0);
      fileBytes = fstatSync(descriptor).size;
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
  if (fileBytes < promisedBytes(header)) return problem('the database file is truncated');
  return { databaseId, path, fingerprint: fileFingerprint(path) };
}

/** How long the header says that the file is; 0 where it does not say so (a file last written by SQLite before 3.7). */
function promisedBytes(header: Buffer): number {
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return 0;
  const pageSize = header.readUInt16BE(16);
  return (pageSize === 1 ? 65_536 : pageSize) * header.readUInt32BE(28);
}

/** Tells a usable file from a problem. */
export function isProblem(found: DatabaseFile | DatabaseProblem): found is DatabaseProblem {
  return 'message' in found;
}
