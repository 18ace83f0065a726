import { parseToolCalls } from '../../../../env/hermes.ts';
import type { TruncateSide } from '../../../../env/query.ts';
import type { Trajectory, TrajectoryStep } from '../../../../env/trajectory.ts';
import { parseErrorText, parseResultText } from '../../result-text.ts';
import type { EpisodeView, State } from '../state/state.ts';
import type { QueryTried } from '../state/task.ts';
import { statusStyle } from '../text/describe.ts';
import { countText, counted } from '../text/format.ts';
import { observationText, sqlText, turnText } from '../text/highlight.ts';
import type { Line } from '../text/line.ts';
import { cellText, columnWidths, tableRow } from '../text/table.ts';
import { cutCount, findCut } from '../text/truncation.ts';
import { keptLines, plainText, wrapStyled, wrapText, type StyledText } from '../text/wrap.ts';
import { styledLine } from './chrome.ts';
import type { PaneSpec } from './layout.ts';

/** Characters of what was seen that are shown around what was cut. */
const AROUND_SIZE = 60;

/** What the model said. */
export function saidPane(step: TrajectoryStep): PaneSpec {
  const { action } = step;
  const id = 'said';
  if (action.kind === 'tool_call') {
    const text = `${action.name}\n${action.arguments_json}`;
    const title = 'the model called';
    return { id, title, lines: (width) => wrapText(text, width, observationText) };
  }
  const title = action.kind === 'final_text' ? 'the model answered' : 'the model said';
  const note = `${countText(action.text.length)} chars`;
  return { id, title, note, lines: (width) => wrapText(action.text, width, turnText) };
}

/** The calls as they were parsed, each with its status; or the answer that was taken from the text. */
export function callsPane(
  trajectory: Trajectory,
  step: TrajectoryStep,
  callIndex: number,
): PaneSpec {
  const { queries, action } = step;
  if (queries.length === 0) {
    const sql = trajectory.grade?.answer_sql ?? '';
    const text = sql === '' ? 'no SQL was found in it' : sql;
    return {
      id: 'calls',
      title: 'the answer taken from it',
      lines: (width) => wrapText(text, width, sql === '' ? plainText : sqlText),
    };
  }
  const names = action.kind === 'tool_call' ? [action.name] : callNames(action.text);
  const title = queries.length === 1 ? 'the call' : `call ${callIndex + 1} of ${queries.length}`;
  const lines = (width: number): Line[] => {
    const all: Line[] = [];
    for (const [index, query] of queries.entries()) {
      if (index > 0) all.push([]);
      const chosen = queries.length > 1 && index === callIndex;
      all.push(
        styledLine([
          { text: chosen ? '▸ ' : '', style: 'accent' },
          { text: names[index] ?? 'malformed', style: 'strong' },
          { text: ' · ', style: 'dim' },
          { text: query.status, style: statusStyle(query.status) },
        ]),
        ...wrapText(query.sql, width, sqlText),
      );
    }
    if (step.ignored_call_count > 0) {
      const text = `${counted(step.ignored_call_count, 'further call')} ignored`;
      all.push(...wrapStyled([{ text, style: 'warn' }], width));
    }
    return all;
  };
  return { id: 'calls', title, lines };
}

/** What the model saw of a call, to the byte. */
export function sawPane(step: TrajectoryStep, callIndex: number, side: TruncateSide): PaneSpec {
  const text = step.messages[callIndex]?.content ?? '';
  const query = step.queries[callIndex];
  const cut = query?.text_truncated === true;
  const size = query?.text_size ?? 0;
  const left = size - cutCount(text, side, size);
  const note = cut ? `${countText(left)} of ${countText(size)} chars` : `${countText(size)} chars`;
  const many = step.messages.length > 1 ? ` (${callIndex + 1} of ${step.messages.length})` : '';
  return {
    id: 'saw',
    title: `what the model saw${many}`,
    note,
    lines: (width) => wrapText(text, width, observationText),
  };
}

/** What truncation took, or the rows as a table. */
export function besidePane(
  state: State,
  view: EpisodeView,
  trajectory: Trajectory,
  step: TrajectoryStep,
): PaneSpec {
  const query = step.queries[view.callIndex];
  const shown = step.messages[view.callIndex]?.content ?? '';
  const cut = query?.text_truncated === true;
  const whole = view.wholes[`${step.step_index}:${view.callIndex}`];
  if (cut && view.beside === 'cut') {
    const side = trajectory.observation.truncate_side;
    const count = cutCount(shown, side, query.text_size);
    return {
      id: 'beside',
      title: 'what was cut away',
      note: `${countText(count)} chars`,
      lines: (width) => cutLines(state, { shown, side, count, whole }, width),
    };
  }
  const text = cut && typeof whole === 'object' ? whole.whole.message.content : shown;
  return {
    id: 'beside',
    title: cut && typeof whole === 'object' ? 'all its rows' : 'its rows',
    note: cut ? 't shows what was cut' : 'nothing was cut',
    lines: (width) => resultLines(text, width),
  };
}

/** The rows of an observation as a table, or what it says instead. */
export function resultLines(text: string, width: number): readonly Line[] {
  return keptLines(text, `table ${width}`, () => {
    const table = parseResultText(text);
    if (table === undefined) {
      const error = parseErrorText(text);
      if (error !== undefined) return wrapStyled([{ text: error, style: 'bad' }], width);
      return wrapStyled(
        [{ text: 'there are no rows to show: the text is no whole result', style: 'dim' }],
        width,
      );
    }
    const rows = table.rows.map((row) => row.map(cellText));
    const widths = columnWidths(table.columns, rows, width);
    const body = rows.map((row) => tableRow(row, widths, 'plain'));
    const none = styledLine([{ text: 'no rows', style: 'dim' }]);
    return [tableRow(table.columns, widths, 'strong'), ...(body.length === 0 ? [none] : body)];
  });
}

interface Cut {
  readonly shown: string;
  readonly side: TruncateSide;
  readonly count: number;
  readonly whole: QueryTried | string | undefined;
}

function cutLines(state: State, { shown, side, count, whole }: Cut, width: number): Line[] {
  const say = (text: string, style: StyledText['style'] = 'dim'): Line[] =>
    wrapStyled([{ text, style }], width);
  if (whole === undefined) {
    const reason = state.facts.replayerProblem;
    if (reason === undefined) return say('running the query again to get the whole text ...');
    return say(
      `${counted(count, 'character')} were cut away. Which ones is known only by running the query again: ${reason}`,
    );
  }
  if (typeof whole === 'string') return say(`the query could not be run again: ${whole}`, 'bad');
  const text = whole.whole.message.content;
  const found = findCut(shown, text, side);
  if (found === undefined) {
    const all =
      'The database gives another text today, so what was cut then is not known. r compares the two.';
    return [...say(all, 'warn'), [], ...wrapText(text, width, observationText)];
  }
  if (found.cut === '') return say('the mark is there, but nothing was cut');
  return [
    ...keptLines(text, `cut ${width} ${found.head.length} ${found.tail.length}`, () =>
      wrapStyled(
        [
          { text: found.head === '' ? '' : `…${found.head.slice(-AROUND_SIZE)}`, style: 'dim' },
          { text: found.cut, style: 'cut' },
          { text: found.tail === '' ? '' : `${found.tail.slice(0, AROUND_SIZE)}…`, style: 'dim' },
        ],
        width,
      ),
    ),
  ];
}

function callNames(text: string): (string | undefined)[] {
  return parseToolCalls(text).calls.map((call) => (call.kind === 'call' ? call.name : undefined));
}
