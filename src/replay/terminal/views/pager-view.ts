import type { PagerView, Size, State } from '../state/state.ts';
import type { Line } from '../text/line.ts';
import { wrapDiff } from '../text/diff-lines.ts';
import { drawPane, innerWidth } from '../text/pane.ts';
import { headerLine, type Hint } from './chrome.ts';

/** Header above, status and keys below. */
const CHROME_ROWS = 3;

/** Keys of a text that is read. */
export const PAGER_HINTS: readonly Hint[] = [
  ['↑↓', 'scroll'],
  ['space', 'page'],
  ['home end', 'jump'],
  ['q', 'back'],
];

/** Rows of the text's pane, edges included. */
export function pagerHeight(size: Size): number {
  return Math.max(3, size.rows - CHROME_ROWS);
}

/** The text's lines for a screen of that width; kept for each view, since a schema or a diff can be long. */
export function pagerLines(view: PagerView, width: number): readonly Line[] {
  let widths = kept.get(view.lines);
  if (widths === undefined) {
    widths = new Map();
    kept.set(view.lines, widths);
  }
  const lines = widths.get(width) ?? wrapDiff(view.lines, innerWidth(width));
  widths.set(width, lines);
  return lines;
}

const kept = new WeakMap<PagerView['lines'], Map<number, readonly Line[]>>();

/** Draws a text without status and keys. */
export function drawPager(state: State, view: PagerView): Line[] {
  const { columns: width } = state.size;
  return [
    headerLine([view.title], [], width),
    ...drawPane({
      title: view.title,
      note: view.note,
      lines: pagerLines(view, width),
      width,
      height: pagerHeight(state.size),
      focused: true,
      scroll: view.scroll,
    }),
  ];
}
