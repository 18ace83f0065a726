import { clampScroll } from '../state/scroll.ts';
import type { Line } from '../text/line.ts';
import { beside, drawPane, innerWidth, type Pane } from '../text/pane.ts';
import { fitLine } from '../text/wrap.ts';

/** A pane before it has a place. Its lines are laid out for its width. */
export interface PaneSpec {
  readonly id: string;
  readonly title: string;
  readonly note?: string;
  /** Lines for a number of columns. */
  readonly lines: (width: number) => readonly Line[];
}

/** A row of the screen's body: panes side by side, or single lines. */
export type BodyRow =
  | { readonly kind: 'panes'; readonly panes: readonly PaneSpec[]; readonly height: number }
  | { readonly kind: 'line'; readonly line: Line };

/** A pane with its place. */
export interface PlacedPane {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  readonly lineCount: number;
}

/** The panes of a body in the order of Tab, with their sizes. */
export function placedPanes(rows: readonly BodyRow[], width: number): PlacedPane[] {
  return rows.flatMap((row) => {
    if (row.kind === 'line') return [];
    return row.panes.map((pane, index) => {
      const paneWidth = shareOf(width, row.panes.length, index);
      const lineCount = pane.lines(innerWidth(paneWidth)).length;
      return { id: pane.id, width: paneWidth, height: row.height, lineCount };
    });
  });
}

/** Draws a body; `focusId` is the pane that has the arrow keys. */
export function drawBody(
  rows: readonly BodyRow[],
  width: number,
  focusId: string,
  scroll: Readonly<Record<string, number>>,
): Line[] {
  return rows.flatMap((row) => {
    if (row.kind === 'line') return [fitLine(row.line, width)];
    let drawn: Line[] | undefined;
    for (const [index, spec] of row.panes.entries()) {
      const paneWidth = shareOf(width, row.panes.length, index);
      const lines = spec.lines(innerWidth(paneWidth));
      const pane: Pane = {
        title: spec.title,
        note: spec.note ?? '',
        lines,
        width: paneWidth,
        height: row.height,
        focused: spec.id === focusId,
        scroll: clampScroll(scroll[spec.id] ?? 0, lines.length, row.height),
      };
      drawn = drawn === undefined ? drawPane(pane) : beside(drawn, drawPane(pane));
    }
    return drawn ?? [];
  });
}

/** Rows for a pane that has that many lines, edges included, within limits. */
export function paneHeight(lineCount: number, least: number, most: number): number {
  return Math.max(Math.min(least, most), Math.min(lineCount + 2, most));
}

/** Columns of one of several panes side by side. */
export function shareOf(width: number, count: number, index: number): number {
  return Math.floor((width * (index + 1)) / count) - Math.floor((width * index) / count);
}
