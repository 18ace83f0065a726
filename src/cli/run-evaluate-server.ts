import { pairRows } from '../evaluate/answer-rows.ts';
import { readPredictions } from '../evaluate/read-predictions.ts';
import { formatRows } from '../evaluate/row-file.ts';
import {
  scoreOnServer,
  serverRowRecord,
  serverTasks,
  serverTotals,
  serverTotalsText,
} from '../evaluate/score-on-server.ts';
import { connectClient } from '../rpc/client.ts';
import type { EvaluateFlags } from './evaluate.ts';
import { EXIT_OK, EXIT_PROBLEMS } from './exit-codes.ts';
import { problemLines } from './problem-lines.ts';
import { printText } from './print.ts';
import { showProgress } from './progress.ts';
import type { RowsOutput } from './rows-output.ts';
import { writeOutput } from './write-output.ts';

/** Rows on their way to the server. */
const CONCURRENCY = 32;

/** Scores predictions on a running server, under its comparison modes; gives the exit code. */
export async function runEvaluateOnServer(
  address: string,
  predictions: string,
  flags: EvaluateFlags,
  outputs: readonly RowsOutput[],
): Promise<number> {
  const client = connectClient(address);
  const progress = showProgress('evaluating');
  try {
    const tasks = await serverTasks(client, flags.split ?? '');
    const paired = pairRows(tasks, readPredictions(predictions), {
      allowMissing: flags.allowMissing === true,
    });
    const rows = await scoreOnServer(client, paired.rows, CONCURRENCY, progress.update);
    progress.stop();
    for (const { file, format } of outputs) {
      writeOutput(file, formatRows(rows.map(serverRowRecord), format));
    }
    const totals = serverTotals(rows);
    const unscored = rows.flatMap(({ row, problem }) =>
      problem === undefined ? [] : [{ location: row.task.taskId, message: problem }],
    );
    const problems = [...paired.problems, ...unscored];
    printText(
      flags.json === true
        ? `${JSON.stringify(
            {
              row_counts: totals.rowCounts,
              matched_counts: totals.matchedCounts,
              problems,
              notes: paired.notes,
            },
            undefined,
            2,
          )}\n`
        : serverTotalsText(totals),
    );
    if (problems.length === 0) return EXIT_OK;
    process.stderr.write(`sqlenv: ${problems.length} rows or inputs can't be scored\n`);
    for (const line of problemLines(problems)) process.stderr.write(`  ${line}\n`);
    return EXIT_PROBLEMS;
  } finally {
    progress.stop();
    client.disconnect();
  }
}
