import { spiderTotals, type SpiderRowScore, type SpiderTotals } from '../../env/spider/totals.ts';
import type { ExecutionScore, MatchScore, ScoredRow } from './row.ts';

/** The official numbers of a run, and what they leave out. */
export interface RunTotals {
  /** By test-suite-sql-eval: rows that both metrics could judge. */
  readonly testSuite: SpiderTotals;
  /** By the older evaluation.py. */
  readonly legacy: SpiderTotals;
  readonly rowCount: number;
  /** Rows whose answers could be run and compared; more than in the tables where Spider's parser can't read some golds. */
  readonly executedCount: number;
  readonly executionMatchedCount: number;
  /** Rows in the tables. */
  readonly tableRowCount: number;
}

/** Adds a run up. */
export function runTotals(rows: readonly ScoredRow[]): RunTotals {
  const testSuite = rows.flatMap((row) => officialRow(row.match, row.execution));
  const legacy = rows.flatMap((row) => officialRow(row.legacyMatch, row.legacyExecution));
  const executed = rows.flatMap((row) => row.execution ?? []);
  return {
    testSuite: spiderTotals(testSuite),
    legacy: spiderTotals(legacy),
    rowCount: rows.length,
    executedCount: executed.length,
    executionMatchedCount: executed.filter(({ matched }) => matched).length,
    tableRowCount: testSuite.length,
  };
}

/** The official scripts crash on a row whose gold fails or can't be read; it is in no table here. */
function officialRow(
  match: MatchScore | undefined,
  execution: ExecutionScore | undefined,
): SpiderRowScore[] {
  if (match === undefined || execution === undefined) return [];
  return [{ hardness: match.hardness, executionMatched: execution.matched, match }];
}
