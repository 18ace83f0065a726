import { blank, lineWidth, type Line, type Span, type Style } from './line.ts';
import { fitLine } from './wrap.ts';
import { visible } from './visible.ts';

/** A framed part of the screen. */
export interface Pane {
  readonly title: string;
  /** At the right end of the top edge. */
  readonly note: string;
  readonly lines: readonly Line[];
  readonly width: number;
  /** Rows, edges included; at least 3. */
  readonly height: number;
  readonly focused: boolean;
  /** Index of the first line shown; too large a one shows the end. */
  readonly scroll: number;
}

const THIN = { corners: ['╭', '╮', '╰', '╯'], side: '│', edge: '─' } as const;
const HEAVY = { corners: ['┏', '┓', '┗', '┛'], side: '┃', edge: '━' } as const;

/** Columns of text in a pane of that width: its edges and a blank at each take four. */
export function innerWidth(paneWidth: number): number {
  return Math.max(2, paneWidth - 4);
}

/** Rows of text in a pane of that height. */
export function innerHeight(paneHeight: number): number {
  return Math.max(1, paneHeight - 2);
}

/** The largest scroll that still fills the pane. */
export function scrollMax(lineCount: number, paneHeight: number): number {
  return Math.max(0, lineCount - innerHeight(paneHeight));
}

/** Draws a pane: exactly `height` lines of exactly `width` columns. What is scrolled shows a bar in the right edge. */
export function drawPane(pane: Pane): Line[] {
  const { width, height, lines, focused } = pane;
  const rows = innerHeight(height);
  const scroll = Math.min(Math.max(0, pane.scroll), scrollMax(lines.length, height));
  const frame = focused ? HEAVY : THIN;
  const style: Style = focused ? 'focus' : 'border';
  const bar = scrollBar(lines.length, rows, scroll);
  const drawn: Line[] = [topEdge(pane, frame, style)];
  for (let row = 0; row < rows; row += 1) {
    const inside = fitLine(lines[scroll + row] ?? [], innerWidth(width));
    const right = bar(row) ? '█' : frame.side;
    drawn.push([
      { text: `${frame.side} `, style, width: 2 },
      ...inside,
      { text: ` ${right}`, style, width: 2 },
    ]);
  }
  drawn.push([edgeSpan(frame.corners[2], frame.edge, frame.corners[3], width, style)]);
  return drawn;
}

/** Blocks of the same height side by side. */
export function beside(left: readonly Line[], right: readonly Line[]): Line[] {
  return left.map((line, index) => [...line, ...(right[index] ?? [])]);
}

/** Exactly `height` lines of `width` columns: cut, or filled with blank ones. */
export function fitBlock(lines: readonly Line[], width: number, height: number): Line[] {
  const fitted = lines.slice(0, height).map((line) => fitLine(line, width));
  while (fitted.length < height) fitted.push([blank(width)]);
  return fitted;
}

type Frame = typeof THIN | typeof HEAVY;

function topEdge(pane: Pane, frame: Frame, style: Style): Line {
  const { width, title, note, focused } = pane;
  const room = Math.max(0, width - 6);
  const titleLine = visible(title, focused ? 'title' : 'strong');
  const fittedTitle = lineWidth(titleLine) > room ? fitLine(titleLine, room) : titleLine;
  const left = room - lineWidth(fittedTitle) - 3;
  const noteLine = note === '' || left < 6 ? [] : visible(note, 'dim');
  const fittedNote = lineWidth(noteLine) > left ? fitLine(noteLine, left) : noteLine;
  const noteWidth = lineWidth(fittedNote);
  const edge = (count: number): Span => ({
    text: frame.edge.repeat(Math.max(0, count)),
    style,
    width: Math.max(0, count),
  });
  const start: Span = { text: `${frame.corners[0]}${frame.edge} `, style, width: 3 };
  const end: Span = { text: frame.corners[1], style, width: 1 };
  const used = 3 + lineWidth(fittedTitle) + 1 + (noteWidth > 0 ? noteWidth + 3 : 0) + 1;
  const noteSpans: Line = noteWidth > 0 ? [blank(1), ...fittedNote, blank(1), edge(1)] : [];
  return [start, ...fittedTitle, blank(1), edge(width - used), ...noteSpans, end];
}

function edgeSpan(left: string, edge: string, right: string, width: number, style: Style): Span {
  return { text: left + edge.repeat(Math.max(0, width - 2)) + right, style, width };
}

/** Which rows of the right edge are the bar's; none if everything is seen. */
function scrollBar(lineCount: number, rows: number, scroll: number): (row: number) => boolean {
  if (lineCount <= rows) return () => false;
  const size = Math.max(1, Math.round((rows * rows) / lineCount));
  const start = Math.round(((rows - size) * scroll) / (lineCount - rows));
  return (row) => row >= start && row < start + size;
}
