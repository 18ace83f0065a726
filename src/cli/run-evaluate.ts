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
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import type { EvaluateFlags } from './evaluate.ts';
import { openExecutor, threadCount } from './evaluation-executor.ts';
import { evaluationTasks, type EvaluationTasks } from './evaluation-tasks.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { problemLines } from './problem-lines.ts';
import { wholeNumber } from './numbers.ts';
import { printText } from './print.ts';
import { play, planPlay } from './run-policy.ts';
import { showProgress } from './progress.ts';
import { rowsOutputs } from './rows-output.ts';
import { writeOutput } from './write-output.ts';

/** Rows that are on their way for each thread: enough that none waits for the next. */
const ROWS_PER_THREAD = 32;

/** Wall-clock backstop of each run of an answer: this many times its CPU time. */
const WALL_FACTOR = 10;

/** Scores predictions and prints the report; gives the exit code. */
export async function runEvaluate(
  predictions: string | undefined,
  flags: EvaluateFlags,
): Promise<number> {
  const outputs = rowsOutputs(flags.rows);
  if (flags.address !== undefined) {
    if (predictions === undefined || flags.policy !== undefined) {
      throw new ConfigError(['--address: name a file of predictions for the server to score']);
    }
    // Loaded only now: gRPC takes longer to load than a file takes to be scored.
    const { runEvaluateOnServer } = await import('./run-evaluate-server.ts');
    return await runEvaluateOnServer(flags.address, predictions, flags, outputs);
  }
  const cpuMs = wholeNumber('--query-cpu-ms', flags.queryCpuMs, 1, 600_000);
  const threads = threadCount(flags.threads);
  const found = firstTasks(evaluationTasks(flags), flags);
  const databases = findDatabaseFiles(found.databaseFolder, databaseIdsOf(found.tasks));
  const getRows = rowSource(predictions, flags, found.tasks, databases);
  const executor = await openExecutor(databases, threads);
  try {
    const paired = await getRows(executor);
    const scored = await score(executor, { found, paired, databases, flags, cpuMs, threads });
    for (const { file, format } of outputs) {
      writeOutput(file, formatRows(scored.map(rowRecord), format));
    }
    return printReport(reportOf(scored, found, paired, flags), flags);
  } finally {
    await executor.close();
  }
}

/** Gets the rows once the executor runs. What can be checked before, is. */
type GetRows = (executor: SqliteExecutor) => Promise<AnswerRows>;

function rowSource(
  predictions: string | undefined,
  flags: EvaluateFlags,
  tasks: readonly Task[],
  databases: DatabaseFiles,
): GetRows {
  const { policy } = flags;
  const pairing = { allowMissing: flags.allowMissing === true };
  if (policy !== undefined) {
    if (predictions !== undefined) {
      throw new ConfigError([
        '--policy plays episodes itself: name no file of predictions with it',
      ]);
    }
    const plan = planPlay({ ...flags, policy });
    return async (executor) =>
      pairRows(tasks, await play(executor, tasks, databases, plan), pairing);
  }
  if (predictions === undefined) {
    throw new ConfigError([
      'there is nothing to evaluate: name a file of predictions, or give --policy',
    ]);
  }
  const rows = pairRows(tasks, readPredictions(predictions), pairing);
  return () => Promise.resolve(rows);
}

/** Only played tasks can be fewer: a file of predictions fits all of them or is misaligned. */
function firstTasks(found: EvaluationTasks, flags: EvaluateFlags): EvaluationTasks {
  if (flags.first === undefined) return found;
  if (flags.policy === undefined) throw new ConfigError(['--first goes with --policy']);
  const count = wholeNumber('--first', flags.first, 1, 1_000_000_000);
  return { ...found, tasks: found.tasks.slice(0, count) };
}

/** The databases of tasks, each once. */
function databaseIdsOf(tasks: readonly Task[]): Set<string> {
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

const NO_FOREIGN_KEYS: InputProblem = {
  location: 'exact match',
  message:
    'there is no tables.json, so it takes the two columns of a foreign key for different ones',
};

function executionOptions({ keepDistinct, plugValue }: EvaluateFlags) {
  return { keepDistinct: keepDistinct === true, plugValue: plugValue === true };
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
    notes: found.foreignKeys.size === 0 ? [...notes, NO_FOREIGN_KEYS] : notes,
    tasksWithoutRow,
    options: executionOptions(flags),
  };
}

function printReport(report: RunReport, flags: EvaluateFlags): number {
  printText(
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
