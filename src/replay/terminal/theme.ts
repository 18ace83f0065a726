import type { Style } from './text/line.ts';

/** How styles look: the parameters of a terminal's SGR sequence, as `1;36`; empty for plain text. */
export type Theme = Readonly<Record<Style, string>>;

const BOLD = '1';
const UNDERLINED = '4';
const INVERSE = '7';
const [RED, GREEN, YELLOW, MAGENTA, CYAN, GRAY] = ['31', '32', '33', '35', '36', '90'];

/** Only the 16 colours that a terminal's own theme sets, so it is readable on light and dark ones. */
const COLOURS: Theme = {
  plain: '',
  dim: GRAY,
  strong: BOLD,
  title: `${BOLD};${CYAN}`,
  accent: CYAN,
  good: GREEN,
  bad: RED,
  warn: YELLOW,
  keyword: `${BOLD};${MAGENTA}`,
  string: GREEN,
  number: YELLOW,
  stand_in: `${UNDERLINED};${YELLOW}`,
  cut: `${BOLD};${YELLOW}`,
  added: GREEN,
  removed: RED,
  added_part: `${INVERSE};${GREEN}`,
  removed_part: `${INVERSE};${RED}`,
  border: GRAY,
  focus: CYAN,
  selected: `${BOLD};${INVERSE}`,
  cursor: '',
  key: `${BOLD};${CYAN}`,
};

/** Without colours: what is chosen or changed has marks of its own, these only help. */
const NO_COLOURS: Theme = {
  plain: '',
  dim: '',
  strong: BOLD,
  title: BOLD,
  accent: '',
  good: '',
  bad: '',
  warn: '',
  keyword: BOLD,
  string: '',
  number: '',
  stand_in: UNDERLINED,
  cut: UNDERLINED,
  added: '',
  removed: '',
  added_part: UNDERLINED,
  removed_part: UNDERLINED,
  border: '',
  focus: '',
  selected: `${BOLD};${INVERSE}`,
  cursor: '',
  key: BOLD,
};

/** The theme for a terminal; `NO_COLOR` (not empty) and terminals that know none get one without colours. */
export function themeFor(environment: Readonly<Record<string, string | undefined>>): Theme {
  const { NO_COLOR: noColor, TERM: term } = environment;
  const colours = (noColor ?? '') === '' && term !== 'dumb' && term !== 'vt100';
  return colours ? COLOURS : NO_COLOURS;
}
