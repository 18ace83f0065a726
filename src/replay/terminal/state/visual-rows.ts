import { glyphsOf, isPlain, visible } from '../text/visible.ts';

/** A row of an editor: a piece of its text, line break not included. UTF-16 indices. */
export interface VisualRow {
  readonly start: number;
  readonly end: number;
}

/** Columns of a tab in an editor: it is drawn as an arrow, since it is one character to the cursor. */
export const EDIT_TAB_WIDTH = 4;

/** Breaks a text into rows of at most `width` columns, and at its line breaks. At least one row. */
export function visualRows(text: string, width: number): VisualRow[] {
  const rows: VisualRow[] = [];
  let start = 0;
  for (const line of text.split('\n')) {
    rows.push(...lineRows(line, start, width));
    start += line.length + 1;
  }
  return rows;
}

/** The row that shows a place of the text. A place between two rows of a line is at the start of the second. */
export function rowOf(rows: readonly VisualRow[], index: number): number {
  return Math.max(
    0,
    rows.findLastIndex((row) => row.start <= index),
  );
}

/** Columns of a glyph in an editor, where line breaks and tabs are characters as others are. */
export function editGlyphWidth(glyph: { readonly text: string; readonly width: number }): number {
  if (glyph.text === '\t') return EDIT_TAB_WIDTH;
  return glyph.width === 0 ? (visible(glyph.text)[0]?.width ?? 1) : glyph.width;
}

function lineRows(line: string, offset: number, width: number): VisualRow[] {
  if (isPlain(line)) {
    // A line that just fills its row needs another one for the cursor behind it.
    const count = Math.floor(line.length / width) + 1;
    return Array.from({ length: count }, (_, row) => ({
      start: offset + row * width,
      end: offset + Math.min(line.length, (row + 1) * width),
    }));
  }
  const rows: VisualRow[] = [];
  let [start, end, used] = [0, 0, 0];
  for (const glyph of glyphsOf(line)) {
    const columns = editGlyphWidth(glyph);
    if (used + columns > width && end > start) {
      rows.push({ start: offset + start, end: offset + end });
      [start, used] = [end, 0];
    }
    used += columns;
    end += glyph.size;
  }
  rows.push({ start: offset + start, end: offset + end });
  if (used >= width) rows.push({ start: offset + end, end: offset + end });
  return rows;
}
