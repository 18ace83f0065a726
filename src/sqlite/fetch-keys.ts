import { rowKey } from '../../env/compare/row-keys.ts';
import type { SqlRow } from '../../env/compare/value.ts';
import type { Connection } from './connection.ts';
import type { RowReader } from './statement.ts';

/** Characters of a result's row keys, all together; one for golds and answers, so that what a gold does an answer can do too. */
export const KEY_SIZE_MAX = 64_000_000;

/** What a result may hold while it is fetched for a comparison. */
export interface KeyCaps {
  readonly rowCountMax: number;
  /** Characters of all row keys together. */
  readonly keySizeMax: number;
}

/** A result as canonical row keys, in its order. */
export interface FetchedKeys {
  readonly rowKeys: readonly string[];
  readonly columnCount: number;
  /** Which cap cut it, if one did: there are more rows than these. */
  readonly over: 'none' | 'rows' | 'size';
}

/** A result without rows: what an empty statement gives. */
export const NO_ROWS: FetchedKeys = { rowKeys: [], columnCount: 0, over: 'none' };

/** Fetches a result for a comparison; the caps act while fetching. */
export function fetchKeys(connection: Connection, sql: string, caps: KeyCaps): FetchedKeys {
  return connection.run(sql, caps.rowCountMax + 1, (columns) => keyReader(columns.length, caps));
}

function keyReader(
  columnCount: number,
  { rowCountMax, keySizeMax }: KeyCaps,
): RowReader<FetchedKeys> {
  const rowKeys: string[] = [];
  let size = 0;
  let over: FetchedKeys['over'] = 'none';
  const addRow = (row: SqlRow): boolean => {
    if (rowKeys.length >= rowCountMax) {
      over = 'rows';
      return false;
    }
    const key = rowKey(row);
    size += key.length;
    if (size > keySizeMax) {
      over = 'size';
      return false;
    }
    rowKeys.push(key);
    return true;
  };
  return { addRow, finish: () => ({ rowKeys, columnCount, over }) };
}

/** Fetches whole rows, at most `rowCountMax` of them. */
export function fetchRows(connection: Connection, sql: string, rowCountMax: number): SqlRow[] {
  return connection.run(sql, rowCountMax, () => {
    const rows: SqlRow[] = [];
    return { addRow: (row) => rows.push(row) > 0, finish: () => rows };
  });
}
