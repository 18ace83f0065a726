import type { GroupRow, ListRow } from '../state/list-rows.ts';
import { outcomeMark } from '../text/describe.ts';
import { countText } from '../text/format.ts';
import { blank, type Line } from '../text/line.ts';
import { fitLine, fitText, fitTextEnd, type StyledText } from '../text/wrap.ts';
import { styledLine } from './chrome.ts';

/** Where the cells of group rows stand. */
export interface GroupColumns {
  /** Of a row without its marker, columns. */
  readonly width: number;
  readonly task: number;
  readonly database: number;
  /** Of the list: its largest group decides how wide the rollouts are. */
  readonly rows: readonly ListRow[];
  /** A filter hides something, so rows say how much of their group is shown. */
  readonly filtered: boolean;
}

const MARKS_WIDTH_MIN = 8;
const SCORE_WIDTH = 11;
const SHOWN_WIDTH = 16;
/** Columns before the names: those of the marker of the row. */
const INDENT = 3;
/** Folded or unfolded. */
const FOLD_WIDTH = 2;

/** The names over group rows. */
export function groupNames(columns: GroupColumns): Line {
  const cells: Line[number][] = [
    blank(INDENT),
    ...fitText('task', columns.task, 'dim'),
    blank(1),
    ...fitText('database', columns.database, 'dim'),
    blank(1),
    ...fitText('rollouts', marksWidth(columns), 'dim'),
    blank(1),
    ...fitText('score', SCORE_WIDTH, 'dim'),
  ];
  if (columns.filtered) cells.push(...fitText('filter', SHOWN_WIDTH, 'dim'));
  cells.push(...fitText('question', 'question'.length, 'dim'));
  return fitLine(cells, columns.width + INDENT);
}

/** The cells of a group row: who got it right, over the whole group, and how many of it are listed. */
export function groupCells({ group, shown, unfolded }: GroupRow, columns: GroupColumns): Line {
  const members = group.episodes;
  const rightCount = members.filter((episode) => (episode.reward ?? 0) > 0).length;
  const marks = members.map((episode): StyledText => {
    const { mark, style } = outcomeMark(episode);
    return { text: mark, style };
  });
  const score = styledLine([
    { text: `${countText(rightCount)}/${countText(members.length)}`, style: 'strong' },
    { text: ' right', style: 'dim' },
  ]);
  const line: Line[number][] = [
    ...styledLine([{ text: unfolded ? '▾ ' : '▸ ', style: 'strong' }]),
    ...fitTextEnd(group.taskId, columns.task - FOLD_WIDTH, 'strong'),
    blank(1),
    ...fitText(group.databaseId, columns.database, 'dim'),
    blank(1),
    // More than fit end in an ellipsis; far more need not be made.
    ...fitLine(styledLine(marks.slice(0, columns.width)), marksWidth(columns)),
    blank(1),
    ...fitLine(score, SCORE_WIDTH),
  ];
  if (columns.filtered) {
    const listedSet = new Set(shown);
    // Forks are listed, but no rollouts of the group.
    const listed = members.filter(({ index }) => listedSet.has(index)).length;
    const text = `${countText(listed)} of ${countText(members.length)} shown`;
    line.push(...fitText(text, SHOWN_WIDTH, listed === members.length ? 'dim' : 'accent'));
  }
  line.push(...styledLine([{ text: group.question, style: 'dim' }]));
  return line;
}

function marksWidth({ width, task, database, rows, filtered }: GroupColumns): number {
  let largest = 0;
  for (const row of rows) {
    if (typeof row === 'object') largest = Math.max(largest, row.group.episodes.length);
  }
  const room = width - task - database - SCORE_WIDTH - (filtered ? SHOWN_WIDTH : 0) - 3;
  return Math.max(Math.min(MARKS_WIDTH_MIN, room), Math.min(largest, room), 1);
}
