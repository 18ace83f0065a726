import type { Line, Span, Style } from './line.ts';

/** One character as it is shown: never a control character, never without a width. */
export interface Glyph {
  readonly text: string;
  /** 1 or 2 columns; more for a character that is spelt out, as ‹200B›. */
  readonly width: number;
  /** It stands for a character that can't be shown. */
  readonly standIn: boolean;
  /** UTF-16 units of the text that it is made of, those included that are left out. */
  readonly size: number;
}

/** Marks on one letter that are shown as marks; more of them run over the lines above and below. */
const MARK_COUNT_MAX = 3;

const MARK = /^\p{M}$/u;
/** Nothing to see, or it turns the writing direction: format characters, separators, unassigned code points. */
const UNSEEN = /^[\p{Cf}\p{Zl}\p{Zp}\p{Cn}\p{Cs}]$/u;
const SPACING_MARK = /^\p{Mc}$/u;
const EMOJI = /^\p{Emoji_Presentation}$/u;
const PICTOGRAPH = /\p{Extended_Pictographic}/u;

const ZERO_WIDTH_JOINER = 0x200d;

/** East Asian wide and fullwidth characters, first and last; emoji have a rule of their own. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f265],
  [0x20000, 0x3fffd],
];

/**
 * The characters of a text as they can be shown. Control characters become their pictures (ESC is ␛), what has no width or
 * turns the writing direction is spelt out, and what only chooses between looks of an emoji is left out, since terminals
 * disagree on its width. Newlines and tabs are for the caller: they come as themselves, with a width of 0.
 */
export function* glyphsOf(text: string): Generator<Glyph> {
  let last: { text: string; width: number; standIn: boolean; size: number } | undefined;
  let markCount = 0;
  for (const character of text) {
    const code = character.codePointAt(0) ?? 0;
    if (last !== undefined && isMark(code, character) && !last.standIn && last.width > 0) {
      const lookOnly = isLookOnly(code, last.text);
      if (!lookOnly) markCount += 1;
      if (markCount <= MARK_COUNT_MAX) {
        if (!lookOnly) last.text += character;
        last.size += character.length;
        continue;
      }
    } else if (last !== undefined && isJoinerAfterEmoji(code, last.text)) {
      last.size += character.length;
      continue;
    }
    if (last !== undefined) yield last;
    last = { ...glyphOf(code, character), size: character.length };
    markCount = 0;
  }
  if (last !== undefined) yield last;
}

/** Columns of one line of text once it is made visible. */
export function textWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const glyph of glyphsOf(text)) width += glyph.text === '\t' ? 1 : glyph.width;
  return width;
}

/** One line of text as spans; newlines and tabs are shown as their pictures. Nothing of it reaches the terminal raw. */
export function visible(text: string, style: Style = 'plain'): Line {
  if (isPlain(text)) return text === '' ? [] : [{ text, style, width: text.length }];
  const spans: Span[] = [];
  let run = '';
  let width = 0;
  const flush = (): void => {
    if (run !== '') spans.push({ text: run, style, width });
    [run, width] = ['', 0];
  };
  for (const glyph of glyphsOf(text)) {
    const shown = glyph.width === 0 ? pictureOf(glyph.text) : glyph;
    if (shown.standIn) {
      flush();
      spans.push({ text: shown.text, style: 'stand_in', width: shown.width });
    } else {
      run += shown.text;
      width += shown.width;
    }
  }
  flush();
  return spans;
}

/** ASCII that can be shown as it is. */
export function isPlain(text: string): boolean {
  return !/[^\x20-\x7e]/.test(text);
}

type Shown = Omit<Glyph, 'size'>;

function glyphOf(code: number, character: string): Shown {
  if (code >= 0x20 && code < 0x7f) return { text: character, width: 1, standIn: false };
  if (character === '\n' || character === '\t')
    return { text: character, width: 0, standIn: false };
  if (code < 0x20 || code === 0x7f) return pictureOf(character);
  if (code < 0xa0 || UNSEEN.test(character) || isMark(code, character)) return spelt(code);
  // Regional indicators: in pairs they are flags, and every terminal counts those in its own way.
  if (code >= 0x1f1e6 && code <= 0x1f1ff) {
    return { text: String.fromCharCode(code - 0x1f1e6 + 0x41), width: 1, standIn: true };
  }
  return { text: character, width: isWide(code, character) ? 2 : 1, standIn: false };
}

function pictureOf(character: string): Shown {
  const code = character.charCodeAt(0);
  const picture = code === 0x7f ? 0x2421 : 0x2400 + code;
  return { text: String.fromCharCode(picture), width: 1, standIn: true };
}

function spelt(code: number): Shown {
  const hex = code.toString(16).toUpperCase().padStart(4, '0');
  return { text: `‹${hex}›`, width: hex.length + 2, standIn: true };
}

/** It sits on the character before it: marks, the tones of skins, and the middle and last letters of old Hangul. */
function isMark(code: number, character: string): boolean {
  if (code < 0x300) return false;
  if (code >= 0x1f3fb && code <= 0x1f3ff) return true;
  if ((code >= 0x1160 && code <= 0x11ff) || (code >= 0xd7b0 && code <= 0xd7fb)) return true;
  return MARK.test(character) && !SPACING_MARK.test(character);
}

/** Variation selectors, skin tones and the keycap: without them the character is the same. */
function isLookOnly(code: number, base: string): boolean {
  if (code === 0xfe0e || code === 0xfe0f || code === 0x20e3) return /[\p{Emoji}]/u.test(base);
  return code >= 0x1f3fb && code <= 0x1f3ff && PICTOGRAPH.test(base);
}

function isJoinerAfterEmoji(code: number, before: string): boolean {
  return code === ZERO_WIDTH_JOINER && PICTOGRAPH.test(before);
}

function isWide(code: number, character: string): boolean {
  if (code < 0x1100) return false;
  return WIDE.some(([first, last]) => code >= first && code <= last) || EMOJI.test(character);
}
