import type { InputProblem } from '../tasks/task-set.ts';

/** Problems that are listed one by one; the rest is a count. */
const SHOWN_PROBLEM_COUNT = 20;

/** The first problems as `file:line: what is wrong`, and how many more there are. */
export function problemLines(problems: readonly InputProblem[]): string[] {
  const shown = problems.slice(0, SHOWN_PROBLEM_COUNT);
  const lines = shown.map(({ location, message }) => `${location}: ${message}`);
  const rest = problems.length - shown.length;
  return rest > 0 ? [...lines, `... and ${rest} more`] : lines;
}
