import { glyphsOf, isPlain } from './text/visible.ts';

/** Where the terminal's cursor is shown, from 0. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

const ESC = '\x1b[';
// Built from the constant: a control character in a pattern looks like a mistake.
const STYLE_CODES = new RegExp(`(${ESC.replace('[', '\\[')}[\\d;]*m)`);
const BEGIN_UPDATE = `${ESC}?2026h`;
const END_UPDATE = `${ESC}?2026l`;

/**
 * Turns frames into what has to be written to get from one to the next: only lines that changed, each put in its place, all
 * in one piece, so nothing flickers and nothing that went wrong in one line moves another.
 */
export class FrameWriter {
  #shown: readonly string[] = [];
  #cursor: CursorPlace | undefined;

  /** What is on the terminal is no longer known: the next frame is drawn whole. */
  forget(): void {
    this.#shown = [];
    this.#cursor = undefined;
  }

  /** The bytes for a frame of lines with style codes; empty if nothing changed. */
  next(frame: string, rowCount: number, cursor: CursorPlace | undefined): string {
    const lines = frame.split('\n').slice(0, rowCount);
    const fresh = this.#shown.length === 0;
    let out = fresh ? `${ESC}0m${ESC}2J` : '';
    for (const [row, line] of lines.entries()) {
      if (!fresh && this.#shown[row] === line) continue;
      out += `${ESC}${row + 1};1H${ESC}0m${placedText(line)}`;
    }
    for (let row = lines.length; row < this.#shown.length; row += 1) {
      out += `${ESC}${row + 1};1H${ESC}0m${ESC}K`;
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
function placedText(line: string): string {
  const pieces = line.split(STYLE_CODES);
  const tricky = pieces.some(
    (piece, index) => index % 2 === 0 && !isPlain(piece) && hasTricky(piece),
  );
  // The end of the line is cleared last, or else every change would flicker; a skipped cell would keep what it showed.
  if (!tricky) return `${line}${ESC}0m${ESC}K`;
  let column = 0;
  let out = `${ESC}2K`;
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 1) {
      out += piece;
      continue;
    }
    for (const glyph of glyphsOf(piece)) {
      column += glyph.width;
      out += isTricky(glyph) ? `${glyph.text}${ESC}${column + 1}G` : glyph.text;
    }
  }
  return `${out}${ESC}0m`;
}

function hasTricky(text: string): boolean {
  for (const glyph of glyphsOf(text)) if (isTricky(glyph)) return true;
  return false;
}

function isTricky(glyph: { readonly text: string; readonly width: number }): boolean {
  // Right-to-left letters are among them, so that no terminal turns what follows.
  return (
    glyph.width === 2 || glyph.text.length > 1 || /[\u0590-\u08ff\ufb1d-\ufefc]/.test(glyph.text)
  );
}
