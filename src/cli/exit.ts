import { ConfigError } from '../config.ts';
import { CallError } from '../rpc/client.ts';
import { BindError } from '../rpc/server.ts';
import { GuardUnavailableError } from '../sqlite/native-guard.ts';
import { EXIT_MISUSED, EXIT_PROBLEMS } from './exit-codes.ts';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import { ChildServerError } from './child-server.ts';

/** Problems that are listed one by one; the rest is a count. */
const SHOWN_PROBLEM_COUNT = 20;

/** Tells the user on stderr what went wrong, and gives the exit code. */
export function exitCodeOf(error: unknown): number {
  if (error instanceof ConfigError) {
    for (const problem of error.problems) complain(problem);
    return EXIT_MISUSED;
  }
  if (error instanceof InputError) {
    complain(error.message);
    for (const line of problemLines(error.problems)) process.stderr.write(`  ${line}\n`);
    return EXIT_PROBLEMS;
  }
  // It has said on stderr why it did not start.
  if (error instanceof ChildServerError) return error.exitCode;
  if (error instanceof CallError) {
    complain(error.message);
    return EXIT_PROBLEMS;
  }
  if (error instanceof BindError || error instanceof GuardUnavailableError) {
    complain(error.message);
    return EXIT_PROBLEMS;
  }
  complain(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT_PROBLEMS;
}

/** The first problems as `file:line: what is wrong`, and how many more there are. */
export function problemLines(problems: readonly InputProblem[]): string[] {
  const shown = problems.slice(0, SHOWN_PROBLEM_COUNT);
  const lines = shown.map(({ location, message }) => `${location}: ${message}`);
  const rest = problems.length - shown.length;
  return rest > 0 ? [...lines, `... and ${rest} more`] : lines;
}

function complain(text: string): void {
  process.stderr.write(`sqlenv: ${text}\n`);
}
