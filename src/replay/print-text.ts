import { counted } from './terminal/text/format.ts';
import type { AnswerComparison, ResultShown, RowDifference } from './ports.ts';
import type { EpisodePrint, ObservationPrint, StepPrint } from './episode-print.ts';
import { factsOf, gradeFacts, queryFacts, stepFacts, wordsOf } from './print-facts.ts';

/** How much of an episode is printed. */
export interface PrintOptions {
  /** The whole prompt, instead of its size. */
  readonly prompt: boolean;
}

const MARKS: Readonly<Record<RowDifference['kind'], string>> = {
  same: ' ',
  missing: '-',
  extra: '+',
  order: '^',
  types: '~',
};

/** Rows of a comparison that are printed. */
export const PRINTED_ROW_COUNT = 40;

/** An episode as text for people, its parts indented under their titles. */
export function textEpisode(print: EpisodePrint, { prompt }: PrintOptions): string {
  const { trajectory, steps, goldSql, comparison, notes } = print;
  const lines = [
    `episode ${trajectory.episode_id}`,
    ...factsOf(trajectory).map((line) => indented(line)),
  ];
  lines.push('', 'question', indented(trajectory.question), '', ...promptLines(print, prompt));
  for (const step of steps) lines.push('', ...stepLines(step));
  lines.push('', `end: ${wordsOf(trajectory)}`);
  if (trajectory.grade !== null) {
    lines.push(...gradeFacts(trajectory.grade).map((line) => indented(line)));
    if (trajectory.grade.answer_sql !== '') {
      lines.push('', 'answer', indented(trajectory.grade.answer_sql));
    }
  }
  if (goldSql !== undefined) lines.push('', 'gold', indented(goldSql));
  if (comparison !== undefined) lines.push('', 'why', ...comparisonLines(comparison));
  for (const note of notes) lines.push('', `note: ${note}`);
  return `${lines.join('\n')}\n`;
}

/** One line of a row-level comparison: a mark and the cells, and for a row that is written otherwise both. */
export function rowLine({ kind, gold, answer }: RowDifference): string {
  const cells = (row: readonly string[] | undefined): string =>
    (row ?? []).map(readable).join(', ');
  const shown = kind === 'types' ? `${cells(gold)}  =  ${cells(answer)}` : cells(gold ?? answer);
  return `${MARKS[kind]} ${shown}`;
}

/** A cell as JSON whose characters can be read: the model got them as escapes. */
function readable(json: string): string {
  return json.includes('\\u') ? JSON.stringify(JSON.parse(json)) : json;
}

/** What the marks of {@link rowLine} stand for, of those that occur. */
export function legendOf({ counts }: AnswerComparison): string {
  const meanings: readonly (readonly [RowDifference['kind'], string])[] = [
    ['same', 'on both sides'],
    ['missing', 'in the gold only'],
    ['extra', 'in the answer only'],
    ['order', 'on both sides, elsewhere'],
    ['types', 'equal, written otherwise'],
  ];
  return meanings
    .filter(([kind]) => counts[kind] > 0)
    .map(([kind, meaning]) => `${counts[kind]} ${meaning} (${MARKS[kind].trim() || 'no mark'})`)
    .join(', ');
}

/** One side of a comparison in a few words. */
export function sideText({ status, errorText, columns, rowCount, capped }: ResultShown): string {
  if (status !== 'ok') return errorText === '' ? status : `${status}: ${errorText}`;
  return `${counted(rowCount, 'row')} of ${columns.join(', ')}${capped ? ' (only the first ones)' : ''}`;
}

function promptLines({ trajectory }: EpisodePrint, whole: boolean): string[] {
  if (whole) {
    return trajectory.messages.flatMap(({ role, content }) => [
      `prompt (${role})`,
      indented(content),
    ]);
  }
  const sizes = trajectory.messages.map(({ role, content }) => `${role} ${content.length}`);
  return [`prompt: ${sizes.join(', ')} characters (--prompt prints it)`];
}

function stepLines({ step, calls, observations }: StepPrint): string[] {
  const { action } = step;
  const lines = [`step ${step.step_index}: ${action.kind}, ${stepFacts(step)}`];
  if (action.kind !== 'tool_call') lines.push(bordered(action.text));
  for (const call of calls) lines.push('  call', indented(call, 4));
  if (step.ignored_call_count > 0) lines.push(`  ignored calls: ${step.ignored_call_count}`);
  for (const observation of observations) lines.push(...observationLines(observation));
  return lines;
}

function observationLines({ text, query, cut }: ObservationPrint): string[] {
  const facts = query === undefined ? '' : ` (${queryFacts(query)})`;
  const lines = [`  the model saw${facts}`, indented(text, 4)];
  if (cut !== undefined) lines.push('  cut away', indented(cut, 4));
  return lines;
}

function comparisonLines(comparison: AnswerComparison): string[] {
  const { gold, answer, rows, verdicts, explanation } = comparison;
  const lines = [indented(explanation)];
  for (const { comparisonMode, verdict, reward, flags, decided } of verdicts) {
    const flagged = flags.length === 0 ? '' : ` (${flags.join(', ')})`;
    const mark = decided ? '  decided' : '';
    lines.push(`  ${comparisonMode}: ${verdict}, reward ${reward}${flagged}${mark}`);
  }
  lines.push(`  gold:   ${sideText(gold)}`);
  if (answer !== undefined) lines.push(`  answer: ${sideText(answer)}`);
  lines.push(`  rows:   ${legendOf(comparison) || 'none'}`);
  lines.push(...rows.slice(0, PRINTED_ROW_COUNT).map((row) => `    ${rowLine(row)}`));
  const total = Object.values(comparison.counts).reduce((sum, count) => sum + count, 0);
  const more = total - Math.min(rows.length, PRINTED_ROW_COUNT);
  if (more > 0) lines.push(`    ... and ${more} more rows`);
  return lines;
}

function indented(text: string, width = 2): string {
  return text
    .split('\n')
    .map((line) => `${' '.repeat(width)}${line}`.trimEnd())
    .join('\n');
}

/** What the model wrote, told apart from what is said about it. */
function bordered(text: string): string {
  return text
    .split('\n')
    .map((line) => `  | ${line}`.trimEnd())
    .join('\n');
}
