import { BindError } from '../bind-error.ts';
import { ConfigError } from '../config.ts';
import { CallError } from '../rpc/client.ts';
import { GuardUnavailableError } from '../sqlite/native-guard.ts';
import { EXIT_MISUSED, EXIT_PROBLEMS } from './exit-codes.ts';
import { InputError } from '../tasks/task-set.ts';
import { PolicyUnusable } from '../evaluate/policy/policy.ts';
import { problemLines } from './problem-lines.ts';
import { ChildServerError } from './child-server.ts';

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
  if (error instanceof CallError || error instanceof PolicyUnusable) {
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

function complain(text: string): void {
  process.stderr.write(`sqlenv: ${text}\n`);
}
