/** What a piece of text is; `theme.ts` says how that looks. */
export type Style =
  | 'plain'
  | 'dim'
  | 'strong'
  | 'title'
  | 'accent'
  | 'good'
  | 'bad'
  | 'warn'
  | 'keyword'
  | 'string'
  | 'number'
  /** Stands for a character that can't be shown, as ␛. */
  | 'stand_in'
  /** Text that the model did not get to see. */
  | 'cut'
  | 'added'
  | 'removed'
  /** The part of a changed line that changed. */
  | 'added_part'
  | 'removed_part'
  | 'border'
  | 'focus'
  | 'selected'
  | 'cursor'
  | 'key';

/** Text in one style, safe to be written to a terminal; its width is counted once. */
export interface Span {
  readonly text: string;
  readonly style: Style;
  /** Columns. */
  readonly width: number;
}

/** One row of the screen, from its left edge. */
export type Line = readonly Span[];

/** Columns of a line. */
export function lineWidth(line: Line): number {
  let width = 0;
  for (const span of line) width += span.width;
  return width;
}

/** The text of a line without its styles. */
export function lineText(line: Line): string {
  return line.map((span) => span.text).join('');
}

/** Blank columns. */
export function blank(width: number, style: Style = 'plain'): Span {
  const count = Math.max(0, width);
  return { text: ' '.repeat(count), style, width: count };
}

/** The line in one style, as a selected row is shown. */
export function restyled(line: Line, style: Style): Line {
  return line.map((span) => ({ ...span, style }));
}
