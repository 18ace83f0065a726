import { LRUCache } from 'lru-cache';
import type { Line, Span, Style } from './line.ts';
import { glyphsOf, isPlain, visible } from './visible.ts';

/** Text of a style, line breaks and all, before it is laid out. */
export interface StyledText {
  readonly text: string;
  readonly style: Style;
}

/** Cuts a text into its styles. Must be a constant function: layouts are kept by it. */
export type Highlighter = (text: string) => readonly StyledText[];

const TAB_WIDTH = 4;
/** A word that would leave more than this share of its line empty is broken instead. */
const LEFT_EMPTY_MAX = 0.5;
/** UTF-16 units of one text that are laid out: 16 times the largest observation by default. */
export const TEXT_SHOWN_MAX = 4_000_000;
/** Layouts that are kept, by the characters of their texts: those on the screen and a few more. */
const CACHE_CHARACTERS_MAX = 16_000_000;

const cache = new LRUCache<string, Map<string, readonly Line[]>>({
  maxSize: CACHE_CHARACTERS_MAX,
  sizeCalculation: (_, text) => text.length + 1_000,
});
const highlighterNumbers = new Map<Highlighter, number>();

/** Lays out a text in lines of at most `width` columns; kept, so a long text is laid out once and not for every frame. */
export function wrapText(text: string, width: number, highlight: Highlighter): readonly Line[] {
  let number = highlighterNumbers.get(highlight);
  if (number === undefined) {
    number = highlighterNumbers.size;
    highlighterNumbers.set(highlight, number);
  }
  return keptLines(text, `wrap ${number} ${width}`, () =>
    wrapStyled(shownPart(text, highlight), width),
  );
}

/** The lines that were made of a text under a key, or those that `make` gives now. */
export function keptLines(text: string, key: string, make: () => readonly Line[]): readonly Line[] {
  const kept = cache.get(text);
  const found = kept?.get(key);
  if (found !== undefined) return found;
  const lines = make();
  // Layouts for earlier sizes of the window are of no use.
  cache.set(text, new Map([...[...(kept ?? [])].slice(-3), [key, lines]]));
  return lines;
}

/** Lays out styled text: breaks at spaces where it can, within words where it must. */
export function wrapStyled(parts: readonly StyledText[], width: number): Line[] {
  const filling = new Filling(Math.max(2, width));
  for (const part of parts) filling.add(part);
  return filling.finish();
}

/** All in one style. */
export const plainText: Highlighter = (text) => [{ text, style: 'plain' }];

function shownPart(text: string, highlight: Highlighter): readonly StyledText[] {
  if (text.length <= TEXT_SHOWN_MAX) return highlight(text);
  const more = (text.length - TEXT_SHOWN_MAX).toLocaleString('en-US');
  return [
    ...highlight(text.slice(0, TEXT_SHOWN_MAX)),
    { text: `\n(${more} more characters are not shown)`, style: 'warn' },
  ];
}

interface Placed {
  readonly text: string;
  readonly width: number;
  readonly style: Style;
}

/** Words, runs of blanks, line breaks and tabs. */
const PIECES = /[^\n\t ]+| +|\n|\t/g;

/** Lines that are being filled, word by word: a text of a megabyte costs little. */
class Filling {
  readonly #width: number;
  readonly #lines: Line[] = [];
  #current: Placed[] = [];
  #currentWidth = 0;
  /** Index in `#current` after the last blank, and the columns up to there. */
  #breakAt = 0;
  #breakWidth = 0;

  constructor(width: number) {
    this.#width = width;
  }

  add({ text, style }: StyledText): void {
    for (const [piece] of text.matchAll(PIECES)) {
      if (piece === '\n') this.#emit(this.#current.length);
      else if (piece === '\t') this.#addTab(style);
      else if (piece.startsWith(' ')) this.#addBlanks(piece.length, style);
      else if (isPlain(piece)) this.#addWord(piece, style);
      else this.#addGlyphs(piece, style);
    }
  }

  finish(): Line[] {
    this.#emit(this.#current.length);
    return this.#lines;
  }

  #addWord(word: string, style: Style): void {
    let rest = word;
    while (!this.#fits(rest.length)) {
      if (this.#breaksAtBlank()) continue;
      const room = this.#width - this.#currentWidth;
      this.#place(rest.slice(0, room), room, style);
      this.#emit(this.#current.length);
      rest = rest.slice(room);
    }
    this.#place(rest, rest.length, style);
  }

  #addGlyphs(text: string, style: Style): void {
    for (const glyph of glyphsOf(text)) {
      while (!this.#fits(glyph.width) && this.#currentWidth > 0) {
        if (!this.#breaksAtBlank()) this.#emit(this.#current.length);
      }
      this.#place(glyph.text, glyph.width, glyph.standIn ? 'stand_in' : style);
    }
  }

  /** A line that breaks at a blank ends with it, so the next one does not begin with it. */
  #addBlanks(count: number, style: Style): void {
    let left = count;
    while (left > 0) {
      const room = this.#width - this.#currentWidth;
      if (room <= 0) {
        this.#emit(this.#current.length);
        left -= 1;
        continue;
      }
      const placed = Math.min(room, left);
      this.#place(' '.repeat(placed), placed, style);
      this.#markBreak();
      left -= placed;
    }
  }

  #addTab(style: Style): void {
    if (this.#currentWidth >= this.#width) this.#emit(this.#current.length);
    const stop = TAB_WIDTH - (this.#currentWidth % TAB_WIDTH);
    const width = Math.min(stop, this.#width - this.#currentWidth);
    this.#place(' '.repeat(width), width, style);
    this.#markBreak();
  }

  #fits(width: number): boolean {
    return this.#currentWidth + width <= this.#width;
  }

  #place(text: string, width: number, style: Style): void {
    if (text === '') return;
    this.#current.push({ text, width, style });
    this.#currentWidth += width;
  }

  #markBreak(): void {
    this.#breakAt = this.#current.length;
    this.#breakWidth = this.#currentWidth;
  }

  /** Ends the line after its last blank, unless that leaves too much of it empty. */
  #breaksAtBlank(): boolean {
    const leftEmpty = this.#width - this.#breakWidth;
    if (this.#breakAt === 0 || leftEmpty >= this.#width * LEFT_EMPTY_MAX) return false;
    this.#emit(this.#breakAt);
    return true;
  }

  /** Ends the line before the piece of that index. */
  #emit(end: number): void {
    this.#lines.push(merged(this.#current.slice(0, end)));
    this.#current = this.#current.slice(end);
    this.#currentWidth = this.#current.reduce((sum, placed) => sum + placed.width, 0);
    this.#breakAt = 0;
    this.#breakWidth = 0;
  }
}

function merged(placed: readonly Placed[]): Line {
  const spans: Span[] = [];
  let open: { texts: string[]; style: Style; width: number } | undefined;
  const close = (): void => {
    if (open !== undefined)
      spans.push({ text: open.texts.join(''), style: open.style, width: open.width });
  };
  for (const { text, width, style } of placed) {
    if (open?.style === style) {
      open.texts.push(text);
      open.width += width;
    } else {
      close();
      open = { texts: [text], style, width };
    }
  }
  close();
  return spans;
}

/** Makes a line exactly `width` columns wide: cut with `…`, or filled with blanks. */
export function fitLine(line: Line, width: number, style: Style = 'plain'): Line {
  const total = line.reduce((sum, span) => sum + span.width, 0);
  if (total === width) return line;
  if (total < width)
    return [...line, { text: ' '.repeat(width - total), style, width: width - total }];
  if (width <= 0) return [];
  const spans: Span[] = [];
  let left = width - 1;
  let last: Style = style;
  for (const span of line) {
    last = span.style;
    if (span.width <= left) {
      spans.push(span);
      left -= span.width;
      continue;
    }
    const part = headOf(span, left);
    if (part.width > 0) spans.push(part);
    left -= part.width;
    break;
  }
  const filled = left > 0 ? [{ text: ' '.repeat(left), style, width: left }] : [];
  return [...spans, { text: '…', style: last, width: 1 }, ...filled];
}

/** One line of text, made visible and exactly `width` columns wide. */
export function fitText(text: string, width: number, style: Style = 'plain'): Line {
  // A text of a megabyte has no place on one line, so most of it need not even be looked at.
  return fitLine(visible(text.slice(0, width * 8 + 8), style), width, style);
}

/** The same, but what does not fit is cut at the start: the end of a name tells more than its beginning. */
export function fitTextEnd(text: string, width: number, style: Style = 'plain'): Line {
  const line = visible(text, style);
  if (width < 2 || line.reduce((sum, span) => sum + span.width, 0) <= width) {
    return fitLine(line, width, style);
  }
  const glyphs = [...glyphsOf(text)];
  let [start, used] = [glyphs.length, 0];
  for (; start > 0; start -= 1) {
    used += glyphs[start - 1]?.width ?? 0;
    if (used > width - 1) break;
  }
  const tail = glyphs.slice(start).map((glyph) => glyph.text);
  return fitLine([{ text: '…', style, width: 1 }, ...visible(tail.join(''), style)], width, style);
}

/** The same, with the text at the right edge. */
export function fitTextRight(text: string, width: number, style: Style = 'plain'): Line {
  const line = visible(text, style);
  const total = line.reduce((sum, span) => sum + span.width, 0);
  if (total >= width) return fitLine(line, width, style);
  return [{ text: ' '.repeat(width - total), style, width: width - total }, ...line];
}

/** As much of a span as fits. Its text has been made visible before, so its characters are what they seem. */
function headOf(span: Span, width: number): Span {
  if (isPlain(span.text)) return { ...span, text: span.text.slice(0, width), width };
  let text = '';
  let used = 0;
  for (const glyph of glyphsOf(span.text)) {
    if (used + glyph.width > width) break;
    text += glyph.text;
    used += glyph.width;
  }
  return { text, style: span.style, width: used };
}
