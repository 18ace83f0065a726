import type { EpisodeSummary } from '../../ports.ts';
import type { SortKey } from '../state/list-rows.ts';
import type { ListView, Size, State } from '../state/state.ts';
import { outcomeMark, verdictStyle, verdictText } from '../text/describe.ts';
import { countText, durationText, rewardText, shortVerdict } from '../text/format.ts';
import { blank, lineWidth, restyled, type Line, type Style } from '../text/line.ts';
import { visible } from '../text/visible.ts';
import { fitLine, fitText, fitTextEnd, fitTextRight, type StyledText } from '../text/wrap.ts';
import { headerLine, splitLine, styledLine, type Hint } from './chrome.ts';
import { groupCells, groupNames, type GroupColumns } from './group-cells.ts';
import { inputLine } from './input.ts';

/** Header, filter, names of the columns; status and keys below. */
const CHROME_ROWS = 5;

/** Rows of the list on a screen of that size. */
export function listHeight(size: Size): number {
  return Math.max(1, size.rows - CHROME_ROWS);
}

/** The list's keys, most used first. */
export const LIST_HINTS: readonly Hint[] = [
  ['↑↓', 'move'],
  ['enter', 'open'],
  ['/', 'filter'],
  ['g', 'groups'],
  ['u', 'rollouts'],
  ['o', 'sort'],
  ['!', 'problems'],
  ['q', 'quit'],
  ['?', 'help'],
];

/** Keys while a filter is typed. */
export const FILTER_HINTS: readonly Hint[] = [
  ['enter', 'apply'],
  ['esc', 'leave as it was'],
  ['ctrl-u', 'clear'],
];

/** Draws the list without status and keys. */
export function drawList(state: State, view: ListView): Line[] {
  const { columns: width } = state.size;
  const columns = listColumns(width);
  const height = listHeight(state.size);
  const lines: Line[] = [
    header(state, view),
    filterLine(view, width),
    view.grouped
      ? groupNames(groupColumns(state, view, columns))
      : columnNames(view, columns, width),
  ];
  if (view.rows.length === 0) {
    lines.push(fitText('   no episode passes the filter', width, 'dim'));
  }
  for (let index = view.top; index < Math.min(view.rows.length, view.top + height); index += 1) {
    const row = view.rows[index];
    if (row === undefined) break;
    const selected = index === view.cursor;
    const cells =
      typeof row === 'number'
        ? episodeCells(state.facts.episodes[row], columns, view.grouped)
        : groupCells(row, groupColumns(state, view, columns));
    lines.push(rowLine(cells, width, selected));
  }
  return lines;
}

interface Column {
  readonly name: Exclude<SortKey, 'recorded'> | 'flags' | 'question';
  readonly title: string;
  readonly width: number;
  readonly right: boolean;
}

const MARK_WIDTH = 3;
const ASIDE_WIDTH = 1;

function listColumns(width: number): readonly Column[] {
  const wide = width >= 110;
  const fixed: Column[] = [
    { name: 'reward', title: 'reward', width: 6, right: true },
    { name: 'verdict', title: 'verdict', width: wide ? 17 : 10, right: false },
    { name: 'steps', title: 'steps', width: 5, right: true },
    { name: 'tool_calls', title: 'calls', width: 5, right: true },
    { name: 'duration_ms', title: 'time', width: wide ? 8 : 7, right: true },
  ];
  if (width >= 76)
    fixed.push({ name: 'flags', title: 'flags', width: wide ? 16 : 5, right: false });
  const gaps = fixed.length + 1;
  const room =
    width - MARK_WIDTH - ASIDE_WIDTH - gaps - fixed.reduce((sum, one) => sum + one.width, 0);
  const question = wide && room >= 70;
  const names = question ? 52 : room;
  const task = Math.max(Math.ceil(names * 0.55), names - (wide ? 26 : 12));
  return [
    { name: 'task', title: 'task', width: task, right: false },
    { name: 'db', title: 'database', width: names - task, right: false },
    ...fixed,
    ...(question
      ? [{ name: 'question', title: 'question', width: room - names - 1, right: false } as const]
      : []),
  ];
}

/** Columns of group rows: task and database are those of the episodes below them. */
function groupColumns(state: State, view: ListView, columns: readonly Column[]): GroupColumns {
  const [task, database] = columns;
  const shownCount = view.matches.length;
  return {
    width: state.size.columns - MARK_WIDTH,
    task: task?.width ?? 0,
    database: database?.width ?? 0,
    rows: view.rows,
    filtered: shownCount !== state.facts.episodes.length,
  };
}

function header(state: State, view: ListView): Line {
  const { episodes, problems } = state.facts;
  const problemCount = problems.length + state.warnings.length;
  const { gradedCount, rewardMean } = view.figures;
  const shown = view.matches.length;
  const count =
    shown === episodes.length
      ? countText(shown)
      : `${countText(shown)} of ${countText(episodes.length)}`;
  const right: StyledText[] = [
    { text: `${count} episode${episodes.length === 1 ? '' : 's'}`, style: 'strong' },
  ];
  if (rewardMean !== undefined) {
    right.push(
      { text: ' · mean reward ', style: 'dim' },
      { text: rewardMean.toFixed(3), style: 'strong' },
      { text: gradedCount === shown ? '' : ` of ${countText(gradedCount)} graded`, style: 'dim' },
    );
  }
  if (problemCount > 0) {
    const text = `${countText(problemCount)} problem${problemCount === 1 ? '' : 's'}`;
    const how = problemCount === 1 ? ' (! shows it)' : ' (! shows them)';
    right.push({ text: ' · ', style: 'dim' }, { text, style: 'bad' }, { text: how, style: 'dim' });
  }
  return headerLine([], right, state.size.columns);
}

function filterLine(view: ListView, width: number): Line {
  const label = visible(' filter ', 'dim');
  if (view.input !== undefined) {
    return [...label, ...inputLine(view.input, width - lineWidth(label))];
  }
  const arrow = view.descending ? '▼' : '▲';
  const right = styledLine([
    { text: view.grouped ? ' groups · ' : ' ', style: 'accent' },
    { text: `by ${view.sort} ${arrow} `, style: 'dim' },
  ]);
  const text: StyledText =
    view.filter === ''
      ? { text: 'none; / to type one, as in reward:0 verdict:mismatch text:JOIN', style: 'dim' }
      : { text: view.filter, style: 'accent' };
  return splitLine([...label, ...visible(text.text, text.style)], right, width);
}

function columnNames(view: ListView, columns: readonly Column[], width: number): Line {
  const line: Line[number][] = [blank(MARK_WIDTH)];
  for (const column of columns) {
    const sorted = column.name === view.sort;
    const title = column.title;
    const cell = column.right
      ? fitTextRight(title, column.width, 'dim')
      : fitText(title, column.width, 'dim');
    line.push(...(sorted ? restyled(cell, 'accent') : cell), blank(1));
  }
  return fitLine(line, width);
}

function rowLine(cells: Line, width: number, selected: boolean): Line {
  const marker = selected ? '▶' : ' ';
  const whole = fitLine(
    [{ text: ` ${marker} `, style: 'accent', width: MARK_WIDTH }, ...cells],
    width,
  );
  return selected ? restyled(whole, 'selected') : whole;
}

function episodeCells(
  episode: EpisodeSummary | undefined,
  columns: readonly Column[],
  grouped: boolean,
): Line {
  if (episode === undefined) return [];
  const line: Line[number][] = [];
  for (const column of columns) {
    const { text, style } = cellOf(episode, column, grouped);
    const fromEnd = column.name === 'task' && !grouped;
    const fit = column.right ? fitTextRight : fromEnd ? fitTextEnd : fitText;
    line.push(...fit(text, column.width, style), blank(1));
  }
  return line;
}

function cellOf(
  episode: EpisodeSummary,
  { name, width }: Column,
  grouped: boolean,
): { readonly text: string; readonly style: Style } {
  switch (name) {
    case 'task':
      return grouped
        ? {
            text: `  ${outcomeMark(episode).mark} ${forkMark(episode)}${ownName(episode.episodeId)}`,
            style: 'plain',
          }
        : {
            text: `${forkMark(episode)}${episode.taskId}`,
            style: 'plain',
          };
    case 'db':
      return { text: episode.databaseId, style: 'dim' };
    case 'reward': {
      const { reward } = episode;
      if (reward === undefined) return { text: '–', style: 'dim' };
      return { text: rewardText(reward), style: reward > 0 ? 'good' : 'bad' };
    }
    case 'verdict': {
      const verdict = verdictText(episode);
      const text = width < 17 ? shortVerdict(verdict) : verdict;
      return { text, style: verdictStyle(episode.verdict) };
    }
    case 'steps':
      return { text: countText(episode.stepCount), style: 'plain' };
    case 'tool_calls':
      return { text: countText(episode.toolCallCount), style: 'plain' };
    case 'flags':
      return { text: flagsText(episode.flags, width), style: 'warn' };
    case 'duration_ms':
      return { text: durationText(episode.durationMs), style: 'dim' };
    case 'question':
      return { text: episode.question, style: 'dim' };
  }
}

function forkMark({ parentId }: EpisodeSummary): string {
  return parentId === undefined ? '' : '⑂ ';
}

/** The part of an episode's id that tells it from its siblings. */
function ownName(episodeId: string): string {
  return episodeId.slice(episodeId.lastIndexOf('/') + 1);
}

/** The names of the flags, or how many there are where names don't fit. */
function flagsText(flags: readonly string[], width: number): string {
  const names = flags.join(' ');
  return names.length <= width ? names : width < 10 ? `⚑ ${flags.length}` : names;
}
