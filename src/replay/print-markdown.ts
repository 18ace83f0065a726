import type { EpisodePrint, ObservationPrint, StepPrint } from './episode-print.ts';
import type { AnswerComparison } from './ports.ts';
import { factsOf, gradeFacts, queryFacts, stepFacts, wordsOf } from './print-facts.ts';
import { legendOf, PRINTED_ROW_COUNT, rowLine, sideText, type PrintOptions } from './print-text.ts';

/** An episode as Markdown, to be pasted into an issue. */
export function markdownEpisode(print: EpisodePrint, { prompt }: PrintOptions): string {
  const { trajectory, steps, goldSql, comparison, notes } = print;
  const parts = [
    `## Episode ${code(trajectory.episode_id)}`,
    factsOf(trajectory)
      .map((line) => `- ${escaped(line)}`)
      .join('\n'),
    fenced(trajectory.question, 'text'),
  ];
  if (prompt) {
    for (const { role, content } of trajectory.messages) {
      parts.push(`### Prompt: ${role}`, fenced(content, 'text'));
    }
  }
  for (const step of steps) parts.push(...stepParts(step));
  parts.push(`### End: ${escaped(wordsOf(trajectory))}`);
  if (trajectory.grade !== null) {
    parts.push(gradeFacts(trajectory.grade).map(escaped).join('\n'));
    if (trajectory.grade.answer_sql !== '') {
      parts.push('**Answer**', fenced(trajectory.grade.answer_sql, 'sql'));
    }
  }
  if (goldSql !== undefined) parts.push('**Gold**', fenced(goldSql, 'sql'));
  if (comparison !== undefined) parts.push(...comparisonParts(comparison));
  for (const note of notes) parts.push(`_${escaped(note)}_`);
  return `${parts.join('\n\n')}\n`;
}

function stepParts({ step, calls, observations }: StepPrint): string[] {
  const { action } = step;
  const parts = [`### Step ${step.step_index}: ${action.kind.replaceAll('_', ' ')}`];
  parts.push(escaped(stepFacts(step)));
  if (action.kind !== 'tool_call') parts.push(fenced(action.text, 'text'));
  for (const call of calls) parts.push('**Call**', fenced(call, 'sql'));
  for (const observation of observations) parts.push(...observationParts(observation));
  return parts;
}

function observationParts({ text, query, cut }: ObservationPrint): string[] {
  const facts = query === undefined ? '' : `: ${escaped(queryFacts(query))}`;
  const parts = [`**The model saw**${facts}`, fenced(text, 'text')];
  if (cut !== undefined) parts.push('**Cut away**', fenced(cut, 'text'));
  return parts;
}

function comparisonParts(comparison: AnswerComparison): string[] {
  const { gold, answer, rows, verdicts, explanation } = comparison;
  const table = [
    '| mode | verdict | reward | flags |',
    '| --- | --- | --- | --- |',
    ...verdicts.map(({ comparisonMode, verdict, reward, flags, decided }) => {
      const mode = decided ? `**${comparisonMode}**` : comparisonMode;
      return `| ${mode} | ${verdict} | ${reward} | ${flags.join(', ')} |`;
    }),
  ];
  const lines = rows.slice(0, PRINTED_ROW_COUNT).map(rowLine);
  const total = Object.values(comparison.counts).reduce((sum, count) => sum + count, 0);
  if (total > lines.length) lines.push(`... and ${total - lines.length} more rows`);
  const sides = [`gold: ${sideText(gold)}`, ...(answer ? [`answer: ${sideText(answer)}`] : [])];
  return [
    `### Why\n\n${escaped(explanation)}`,
    ...(verdicts.length === 0 ? [] : [table.join('\n')]),
    sides.map((side) => `- ${escaped(side)}`).join('\n'),
    escaped(legendOf(comparison) || 'no rows on either side'),
    ...(lines.length === 0 ? [] : [fenced(lines.join('\n'), 'diff')]),
  ];
}

/** A fenced block whose fence no line of the text can close. */
function fenced(text: string, language: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

/** Text in a line of Markdown: nothing in it becomes markup or HTML. */
function escaped(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|#&]/g, '\\$&').replaceAll('\n', ' ');
}

function code(text: string): string {
  return /[`\n]/.test(text) ? escaped(text) : `\`${text}\``;
}
