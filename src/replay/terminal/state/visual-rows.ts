import { glyphsOf, isPlain, visible } from '../text/visible.ts';

/** A row of an editor: a piece of its text, line break not included. UTF-16 indices. */
export interface VisualRow {
  readonly start: number;
  readonly end: number;
}

/** Columns of a tab in an editor: it is drawn as an arrow, since it is one character to the cursor. */
export const EDIT_TAB_WIDTH = 4;

/** Breaks a text into rows of at most `width` columns, between words where it can, and at its line breaks. At least one row. */
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

/** A word that would leave more than this share of its row empty is broken instead. */
const LEFT_EMPTY_MAX = 0.5;

function lineRows(line: string, offset: number, width: number): VisualRow[] {
  const rows: VisualRow[] = [];
  let [start, end, used] = [0, 0, 0];
  // After the last blank of the row, and the columns up to there.
  let [breakAt, breakWidth] = [0, 0];
  const emit = (at: number, columns: number): void => {
    rows.push({ start: offset + start, end: offset + at });
    [start, used] = [at, used - columns];
    [breakAt, breakWidth] = [at, 0];
  };
  for (const { columns, size, isBlank } of cellsOf(line)) {
    if (used + columns > width && end > start) {
      const atWord = breakAt > start && width - breakWidth < width * LEFT_EMPTY_MAX && !isBlank;
      if (atWord) emit(breakAt, breakWidth);
      // What is left of a word can still be wider than a row.
      if (used + columns > width && end > start) emit(end, used);
    }
    used += columns;
    end += size;
    if (isBlank) [breakAt, breakWidth] = [end, used];
  }
  rows.push({ start: offset + start, end: offset + end });
  // A line that just fills its row needs another one for the cursor behind it.
  if (used >= width) rows.push({ start: offset + end, end: offset + end });
  return rows;
}

interface Cell {
  readonly columns: number;
  /** UTF-16 units. */
  readonly size: number;
  readonly isBlank: boolean;
}

function* cellsOf(line: string): Generator<Cell> {
  if (isPlain(line)) {
    for (const character of line) yield { columns: 1, size: 1, isBlank: character === ' ' };
    return;
  }
  for (const glyph of glyphsOf(line)) {
    const isBlank = glyph.text === ' ' || glyph.text === '\t';
    yield { columns: editGlyphWidth(glyph), size: glyph.size, isBlank };
  }
}
