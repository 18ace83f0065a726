import { ConfigError } from '../config.ts';
import { prepare, type Prepared, type PrepareOptions } from '../prepare/prepare.ts';
import type { DroppedRow } from '../prepare/check-rows.ts';
import { readSource, type SourceChoice } from '../prepare/source.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import { openExecutor, threadCount } from './evaluation-executor.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { problemLines } from './problem-lines.ts';
import { wholeNumber } from './numbers.ts';
import type { PrepareFlags } from './prepare.ts';
import { printText } from './print.ts';
import { showProgress } from './progress.ts';

const ROW_COUNT_MAX = 100_000_000;

/** Golds on their way for each thread. */
const ROWS_PER_THREAD = 4;

/** Makes the data and says what was made; gives the exit code. */
export async function runPrepare(
  sourceKind: string,
  place: string,
  flags: PrepareFlags,
): Promise<number> {
  const choice = sourceChoice(sourceKind, place, flags);
  const threads = threadCount(undefined);
  const options = optionsOf(choice, flags, threads);
  const source = readSource(choice);
  const executor = await openExecutor(source.databases, threads);
  const progress = showProgress('running golds');
  try {
    const prepared = await prepare(executor, source, flags.out, {
      ...options,
      onProgress: progress.update,
    });
    progress.stop();
    return report(prepared, flags);
  } finally {
    progress.stop();
    await executor.close();
  }
}

function sourceChoice(kind: string, place: string, flags: PrepareFlags): SourceChoice {
  switch (kind) {
    case 'spider':
      return { kind, folder: place };
    case 'bird':
      return { kind, folder: place, withEvidence: flags.evidence };
    case 'jsonl':
      if (flags.databases === undefined) {
        throw new ConfigError(['jsonl: give --databases DIR, the folder of the SQLite files']);
      }
      return { kind, taskFile: place, databaseFolder: flags.databases };
    default:
      throw new ConfigError([
        `${JSON.stringify(kind)} is no source; it must be spider, bird or jsonl`,
      ]);
  }
}

function optionsOf(choice: SourceChoice, flags: PrepareFlags, threads: number): PrepareOptions {
  const count = (flag: string, text: string | undefined): number | undefined =>
    text === undefined ? undefined : wholeNumber(flag, text, 0, ROW_COUNT_MAX);
  return {
    source: choice.kind,
    counts: {
      train: count('--rows', flags.rows),
      rl: count('--rl-rows', flags.rlRows),
      eval: count('--eval-rows', flags.evalRows),
    },
    seed: flags.seed,
    promptStyle: flags.prompt,
    schemaCharsMax: count('--max-schema-chars', flags.maxSchemaChars),
    names: { agentName: flags.agentName, dataSource: flags.dataSource },
    concurrency: threads * ROWS_PER_THREAD,
  };
}

function report(prepared: Prepared, flags: PrepareFlags): number {
  const { rowCounts, databaseCount, dropped, problems, manifestSha256 } = prepared;
  const { train, rl, eval: held } = rowCounts;
  printText(
    flags.json === true
      ? `${JSON.stringify(
          {
            row_counts: rowCounts,
            database_count: databaseCount,
            dropped_count: dropped.length,
            problem_count: problems.length,
            manifest_sha256: manifestSha256,
          },
          undefined,
          2,
        )}\n`
      : `${flags.out}: ${train} rows for supervised training, ${rl} for reinforcement learning, ${held} held out; ${databaseCount} databases\n`,
  );
  const count = problems.length + dropped.length;
  if (count > 0) {
    process.stderr.write(`sqlenv: ${count} rows are left out; manifest.json lists all\n`);
    for (const line of problemLines([...problems, ...droppedProblems(dropped)])) {
      process.stderr.write(`  ${line}\n`);
    }
  }
  return problems.length > 0 ? EXIT_PROBLEMS : EXIT_OK;
}

/** Golds one by one; databases that can't be used once each, with the number of their rows. */
function droppedProblems(dropped: readonly DroppedRow[]): InputProblem[] {
  const golds = dropped.filter(({ reason }) => reason === 'gold');
  const byDatabase = new Map<string, DroppedRow[]>();
  for (const row of dropped) {
    if (row.reason === 'gold') continue;
    byDatabase.set(row.databaseId, [...(byDatabase.get(row.databaseId) ?? []), row]);
  }
  return [
    ...golds.map(({ taskId, databaseId, message }) => ({
      location: `${taskId} (${databaseId})`,
      message,
    })),
    ...[...byDatabase].map(([databaseId, rows]) => ({
      location: `database ${databaseId}`,
      message: `${rows[0]?.message ?? ''} (${rows.length} rows)`,
    })),
  ];
}
