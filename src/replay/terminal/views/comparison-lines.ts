import type { AnswerComparison, ResultShown, RowDifference } from '../../ports.ts';
import { verdictStyle } from '../text/describe.ts';
import { counted, countText, rewardText } from '../text/format.ts';
import { sqlText } from '../text/highlight.ts';
import { blank, type Line, type Style } from '../text/line.ts';
import { cellText, columnWidths, tableRow } from '../text/table.ts';
import { fitLine, plainText, wrapStyled, wrapText } from '../text/wrap.ts';
import { styledLine } from './chrome.ts';

const MARKS: Readonly<Record<RowDifference['kind'], string>> = {
  same: ' ',
  missing: '-',
  extra: '+',
  order: '↕',
  types: '~',
};

const STYLES: Readonly<Record<RowDifference['kind'], Style>> = {
  same: 'plain',
  missing: 'removed',
  extra: 'added',
  order: 'warn',
  types: 'accent',
};

/** Narrower than this, the two results come one below the other. */
const SIDE_BY_SIDE_WIDTH = 64;
const MIDDLE_WIDTH = 5;

/** Why the reward is what it is, and what the other modes would have said. */
export function reasonLines(comparison: AnswerComparison, width: number): Line[] {
  const lines: Line[] = [...wrapText(comparison.explanation, width, plainText)];
  const nameWidth = Math.max(...comparison.verdicts.map((one) => one.comparisonMode.length));
  for (const one of comparison.verdicts) {
    const { comparisonMode, verdict, reward, flags, decided } = one;
    lines.push(
      styledLine([
        { text: decided ? '▸ ' : '  ', style: 'accent' },
        { text: comparisonMode.padEnd(nameWidth + 2), style: decided ? 'strong' : 'plain' },
        { text: `${verdict}  `, style: verdictStyle(verdict) },
        { text: `reward ${rewardText(reward)}`, style: reward > 0 ? 'good' : 'plain' },
        { text: flags.length === 0 ? '' : `  ${flags.join(' ')}`, style: 'warn' },
        { text: decided ? '  decided' : '', style: 'dim' },
      ]),
    );
  }
  return lines;
}

/** One side's SQL and how it ran. */
export function sideLines(side: ResultShown, width: number): Line[] {
  const lines: Line[] = [...wrapText(side.sql, width, sqlText)];
  if (side.status !== 'ok') {
    const reason = side.errorText === '' ? '' : `: ${side.errorText}`;
    lines.push(...wrapStyled([{ text: `${side.status}${reason}`, style: 'bad' }], width));
  }
  return lines;
}

/** A side's rows in a few words, for the edge of its pane. */
export function sideNote(side: ResultShown): string {
  if (side.status !== 'ok') return side.status;
  return `${counted(side.rowCount, 'row')}${side.capped ? ', capped' : ''}`;
}

/** How many rows are of which kind: `3 same · 1 missing`. */
export function countsNote({ counts }: AnswerComparison): string {
  const kinds = ['same', 'missing', 'extra', 'types', 'order'] as const;
  const parts = kinds.filter((kind) => counts[kind] > 0);
  if (parts.length === 0) return 'no rows on either side';
  return parts.map((kind) => `${countText(counts[kind])} ${kind}`).join(' · ');
}

/** The row-level diff: gold and answer side by side where there is room, else as a unified diff. */
export function differenceLines(comparison: AnswerComparison, width: number): Line[] {
  const { gold, answer, rows, counts } = comparison;
  const lines =
    answer === undefined
      ? unified(gold, undefined, rows, width)
      : width >= SIDE_BY_SIDE_WIDTH
        ? sideBySide(gold, answer, rows, width)
        : unified(gold, answer, rows, width);
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  if (total > rows.length) {
    const more = countText(total - rows.length);
    lines.push(styledLine([{ text: `${more} more rows are counted, not shown`, style: 'dim' }]));
  }
  return lines;
}

function sideBySide(
  gold: ResultShown,
  answer: ResultShown,
  rows: readonly RowDifference[],
  width: number,
): Line[] {
  const half = Math.floor((width - MIDDLE_WIDTH) / 2);
  const goldRows = rows.flatMap((row) => (row.gold === undefined ? [] : [shown(row.gold)]));
  const answerRows = rows.flatMap((row) => (row.answer === undefined ? [] : [shown(row.answer)]));
  const goldWidths = columnWidths(gold.columns, goldRows, half);
  const answerWidths = columnWidths(answer.columns, answerRows, half);
  const line = (left: Line, mark: string, right: Line, style: Style): Line => [
    ...fitLine(left, half),
    ...styledLine([
      { text: ' ', style: 'border' },
      { text: '│', style: 'border' },
      { text: mark, style },
      { text: '│', style: 'border' },
    ]),
    blank(1),
    ...fitLine(right, half),
  ];
  const head = line(
    tableRow(gold.columns, goldWidths, 'dim'),
    ' ',
    tableRow(answer.columns, answerWidths, 'dim'),
    'dim',
  );
  const body = rows.map((row) => {
    const style = STYLES[row.kind];
    const left = row.gold === undefined ? [] : tableRow(shown(row.gold), goldWidths, style);
    const right = row.answer === undefined ? [] : tableRow(shown(row.answer), answerWidths, style);
    return line(left, MARKS[row.kind], right, style);
  });
  return [head, ...body];
}

function unified(
  gold: ResultShown,
  answer: ResultShown | undefined,
  rows: readonly RowDifference[],
  width: number,
): Line[] {
  const all = rows.flatMap((row) =>
    [row.gold, row.answer].flatMap((one) => (one ? [shown(one)] : [])),
  );
  const others = answer?.columns ?? [];
  const columns = gold.columns.length >= others.length ? gold.columns : others;
  const widths = columnWidths(columns, all, width - 2);
  const line = (mark: string, cells: readonly string[], style: Style): Line => [
    ...styledLine([{ text: `${mark} `, style }]),
    ...tableRow(cells, widths, style),
  ];
  const body = rows.flatMap((row) => {
    const [mark, style] = [MARKS[row.kind], STYLES[row.kind]];
    const left = row.gold === undefined ? [] : [line(mark, shown(row.gold), style)];
    // What is the same on both sides is there once.
    const twice = row.kind === 'types' || row.gold === undefined;
    const right = row.answer === undefined || !twice ? [] : [line(mark, shown(row.answer), style)];
    return [...left, ...right];
  });
  return [line(' ', columns, 'dim'), ...body];
}

function shown(cells: readonly string[]): readonly string[] {
  return cells.map(cellText);
}
