import type { Trajectory, TrajectoryStep } from '../../../../env/trajectory.ts';
import type { ForkView, Size, State } from '../state/state.ts';
import type { ForkInput } from '../state/task.ts';
import { queryFacts, verdictStyle } from '../text/describe.ts';
import { rewardText } from '../text/format.ts';
import { observationText, sqlText, turnText } from '../text/highlight.ts';
import type { Line } from '../text/line.ts';
import { drawPane, innerHeight, innerWidth, scrollMax } from '../text/pane.ts';
import { wrapStyled, wrapText, type Highlighter, type StyledText } from '../text/wrap.ts';
import { headerLine, styledLine, type Hint } from './chrome.ts';
import { editorLines } from './input.ts';

/** Header above, status and keys below. */
const CHROME_ROWS = 3;

const TITLES: Readonly<Record<ForkInput, string>> = {
  sql: 'a query, as a tool call of run_sql',
  answer: 'the final answer, as SQL',
  turn: 'a whole turn, as the model would write it',
};

/** Keys while something is typed in a fork. */
const FORK_INPUT_HINTS: readonly Hint[] = [
  ['ctrl-s', 'send'],
  ['tab', 'kind'],
  ['ctrl-t', 'schema'],
  ['ctrl-z', 'undo'],
  ['ctrl-o', '$EDITOR'],
  ['esc', 'to the transcript'],
];

/** Keys of a fork, as it is. */
export function forkHints(view: ForkView): readonly Hint[] {
  if (!view.ended && view.focus === 'input') return FORK_INPUT_HINTS;
  const hints = view.ended ? FORK_ENDED_HINTS : FORK_READ_HINTS;
  // What is saved can't be saved again.
  return view.savedId === undefined ? hints : hints.filter(([key]) => key !== 'w');
}

/** Keys while the transcript is read. */
const FORK_READ_HINTS: readonly Hint[] = [
  ['↑↓', 'scroll'],
  ['i', 'type'],
  ['w', 'save'],
  ['s', 'schema'],
  ['q', 'leave'],
  ['?', 'help'],
];

/** Keys once the fork has ended. */
const FORK_ENDED_HINTS: readonly Hint[] = [
  ['↑↓', 'scroll'],
  ['w', 'save'],
  ['s', 'schema'],
  ['q', 'leave'],
  ['?', 'help'],
];

/** Rows of the transcript's pane, edges included. */
export function transcriptHeight(size: Size, view: ForkView): number {
  const body = Math.max(6, size.rows - CHROME_ROWS);
  return view.ended ? body : body - inputHeight(body);
}

/** Lines of the transcript, for a pane as wide as the screen. */
export function transcriptLines(view: ForkView, width: number): readonly Line[] {
  const inside = innerWidth(width);
  const { trajectory, parent, stepIndex } = view;
  return [
    ...wrapStyled([{ text: parent.question, style: 'accent' }], inside),
    ...trajectory.steps.flatMap((step) => stepLines(step, step.step_index < stepIndex, inside)),
    ...endLines(view, trajectory, inside),
  ];
}

/** Draws a fork without status and keys. */
export function drawFork(state: State, view: ForkView): Line[] {
  const { columns: width } = state.size;
  const height = transcriptHeight(state.size, view);
  const lines = transcriptLines(view, width);
  const saved = view.savedId === undefined ? 'not saved' : 'saved';
  const drawn = [
    headerLine(
      [view.parent.task_id, `fork at step ${view.stepIndex}`],
      [{ text: saved, style: 'dim' }],
      width,
    ),
    ...drawPane({
      title: 'so far',
      note: view.parent.episode_id,
      lines,
      width,
      height,
      focused: view.focus === 'transcript',
      scroll: view.scroll ?? scrollMax(lines.length, height),
    }),
  ];
  if (view.ended) return drawn;
  const body = Math.max(6, state.size.rows - CHROME_ROWS);
  const active = view.focus === 'input';
  const highlight: Highlighter = view.input === 'turn' ? turnText : sqlText;
  const inside = [innerWidth(width), innerHeight(inputHeight(body))] as const;
  return [
    ...drawn,
    ...drawPane({
      title: TITLES[view.input],
      note: 'tab changes',
      lines: editorLines(view.buffer, ...inside, highlight, active),
      width,
      height: inputHeight(body),
      focused: active,
      scroll: 0,
    }),
  ];
}

function inputHeight(body: number): number {
  return Math.max(3, Math.floor(body * 0.3));
}

function stepLines(step: TrajectoryStep, replayed: boolean, width: number): Line[] {
  const { action } = step;
  const said =
    action.kind === 'tool_call' ? `${action.name} ${action.arguments_json}` : action.text;
  const highlight = action.kind === 'tool_call' ? observationText : turnText;
  const who = replayed ? 'replayed' : 'by hand';
  return [
    [],
    styledLine([
      { text: `step ${step.step_index} `, style: 'strong' },
      { text: who, style: replayed ? 'dim' : 'accent' },
    ]),
    ...wrapText(said, width, highlight),
    ...step.messages.flatMap((message, index): Line[] => {
      const query = step.queries[index];
      const facts = query === undefined ? [] : queryFacts(query);
      return [
        styledLine([{ text: '→ ', style: 'accent' }, ...facts]),
        ...wrapText(message.content, width, observationText),
      ];
    }),
  ];
}

function endLines(view: ForkView, trajectory: Trajectory, width: number): Line[] {
  if (!view.ended) return [];
  const { grade, end, termination_reason: terminated, truncation_reason: truncated } = trajectory;
  const parts: StyledText[] = [
    { text: `the episode was ${end}: ${terminated || truncated}\n`, style: 'dim' },
  ];
  if (grade !== null) {
    parts.push(
      { text: grade.verdict, style: verdictStyle(grade.verdict) },
      {
        text: ` under ${grade.comparison_mode}, reward ${rewardText(grade.reward)}`,
        style: 'strong',
      },
      { text: grade.flags.length === 0 ? '' : `  ${grade.flags.join(' ')}`, style: 'warn' },
      { text: grade.error_text === '' ? '' : `\n${grade.error_text}`, style: 'bad' },
    );
  }
  return [[], ...wrapStyled(parts, width)];
}
