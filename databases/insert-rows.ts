import type Database from 'better-sqlite3';

/** One value to store. Integers above 2^53 must be given as bigint. */
export type StoredValue = number | bigint | string | Buffer | null;

/** Inserts rows whose values are in the order of the table's columns. */
export function insertRows(
  database: Database.Database,
  table: string,
  rows: Iterable<readonly StoredValue[]>,
): void {
  let insert: Database.Statement | undefined;
  for (const row of rows) {
    insert ??= database.prepare(`INSERT INTO ${table} VALUES (${row.map(() => '?').join(', ')})`);
    insert.run(...row);
  }
}
