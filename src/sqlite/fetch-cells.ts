import { isInvalidText, type SqlRow, type SqlValue } from '../../env/compare/value.ts';
import type { Connection } from './connection.ts';
import type { RowReader } from './statement.ts';

/** What a result may hold while it is fetched. */
export interface CellCaps {
  readonly rowCountMax: number;
  /** Bytes of all cells together, about. */
  readonly bytesMax: number;
}

/** A result with its cells. */
export interface FetchedCells {
  readonly rows: readonly SqlRow[];
  /** Bytes of the cells, about. */
  readonly bytes: number;
  /** Which cap cut it, if one did: there are more rows than these. */
  readonly over: 'none' | 'rows' | 'size';
}

/** What an empty statement gives. */
export const NO_CELLS: FetchedCells = { rows: [], bytes: 0, over: 'none' };

/** What a cell costs besides its text: its place in the row, and the head of a text or the body of an integer. */
const CELL_BYTES = 32;

/** Fetches a result whole; the caps act while fetching. */
export function fetchCells(connection: Connection, sql: string, caps: CellCaps): FetchedCells {
  return connection.run(sql, caps.rowCountMax + 1, () => cellReader(caps));
}

function cellReader({ rowCountMax, bytesMax }: CellCaps): RowReader<FetchedCells> {
  const rows: SqlRow[] = [];
  let bytes = 0;
  let over: FetchedCells['over'] = 'none';
  const addRow = (row: SqlRow): boolean => {
    if (rows.length >= rowCountMax) {
      over = 'rows';
      return false;
    }
    for (const cell of row) bytes += CELL_BYTES + textBytes(cell);
    if (bytes > bytesMax) {
      over = 'size';
      return false;
    }
    rows.push(row);
    return true;
  };
  return { addRow, finish: () => ({ rows, bytes, over }) };
}

function textBytes(cell: SqlValue): number {
  if (typeof cell === 'string') return cell.length * 2;
  if (cell instanceof Uint8Array) return cell.length;
  return typeof cell === 'object' && cell !== null && isInvalidText(cell)
    ? cell.textBytes.length
    : 0;
}
