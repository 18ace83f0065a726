import type { Trajectory } from '../../../../env/trajectory.ts';
import type { SiblingsView, Size, State } from '../state/state.ts';
import { outcomeMark, statusStyle, verdictStyle, verdictText } from '../text/describe.ts';
import { counted, countText, durationText, rewardText } from '../text/format.ts';
import { sqlText } from '../text/highlight.ts';
import { restyled, type Line } from '../text/line.ts';
import { beside, drawPane, innerWidth } from '../text/pane.ts';
import { fitLine, wrapStyled, wrapText, type StyledText } from '../text/wrap.ts';
import { headerLine, styledLine, type Hint } from './chrome.ts';
import { shareOf } from './layout.ts';

/** Header above, status and keys below. */
const CHROME_ROWS = 3;
const COLUMN_WIDTH_MIN = 36;
/** Of the body, at most this much for the list of the rollouts. */
const LIST_SHARE = 0.45;

/** Keys of the rollouts of a prompt. */
export const SIBLINGS_HINTS: readonly Hint[] = [
  ['←→ ↑↓', 'choose'],
  ['pgup pgdn', 'scroll'],
  ['enter', 'open'],
  ['q', 'back'],
  ['?', 'help'],
];

/** Rows of the panes with the answers, edges included. */
export function answersHeight(size: Size, view: SiblingsView): number {
  return Math.max(3, size.rows - CHROME_ROWS - listHeight(size, view));
}

/** Lines of the longest answer on the screen. */
export function longestAnswer(state: State, view: SiblingsView): number {
  return Math.max(
    0,
    ...shownColumns(state, view).map(
      ({ index, width }) => answerLines(view, index, innerWidth(width)).length,
    ),
  );
}

/** Draws the rollouts of a prompt: all in a list, and as many as fit side by side. */
export function drawSiblings(state: State, view: SiblingsView): Line[] {
  const { columns: width } = state.size;
  const height = answersHeight(state.size, view);
  let panes: Line[] | undefined;
  for (const { index, place, width: paneWidth } of shownColumns(state, view)) {
    const episode = state.facts.episodes[index];
    const mark = episode === undefined ? '' : outcomeMark(episode).mark;
    const drawn = drawPane({
      title: `${mark} ${place + 1}`,
      note: episode === undefined ? '' : verdictText(episode),
      lines: answerLines(view, index, innerWidth(paneWidth)),
      width: paneWidth,
      height,
      focused: place === view.cursor,
      scroll: view.scroll,
    });
    panes = panes === undefined ? drawn : beside(panes, drawn);
  }
  return [
    headerLine([view.title, counted(view.indices.length, 'rollout')], [], width),
    ...listLines(state, view),
    ...(panes ?? []),
  ];
}

function listHeight(size: Size, view: SiblingsView): number {
  return Math.max(
    1,
    Math.min(view.indices.length, Math.floor((size.rows - CHROME_ROWS) * LIST_SHARE)),
  );
}

function listLines(state: State, view: SiblingsView): Line[] {
  const { columns: width } = state.size;
  const height = listHeight(state.size, view);
  const top = Math.max(
    0,
    Math.min(view.cursor - Math.floor(height / 2), view.indices.length - height),
  );
  return view.indices.slice(top, top + height).map((index, offset) => {
    const place = top + offset;
    const selected = place === view.cursor;
    const episode = state.facts.episodes[index];
    if (episode === undefined) return [];
    const { mark, style } = outcomeMark(episode);
    const parts: StyledText[] = [
      { text: selected ? ' ▶ ' : '   ', style: 'accent' },
      { text: String(place + 1).padStart(3), style: 'dim' },
      { text: ` ${mark} `, style },
      { text: verdictText(episode).padEnd(18), style: verdictStyle(episode.verdict) },
      {
        text: (episode.reward === undefined ? '–' : rewardText(episode.reward)).padEnd(5),
        style: 'plain',
      },
      { text: `${counted(episode.stepCount, 'step')}`.padEnd(9), style: 'plain' },
      { text: `${counted(episode.toolCallCount, 'call')}`.padEnd(9), style: 'plain' },
      { text: durationText(episode.durationMs).padEnd(9), style: 'dim' },
      { text: episode.flags.join(' '), style: 'warn' },
    ];
    const line = fitLine(styledLine(parts), width);
    return selected ? restyled(line, 'selected') : line;
  });
}

interface ShownColumn {
  readonly index: number;
  readonly place: number;
  readonly width: number;
}

function shownColumns(state: State, view: SiblingsView): ShownColumn[] {
  const { columns: width } = state.size;
  const count = Math.max(1, Math.min(view.indices.length, Math.floor(width / COLUMN_WIDTH_MIN)));
  const last = view.indices.length - count;
  const first = Math.max(0, Math.min(view.cursor - Math.floor(count / 2), last));
  return view.indices.slice(first, first + count).map((index, offset) => ({
    index,
    place: first + offset,
    width: shareOf(width, count, offset),
  }));
}

function answerLines(view: SiblingsView, index: number, width: number): Line[] {
  const record = view.records.get(index);
  if (record === undefined) return wrapStyled([{ text: 'reading ...', style: 'dim' }], width);
  if (typeof record === 'string') return wrapStyled([{ text: record, style: 'bad' }], width);
  return [...answerOf(record, width), ...stepsOf(record, width)];
}

function answerOf({ grade, end }: Trajectory, width: number): Line[] {
  if (grade === null) return wrapStyled([{ text: `no answer: ${end}`, style: 'dim' }], width);
  const lines: Line[] =
    grade.answer_sql === ''
      ? wrapStyled([{ text: 'no SQL in its answer', style: 'dim' }], width)
      : [...wrapText(grade.answer_sql, width, sqlText)];
  if (grade.error_text !== '')
    lines.push(...wrapStyled([{ text: grade.error_text, style: 'bad' }], width));
  if (grade.answer_query !== null && grade.answer_query.status === 'ok') {
    const text = `${counted(grade.answer_query.row_count, 'row')}, the gold has ${countText(grade.gold_row_count)}`;
    lines.push(...wrapStyled([{ text, style: 'dim' }], width));
  }
  return lines;
}

function stepsOf({ steps }: Trajectory, width: number): Line[] {
  return steps.flatMap((step): Line[] =>
    step.queries.flatMap((query, index): Line[] => [
      [],
      styledLine([
        { text: `step ${step.step_index}${index > 0 ? `, call ${index + 1}` : ''} `, style: 'dim' },
        { text: query.status, style: statusStyle(query.status) },
        { text: query.status === 'ok' ? ` ${counted(query.row_count, 'row')}` : '', style: 'dim' },
      ]),
      ...wrapText(query.sql, width, sqlText),
    ]),
  );
}
