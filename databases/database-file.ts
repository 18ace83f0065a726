import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { DemoDatabase } from './catalog.ts';
import { databasesDirectory } from './directory.ts';
import { SeededRandom } from './seeded-random.ts';

/** Offsets in SQLite's file header (https://www.sqlite.org/fileformat2.html#the_database_header). */
const CHANGE_COUNTER_OFFSET = 24;
const VERSION_VALID_FOR_OFFSET = 92;
const SQLITE_VERSION_OFFSET = 96;

/** What the header says instead of the version of the SQLite that wrote the file: 3.40.0. */
const FIXED_SQLITE_VERSION = 3_040_000;

/** The complete file of one demo database, and what is in it. */
export interface DatabaseFile {
  readonly bytes: Buffer;
  readonly sha256: string;
  /** Tables in the order of the schema, with their numbers of rows. */
  readonly tables: readonly { readonly name: string; readonly rows: number }[];
}

/** Builds one demo database in memory. The bytes are the same in every run and on every machine. */
export function createDatabaseFile(definition: DemoDatabase): DatabaseFile {
  const database = new Database(':memory:');
  try {
    // Everything that could change the layout of the file is pinned; secure_delete zeroes unused space.
    database.exec(`PRAGMA page_size = 4096; PRAGMA encoding = 'UTF-8'; PRAGMA auto_vacuum = NONE;
                   PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;`);
    database.transaction(() => {
      database.exec(readSql(definition.databaseId, 'schema.sql'));
      database.exec(readSql(definition.databaseId, 'rows.sql'));
      definition.generate?.(database, new SeededRandom(definition.seed));
    })();
    database.exec('VACUUM');
    const bytes = database.serialize();
    pinHeader(bytes);
    return { bytes, sha256: sha256(bytes), tables: countRows(database) };
  } finally {
    database.close();
  }
}

/** The hexadecimal SHA-256 of some bytes. */
export function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function readSql(databaseId: string, name: string): string {
  const text = readFileSync(join(databasesDirectory, databaseId, name), 'utf8');
  // SQLite stores CREATE TABLE as written, so a checkout with Windows line ends would give other bytes.
  return text.replaceAll('\r\n', '\n');
}

/** Two equal counters tell SQLite that the header's page count holds; the version is only informative. */
function pinHeader(bytes: Buffer): void {
  bytes.writeUInt32BE(1, CHANGE_COUNTER_OFFSET);
  bytes.writeUInt32BE(1, VERSION_VALID_FOR_OFFSET);
  bytes.writeUInt32BE(FIXED_SQLITE_VERSION, SQLITE_VERSION_OFFSET);
}

function countRows(database: Database.Database): { name: string; rows: number }[] {
  const names = database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all() as string[];
  return names.map((name) => {
    const rows = database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get() as number;
    return { name, rows };
  });
}
