import { blank, lineWidth, type Line, type Style } from './line.ts';
import { visible } from './visible.ts';
import { fitLine } from './wrap.ts';

/** Rows that column widths are taken from; a later, wider cell is cut. */
const MEASURED_ROW_COUNT = 200;
const COLUMN_WIDTH_MAX = 40;
const COLUMN_WIDTH_MIN = 4;
/** Characters of a cell that are looked at: more never fits. */
const CELL_SIZE_MAX = 400;
const GAP = 2;

/** How wide each column of a table is. */
export type ColumnWidths = readonly number[];

/** Widths that show as much as fits: narrow columns whole, the widest ones cut. Columns that find no room get 0. */
export function columnWidths(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  width: number,
): ColumnWidths {
  const wanted = columns.map((column, index) => {
    let widest = cellWidth(column);
    for (const row of rows.slice(0, MEASURED_ROW_COUNT)) {
      widest = Math.max(widest, cellWidth(row[index] ?? ''));
    }
    return Math.min(widest, COLUMN_WIDTH_MAX);
  });
  const widths = [...wanted];
  const total = (): number => widths.reduce((sum, one) => sum + one, 0) + GAP * (widths.length - 1);
  while (widths.length > 0 && total() > width) {
    const widest = Math.max(...widths);
    if (widest <= COLUMN_WIDTH_MIN) break;
    widths[widths.lastIndexOf(widest)] = widest - 1;
  }
  let left = width;
  return widths.map((one) => {
    const room = Math.max(0, Math.min(one, left));
    left -= room + GAP;
    return room;
  });
}

/** A row of a table, at most `width` columns; numbers stand at the right of their column. */
export function tableRow(cells: readonly string[], widths: ColumnWidths, style: Style): Line {
  const line: Line[number][] = [];
  for (const [index, width] of widths.entries()) {
    if (width === 0) break;
    if (index > 0) line.push(blank(GAP));
    line.push(...cellLine(cells[index] ?? '', width, style));
  }
  return line;
}

/** A cell's JSON text as it is shown: the quotes of a text are left out unless it looks like something else without. */
export function cellText(json: string): string {
  if (!json.startsWith('"')) return json;
  try {
    const text: unknown = JSON.parse(json);
    if (typeof text !== 'string' || text === '' || text.trim() !== text) return json;
    // 2 is a number and "2" a text: that is what many a mismatch is about.
    return /^-?[\d.]|^(?:null|true|false|NaN|-?Infinity)$/.test(text) ? json : text;
  } catch {
    return json;
  }
}

function cellWidth(text: string): number {
  return lineWidth(visible(text.slice(0, CELL_SIZE_MAX)));
}

function cellLine(text: string, width: number, style: Style): Line {
  const line = visible(text.slice(0, CELL_SIZE_MAX), style);
  const total = lineWidth(line);
  if (total < width && /^-?\d/.test(text)) return [blank(width - total), ...line];
  return fitLine(line, width, style);
}
