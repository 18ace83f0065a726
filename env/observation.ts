import type { SqlRow } from './compare/value.ts';
import type { QueryLimits } from './limits.ts';
import { jsonCell, jsonString } from './python-json.ts';

/** A query's result as the model reads it, before it is shortened to the observation size. */
export interface ObservationText {
  readonly text: string;
  /** Rows in the text. */
  readonly rowCount: number;
  /** A cap on rows or bytes left rows out or cut a cell; the text says so. */
  readonly capped: boolean;
}

/** Takes a result row by row while it is fetched. */
export interface ObservationWriter {
  /**
   * Adds a row. False: a cap is reached, the row was left out, and nothing more needs to be fetched. So a caller fetches at
   * most `rowCountMax` + 1 rows: the last one tells a result that just fits from one that was cut.
   */
  addRow(row: SqlRow): boolean;
  /** The text of what was added. */
  finish(): ObservationText;
}

const CLOSING = ']}';

/** What is shown of a result whose column names alone are over the limit; it fits into the smallest one. */
const NO_COLUMNS = '{"columns": [], "rows": [], "capped": "the column names are too long to show"}';

/** Writes `{"columns": [...], "rows": [[...], ...]}` to the byte as Python's `json.dumps` with default arguments. */
export function createObservationWriter(
  columns: readonly string[],
  limits: Pick<QueryLimits, 'rowCountMax' | 'cellBytesMax' | 'resultBytesMax'>,
): ObservationWriter {
  const { rowCountMax, cellBytesMax, resultBytesMax } = limits;
  const header = headerText(columns, resultBytesMax - CLOSING.length);
  // JSON of ours is ASCII, so a string's length is its size in bytes.
  let text = header ?? '';
  /** Length of the text before each row, so that rows can make room for the note that there are more. */
  const rowStarts: number[] = [];
  let cellCut = false;
  let full = header === undefined;

  const addRow = (row: SqlRow): boolean => {
    if (full) return false;
    const separator = rowStarts.length === 0 ? '' : ', ';
    const left = resultBytesMax - text.length - separator.length - CLOSING.length;
    const json = rowStarts.length < rowCountMax ? rowText(row, cellBytesMax, left) : undefined;
    if (json === undefined) {
      full = true;
      return false;
    }
    rowStarts.push(text.length);
    text += separator + json.text;
    cellCut ||= json.cut;
    return true;
  };

  const finish = (): ObservationText => {
    if (!full) return { text: text + CLOSING, rowCount: rowStarts.length, capped: cellCut };
    if (header === undefined) return { text: NO_COLUMNS, rowCount: 0, capped: true };
    for (let rowCount = rowStarts.length; rowCount >= 0; rowCount -= 1) {
      const tail = `], "capped": "only the first ${rowCount} rows are here"}`;
      const end = rowStarts[rowCount] ?? text.length;
      if (end + tail.length <= resultBytesMax) {
        return { text: text.slice(0, end) + tail, rowCount, capped: true };
      }
    }
    return { text: NO_COLUMNS, rowCount: 0, capped: true };
  };

  return { addRow, finish };
}

/** The observation of a failed query: `{"error": "no such column: foo"}`. */
export function errorText(message: string): string {
  return `{"error": ${jsonString(message)}}`;
}

/** The observation of a statement without a result set. */
export function noResultText(): string {
  return '{"columns": [], "rows": []}';
}

/** The text up to the first row; undefined if the column names alone are over the limit. */
function headerText(columns: readonly string[], bytesMax: number): string | undefined {
  let text = '{"columns": [';
  for (const [index, column] of columns.entries()) {
    text += index === 0 ? jsonString(column) : `, ${jsonString(column)}`;
    if (text.length > bytesMax) return undefined;
  }
  text += '], "rows": [';
  return text.length > bytesMax ? undefined : text;
}

/** One row as JSON; undefined if it takes more than `bytesMax`, in which case the rest of it is not even written. */
function rowText(
  row: SqlRow,
  cellBytesMax: number,
  bytesMax: number,
): { readonly text: string; readonly cut: boolean } | undefined {
  let text = '[';
  let cut = false;
  for (let index = 0; index < row.length; index += 1) {
    const cell = jsonCell(row[index] ?? null, cellBytesMax);
    text += index === 0 ? cell.json : `, ${cell.json}`;
    cut ||= cell.cut;
    if (text.length > bytesMax) return undefined;
  }
  text += ']';
  return text.length > bytesMax ? undefined : { text, cut };
}
