import type { Line, Span } from './text/line.ts';
import { glyphsOf, isPlain } from './text/visible.ts';
import type { Theme } from './theme.ts';

/** Where the terminal's cursor is shown, from 0. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

const ESC = '\x1b[';
const BEGIN_UPDATE = `${ESC}?2026h`;
const END_UPDATE = `${ESC}?2026l`;
const CLEAR_LINE = `${ESC}2K`;

/**
 * Turns frames into what has to be written to get from one to the next: only lines that changed, each put in its place, all
 * in one piece, so nothing flickers and nothing that went wrong in one line moves another.
 */
export class FrameWriter {
  readonly #theme: Theme;
  #shown: readonly string[] = [];
  #cursor: CursorPlace | undefined;

  constructor(theme: Theme) {
    this.#theme = theme;
  }

  /** What is on the terminal is no longer known: the next frame is drawn whole. */
  forget(): void {
    this.#shown = [];
    this.#cursor = undefined;
  }

  /**
   * The bytes for a frame on a terminal of that many columns; empty if nothing changed. Its spans must be visible text: they
   * are written as they are.
   */
  next(frame: readonly Line[], cursor: CursorPlace | undefined, columns: number): string {
    const lines = frame.map((line) => lineBytes(line, this.#theme, columns));
    const fresh = this.#shown.length === 0;
    let out = fresh ? `${ESC}0m${ESC}2J` : '';
    for (const [row, line] of lines.entries()) {
      if (fresh || this.#shown[row] !== line) out += `${ESC}${row + 1};1H${line}`;
    }
    for (let row = lines.length; row < this.#shown.length; row += 1) {
      out += `${ESC}${row + 1};1H${ESC}K`;
    }
    const moved = cursor?.row !== this.#cursor?.row || cursor?.column !== this.#cursor?.column;
    if (out === '' && !moved) return '';
    this.#shown = lines;
    this.#cursor = cursor;
    const end =
      cursor === undefined
        ? `${ESC}?25l`
        : `${ESC}${cursor.row + 1};${cursor.column + 1}H${ESC}?25h`;
    return `${BEGIN_UPDATE}${ESC}?25l${out}${end}${END_UPDATE}`;
  }
}

/**
 * A line as it is written. Terminals disagree on how wide emoji, and letters with marks, are. So after each such character the
 * cursor is put where it should be, and what follows is in its column whatever the terminal made of it.
 */
function lineBytes(line: Line, theme: Theme, columns: number): string {
  let [out, column, tricky] = ['', 0, false];
  for (const span of line) {
    const code = theme[span.style];
    const text = spanBytes(span, column);
    tricky ||= text !== span.text;
    out += code === '' ? text : `${ESC}${code}m${text}${ESC}0m`;
    column += span.width;
  }
  // A cell that is skipped would keep what it showed. Other lines are cleared last, or else every change would flicker.
  if (tricky) return `${CLEAR_LINE}${out}`;
  // Behind a full line the cursor stays on its last cell, and that would be cleared.
  return column >= columns ? out : `${out}${ESC}K`;
}

function spanBytes({ text }: Span, start: number): string {
  if (isPlain(text)) return text;
  let [out, column] = ['', start];
  for (const glyph of glyphsOf(text)) {
    column += glyph.width;
    out += isTricky(glyph) ? `${glyph.text}${ESC}${column + 1}G` : glyph.text;
  }
  return out;
}

function isTricky(glyph: { readonly text: string; readonly width: number }): boolean {
  // Right-to-left letters are among them, so that no terminal turns what follows.
  return (
    glyph.width === 2 || glyph.text.length > 1 || /[\u0590-\u08ff\ufb1d-\ufefc]/.test(glyph.text)
  );
}
