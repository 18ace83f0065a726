import { writeFileSync } from 'node:fs';
import type { Task } from '../../env/task.ts';
import { ConfigError } from '../config.ts';
import { pairRows, type AnswerRows } from '../evaluate/answer-rows.ts';
import { findDatabaseFiles, type DatabaseFiles } from '../evaluate/database-files.ts';
import { behaviourProfile } from '../evaluate/profile.ts';
import { readPredictions } from '../evaluate/read-predictions.ts';
import { jsonReport, textReport, unscoredRows, type RunReport } from '../evaluate/report.ts';
import type { ScoredRow } from '../evaluate/row.ts';
import { formatRows, rowRecord } from '../evaluate/row-file.ts';
import { evaluateRows } from '../evaluate/score-tasks.ts';
import { runTotals } from '../evaluate/totals.ts';
import type { SqliteExecutor } from '../sqlite/executor.ts';
import { InputError } from '../tasks/task-set.ts';
import type { EvaluateFlags } from './evaluate.ts';
import { openExecutor, threadCount } from './evaluation-executor.ts';
import { evaluationTasks, type EvaluationTasks } from './evaluation-tasks.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { problemLines } from './exit.ts';
import { wholeNumber } from './numbers.ts';
import { showProgress } from './progress.ts';

/** Rows that are on their way for each thread: enough that none waits for the next. */
const ROWS_PER_THREAD = 4;

/** Wall-clock backstop of each run of an answer: this many times its CPU time. */
const WALL_FACTOR = 3;

/** Scores predictions and prints the report; gives the exit code. */
export async function runEvaluate(
  predictions: string | undefined,
  flags: EvaluateFlags,
): Promise<number> {
  if (predictions === undefined) {
    throw new ConfigError(['there is nothing to evaluate: name a file of predictions']);
  }
  const outputs = (flags.rows ?? []).map(rowsOutput);
  const cpuMs = wholeNumber('--query-cpu-ms', flags.queryCpuMs, 1, 600_000);
  const threads = threadCount(flags.threads);
  const found = evaluationTasks(flags);
  const paired = pairRows(found.tasks, readPredictions(predictions), {
    allowMissing: flags.allowMissing === true,
  });
  const databases = findDatabaseFiles(found.databaseFolder, databaseIdsOf(found.tasks));
  const executor = await openExecutor(databases, threads);
  try {
    const scored = await score(executor, { found, paired, databases, flags, cpuMs, threads });
    for (const { file, format } of outputs) {
      writeFileSync(file, formatRows(scored.map(rowRecord), format));
    }
    return printReport(reportOf(scored, found, paired, flags), flags);
  } finally {
    await executor.close();
  }
}

/** The databases of tasks, each once. */
export function databaseIdsOf(tasks: readonly Task[]): Set<string> {
  return new Set(tasks.map((task) => task.databaseId));
}

interface Scoring {
  readonly found: EvaluationTasks;
  readonly paired: AnswerRows;
  readonly databases: DatabaseFiles;
  readonly flags: EvaluateFlags;
  readonly cpuMs: number;
  readonly threads: number;
}

async function score(executor: SqliteExecutor, scoring: Scoring): Promise<ScoredRow[]> {
  const { found, paired, databases, flags, cpuMs, threads } = scoring;
  const progress = showProgress('evaluating');
  try {
    return await evaluateRows(executor, databases, found.foreignKeys, paired.rows, {
      execution: executionOptions(flags),
      clocks: { cpuMs, wallMs: cpuMs * WALL_FACTOR },
      concurrency: threads * ROWS_PER_THREAD,
      onProgress: progress.update,
    });
  } finally {
    progress.stop();
  }
}

function executionOptions({ keepDistinct, plugValue }: EvaluateFlags) {
  return { keepDistinct: keepDistinct === true, plugValue: plugValue === true };
}

function rowsOutput(file: string): { readonly file: string; readonly format: 'tsv' | 'jsonl' } {
  if (file.endsWith('.tsv')) return { file, format: 'tsv' };
  if (file.endsWith('.jsonl')) return { file, format: 'jsonl' };
  throw new ConfigError([
    `--rows: ${JSON.stringify(file)} is not allowed; it must end in .tsv or .jsonl`,
  ]);
}

function reportOf(
  rows: readonly ScoredRow[],
  found: EvaluationTasks,
  paired: AnswerRows,
  flags: EvaluateFlags,
): RunReport {
  const { notes, tasksWithoutRow } = paired;
  if (rows.length === 0) throw new InputError('there are no rows to evaluate', paired.problems);
  return {
    rows,
    totals: runTotals(rows),
    profile: behaviourProfile(rows),
    problems: [...found.problems, ...paired.problems],
    notes,
    tasksWithoutRow,
    options: executionOptions(flags),
  };
}

function printReport(report: RunReport, flags: EvaluateFlags): number {
  process.stdout.write(
    flags.json === true
      ? `${JSON.stringify(jsonReport(report), undefined, 2)}\n`
      : textReport(report, flags.legacy === true),
  );
  const unscored = unscoredRows(report.rows);
  const problems = [
    ...report.problems,
    ...unscored.map(({ row, problems: reasons }) => ({
      location: `row ${row.index} (${row.task.taskId})`,
      message: reasons.join('; '),
    })),
  ];
  if (problems.length === 0) return EXIT_OK;
  process.stderr.write(
    `sqlenv: ${unscored.length} rows have verdicts missing, ${report.problems.length} inputs are broken\n`,
  );
  for (const line of problemLines(problems)) process.stderr.write(`  ${line}\n`);
  return EXIT_PROBLEMS;
}
