import type { Command } from 'commander';
import pc from 'picocolors';
import { connectClient } from '../rpc/client.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import { validateTasks, type TaskFinding, type TaskProblem } from '../validate/validate-tasks.ts';
import { startChildServer } from './child-server.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { problemLines } from './problem-lines.ts';
import { wholeNumber } from './numbers.ts';
import { configOf, flagsOf } from './options.ts';
import { showProgress } from './progress.ts';
import { SERVER_KEYS, type ValidateFlags } from './validate.ts';

const PROBLEM_TEXTS: Readonly<Record<TaskProblem, string>> = {
  gold_fails: 'the gold does not earn 1',
  slow: 'slow',
  empty: 'the gold has no rows',
  clock: 'reads the clock or a random function',
  tie: 'LIMIT cuts a tie',
};

const PROBLEMS = Object.keys(PROBLEM_TEXTS) as TaskProblem[];

/** Tasks that are named for each problem. */
const SHOWN_TASK_COUNT = 20;

/** Plays the golds and prints what is wrong with them. Gives the exit code. */
export async function runValidate(command: Command): Promise<number> {
  const { address, json, slowMs, concurrency } = command.opts<ValidateFlags>();
  const options = {
    slowMs: wholeNumber('--slow-ms', slowMs, 0, 3_600_000),
    concurrency: wholeNumber('--concurrency', concurrency, 1, 4_096),
  };
  // A server of one's own is configured as `serve` is; one that runs already has its configuration.
  const config = address === undefined ? configOf(command) : undefined;
  const server =
    config &&
    (await startChildServer([
      '--skip-broken',
      '--log-level',
      'error',
      ...flagsOf(config, SERVER_KEYS),
    ]));
  const client = connectClient(server?.address ?? address ?? '');
  const progress = showProgress('validating');
  try {
    const findings = await validateTasks(client, {
      ...options,
      split: command.opts<{ readonly split?: string }>().split ?? '',
      databaseId: '',
      onProgress: progress.update,
    });
    progress.stop();
    const skipped = server?.skipped ?? [];
    process.stdout.write((json === true ? jsonReport : textReport)(findings, skipped));
    const fails = findings.some(({ problems }) => problems.includes('gold_fails'));
    return fails || skipped.length > 0 ? EXIT_PROBLEMS : EXIT_OK;
  } finally {
    progress.stop();
    client.disconnect();
    await server?.stop();
  }
}

function jsonReport(findings: readonly TaskFinding[], skipped: readonly InputProblem[]): string {
  const counts = Object.fromEntries(
    PROBLEMS.map((problem) => [problem, withProblem(findings, problem).length]),
  );
  const report = {
    task_count: findings.length,
    match_count: findings.filter(({ reward }) => reward === 1).length,
    problem_counts: counts,
    skipped,
    tasks: findings
      .filter(({ problems }) => problems.length > 0)
      .map(({ taskId, databaseId, difficulty, problems, reward, queryCpuMs, message }) => ({
        task_id: taskId,
        database_id: databaseId,
        difficulty,
        problems,
        reward: reward ?? null,
        query_cpu_ms: queryCpuMs,
        message,
      })),
  };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}

function textReport(findings: readonly TaskFinding[], skipped: readonly InputProblem[]): string {
  const lines: string[] = [];
  for (const problem of PROBLEMS.toReversed()) {
    const tasks = withProblem(findings, problem);
    if (tasks.length === 0) continue;
    lines.push(`${pc.bold(String(tasks.length))} ${PROBLEM_TEXTS[problem]} (${problem}):`);
    for (const task of tasks.slice(0, SHOWN_TASK_COUNT)) lines.push(`  ${taskLine(task, problem)}`);
    if (tasks.length > SHOWN_TASK_COUNT) {
      lines.push(`  ... and ${tasks.length - SHOWN_TASK_COUNT} more (--json lists all)`);
    }
  }
  if (skipped.length > 0) {
    lines.push(
      `${pc.bold(String(skipped.length))} broken inputs, whose tasks could not be played:`,
    );
    lines.push(...problemLines(skipped).map((line) => `  ${line}`));
  }
  const matchCount = findings.filter(({ reward }) => reward === 1).length;
  const summary = `${matchCount} of ${findings.length} golds score 1`;
  const good = matchCount === findings.length && skipped.length === 0;
  lines.push(good ? pc.green(summary) : pc.yellow(summary));
  return `${lines.join('\n')}\n`;
}

function taskLine(task: TaskFinding, problem: TaskProblem): string {
  const where = `${task.taskId} (${task.databaseId})`;
  if (problem === 'gold_fails') return `${where}: ${task.message}`;
  return problem === 'slow' ? `${where}: ${task.queryCpuMs.toFixed(0)} ms` : where;
}

function withProblem(findings: readonly TaskFinding[], problem: TaskProblem): TaskFinding[] {
  return findings.filter(({ problems }) => problems.includes(problem));
}
