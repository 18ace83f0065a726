import type { TextProps } from 'ink';
import type { Style } from './text/line.ts';

/** How a style looks; what ink's Text takes. */
export type Look = Pick<
  TextProps,
  'color' | 'backgroundColor' | 'bold' | 'dimColor' | 'inverse' | 'underline' | 'strikethrough'
>;

/** Only the 16 colours that a terminal's own theme sets, so it is readable on light and dark ones. */
const COLOURS: Readonly<Record<Style, Look>> = {
  plain: {},
  dim: { color: 'gray' },
  strong: { bold: true },
  title: { color: 'cyan', bold: true },
  accent: { color: 'cyan' },
  good: { color: 'green' },
  bad: { color: 'red' },
  warn: { color: 'yellow' },
  keyword: { color: 'magenta', bold: true },
  string: { color: 'green' },
  number: { color: 'yellow' },
  stand_in: { color: 'yellow', underline: true },
  cut: { color: 'yellow', bold: true },
  added: { color: 'green' },
  removed: { color: 'red' },
  added_part: { color: 'green', inverse: true },
  removed_part: { color: 'red', inverse: true },
  border: { color: 'gray' },
  focus: { color: 'cyan' },
  selected: { inverse: true, bold: true },
  cursor: {},
  key: { color: 'cyan', bold: true },
};

/** Without colours: what is chosen or changed has marks of its own, these only help. */
const NO_COLOURS: Readonly<Partial<Record<Style, Look>>> = {
  strong: { bold: true },
  title: { bold: true },
  keyword: { bold: true },
  stand_in: { underline: true },
  cut: { underline: true },
  added_part: { underline: true },
  removed_part: { underline: true },
  selected: { bold: true },
  key: { bold: true },
};

/** How each style looks. */
export type Theme = (style: Style) => Look;

/** The theme for a terminal; `NO_COLOR` (not empty) and terminals that know none get one without colours. */
export function themeFor(environment: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR: noColor, TERM: term } = environment;
  const colours = (noColor ?? '') === '' && term !== 'dumb' && term !== 'vt100';
  return colours ? (style) => COLOURS[style] : (style) => NO_COLOURS[style] ?? {};
}
