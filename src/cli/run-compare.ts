import path from 'node:path';
import { runChanged, type ChangedResults } from '../evaluate/changed-results.ts';
import { compareRuns, type RunComparison } from '../evaluate/compare-runs.ts';
import { htmlComparison } from '../evaluate/comparison-html.ts';
import { jsonComparison, textComparison } from '../evaluate/comparison-report.ts';
import { findDatabaseFiles } from '../evaluate/database-files.ts';
import { readRows } from '../evaluate/row-file.ts';
import type { CompareFlags } from './compare.ts';
import { openExecutor, threadCount } from './evaluation-executor.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { problemLines } from './problem-lines.ts';
import { printText } from './print.ts';
import { checkOutput, writeOutput } from './write-output.ts';

/** Changed rows that are run side by side. */
const CONCURRENCY = 8;

/** Compares two runs and prints the report; gives the exit code. */
export async function runCompare(a: string, b: string, flags: CompareFlags): Promise<number> {
  if (flags.html !== undefined) checkOutput(flags.html);
  const comparison = compareRuns(readRows(a), readRows(b), flags.metric);
  const folder =
    flags.databases ??
    (flags.spider === undefined ? undefined : path.join(flags.spider, 'database'));
  const results = folder === undefined ? undefined : await resultsOf(comparison, folder);
  const report = { comparison, a: path.basename(a), b: path.basename(b), results };
  if (flags.html !== undefined) writeOutput(flags.html, htmlComparison(report));
  printText(
    flags.json === true
      ? `${JSON.stringify(jsonComparison(report), undefined, 2)}\n`
      : textComparison(report),
  );
  const { unscored } = comparison;
  if (unscored.length === 0) return EXIT_OK;
  process.stderr.write(`sqlenv: ${unscored.length} rows are in no figure\n`);
  for (const line of problemLines(unscored)) process.stderr.write(`  ${line}\n`);
  return EXIT_PROBLEMS;
}

async function resultsOf(comparison: RunComparison, folder: string): Promise<ChangedResults[]> {
  const ids = new Set(comparison.changed.map(({ a }) => a.database_id));
  const executor = await openExecutor(findDatabaseFiles(folder, ids), threadCount(undefined));
  try {
    return await runChanged(executor, comparison.changed, CONCURRENCY);
  } finally {
    await executor.close();
  }
}
