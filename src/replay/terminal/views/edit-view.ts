import { queryRecord } from '../../../episodes/trajectory-record.ts';
import type { EditResult, EditView, Size, State } from '../state/state.ts';
import { queryFacts } from '../text/describe.ts';
import { observationText, sqlText } from '../text/highlight.ts';
import type { Line } from '../text/line.ts';
import { drawPane, innerHeight, innerWidth } from '../text/pane.ts';
import { wrapStyled, wrapText } from '../text/wrap.ts';
import { headerLine, styledLine, type Hint } from './chrome.ts';
import { countsNote, differenceLines, reasonLines } from './comparison-lines.ts';
import { editorLines } from './input.ts';
import { resultLines } from './step-panes.ts';

/** Header above, status and keys below. */
const CHROME_ROWS = 3;

/** Keys while something is edited. */
export const EDIT_HINTS: readonly Hint[] = [
  ['ctrl-s', 'run'],
  ['ctrl-z', 'undo'],
  ['ctrl-y', 'redo'],
  ['ctrl-t', 'schema'],
  ['ctrl-o', '$EDITOR'],
  ['esc', 'to the result / leave'],
];

/** Keys while a result is read. */
export const RESULT_HINTS: readonly Hint[] = [
  ['↑↓', 'scroll'],
  ['e', 'edit on'],
  ['E', '$EDITOR'],
  ['s', 'schema'],
  ['r', 'run again'],
  ['q', 'back'],
];

/** Rows of the result's pane, edges included. */
export function editResultHeight(size: Size): number {
  const body = Math.max(6, size.rows - CHROME_ROWS);
  return body - editorHeight(body);
}

/** Lines of the result, for a pane as wide as the screen. */
export function editResultLines(view: EditView, width: number): readonly Line[] {
  return resultOf(view.result, innerWidth(width));
}

/** Draws the editor and what came of its text, without status and keys. */
export function drawEdit(state: State, view: EditView): Line[] {
  const { columns: width } = state.size;
  const body = Math.max(6, state.size.rows - CHROME_ROWS);
  const height = editorHeight(body);
  const active = view.focus === 'input';
  const inside = [innerWidth(width), innerHeight(height)] as const;
  const lines = editorLines(view.buffer, ...inside, sqlText, active);
  const { task_id: taskId } = view.trajectory;
  return [
    headerLine([taskId, view.title], [], width),
    ...drawPane({
      title: view.purpose === 'query' ? 'query' : 'answer',
      note: view.purpose === 'query' ? 'runs as the tool would run it' : 'is graded as an answer',
      lines,
      width,
      height,
      focused: active,
      scroll: 0,
    }),
    ...drawPane({
      title: view.purpose === 'query' ? 'what the model would see' : 'against the gold',
      note: noteOf(view.result),
      lines: editResultLines(view, width),
      width,
      height: body - height,
      focused: !active,
      scroll: view.scroll,
    }),
  ];
}

function editorHeight(body: number): number {
  return Math.max(3, Math.floor(body * 0.4));
}

function noteOf(result: EditResult | undefined): string {
  return result?.kind === 'answer' ? countsNote(result.comparison) : '';
}

function resultOf(result: EditResult | undefined, width: number): readonly Line[] {
  if (result === undefined) {
    return wrapStyled([{ text: 'ctrl-s runs what is written above', style: 'dim' }], width);
  }
  switch (result.kind) {
    case 'failed':
      return wrapStyled([{ text: result.message, style: 'bad' }], width);
    case 'answer':
      return [
        ...reasonLines(result.comparison, width),
        [],
        ...differenceLines(result.comparison, width),
      ];
    case 'query': {
      const { shown, whole } = result.ran;
      return [
        styledLine(queryFacts(queryRecord(shown.query))),
        ...wrapText(shown.message.content, width, observationText),
        [],
        ...resultLines(whole.message.content, width),
      ];
    }
  }
}
