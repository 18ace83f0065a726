import { rowKeys } from '../../env/compare/row-keys.ts';
import { deriveTies } from '../../env/compare/ties.ts';
import { COMPARISON_MODES, type ComparisonMode, type Grade } from '../../env/grade.ts';
import { GOLD_LIMITS, LIMIT_RANGES, type QueryLimits } from '../../env/limits.ts';
import { sortKeyQuery } from '../../env/sort-keys.ts';
import { callsVolatileFunction, hasTopLevelOrderBy } from '../../env/sql-text.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import type { RunSqlResult } from '../episodes/requests.ts';
import { InputError } from '../tasks/task-set.ts';
import { diffRows, type RowsDiff } from './diff-rows.ts';
import { explainAnswer } from './explain-answer.ts';
import { nameHint } from './name-hint.ts';
import type { AnswerComparison, ReplayEnvironment, ResultShown } from './ports.ts';
import { limitsOf, scoreOptionsOf, scoreRequestOf } from './recorded-requests.ts';
import { cellValue, parseErrorText, parseResultText, type ResultTable } from './result-text.ts';

/** The largest results that can be had in one piece. */
const WHOLE_LIMITS: Pick<QueryLimits, 'rowCountMax' | 'cellBytesMax' | 'resultBytesMax'> = {
  rowCountMax: LIMIT_RANGES.rowCountMax.max,
  cellBytesMax: LIMIT_RANGES.cellBytesMax.max,
  resultBytesMax: LIMIT_RANGES.resultBytesMax.max,
};

/** As in grading, an answer may take twice as long as its gold. */
const GOLD_FACTOR = 2;

/** A query that was run to be shown. */
interface ShownRun {
  readonly shown: ResultShown;
  readonly table: ResultTable | undefined;
  readonly cpuMs: number;
}

/** An answer that is compared with a gold. */
export interface AnswerToCompare {
  readonly goldSql: string;
  /** Undefined if the episode has no answer. */
  readonly answerSql: string | undefined;
  /** It is the recorded one, so that its verdict can be held against the recorded verdict. */
  readonly recorded: boolean;
}

/** Runs gold and answer, pairs their rows and says why the reward is what it is. Rejects with `InputError` if the gold fails. */
export async function compareAnswer(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
  { goldSql, answerSql, recorded }: AnswerToCompare,
  signal: AbortSignal,
): Promise<AnswerComparison> {
  const { comparisonMode } = scoreOptionsOf(trajectory);
  const run = (sql: string, clocks: Partial<QueryLimits>): Promise<ShownRun> =>
    runWhole(environment, trajectory, sql, clocks, signal);
  const gold = await run(goldSql, GOLD_LIMITS);
  if (gold.table === undefined) {
    throw new InputError(`the gold does not run: ${gold.shown.errorText || gold.shown.status}`);
  }
  if (answerSql === undefined) return withoutAnswer(gold, gold.table, trajectory);
  const answer = await run(answerSql, answerClocks(trajectory, gold.cpuMs));
  const grades = await Promise.all(
    COMPARISON_MODES.map((mode) =>
      gradeUnder(environment, trajectory, { goldSql, answerSql, mode }, signal),
    ),
  );
  const [grade] = grades.filter((each) => each.comparisonMode === comparisonMode);
  if (grade === undefined) throw new Error(`no grade under ${comparisonMode}`);
  const orderMatters = hasTopLevelOrderBy(goldSql);
  const tieSizes = orderMatters ? await tiesOf(run, goldSql, gold.table) : undefined;
  const judged = grade.verdict === 'match' || grade.verdict === 'mismatch';
  const answerTable = judged ? answer.table : undefined;
  const diff =
    answerTable === undefined
      ? onlyMissing(gold.table)
      : diffRows(gold.table, answerTable, { mode: comparisonMode, orderMatters, tieSizes });
  const hint =
    grade.verdict === 'answer_sql_error'
      ? await nameHint(environment, trajectory, grade.errorText, signal)
      : '';
  const explanation = explainAnswer({
    grade,
    others: grades,
    gold: gold.table,
    answer: answerTable,
    answerSql,
    diff,
    orderMatters,
    capped: gold.shown.capped || (answerTable !== undefined && answer.shown.capped),
    hint,
  });
  const { rows, counts } = diff;
  return {
    gold: gold.shown,
    answer: answer.shown,
    rows,
    counts,
    verdicts: grades.map((each) => ({
      comparisonMode: each.comparisonMode,
      verdict: each.verdict,
      reward: each.reward,
      flags: each.flags,
      decided: each.comparisonMode === comparisonMode,
    })),
    explanation: recorded
      ? [...endNote(trajectory), explanation, ...changedNote(trajectory, grade)].join(' ')
      : explanation,
  };
}

/** The verdict on a SQL text under one mode, with the options and limits of the record. */
export async function gradeUnder(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
  answer: { readonly goldSql: string; readonly answerSql: string; readonly mode: ComparisonMode },
  signal: AbortSignal,
): Promise<Grade> {
  const { goldSql, answerSql, mode } = answer;
  // One at a time: how many rows are fetched depends on all modes that are asked for together.
  const request = scoreRequestOf(trajectory, goldSql, answerSql, mode);
  const { grades } = await environment.score(request, signal);
  const [grade] = grades;
  if (grade === undefined) throw new Error('an answer was scored without a grade');
  return grade;
}

function answerClocks(trajectory: Trajectory, goldCpuMs: number): Partial<QueryLimits> {
  const { queryCpuMsMax, queryWallMsMax } = limitsOf(trajectory);
  const goldMs = Math.ceil(goldCpuMs * GOLD_FACTOR);
  return {
    queryCpuMsMax: Math.max(queryCpuMsMax, goldMs),
    queryWallMsMax: Math.max(queryWallMsMax, goldMs),
  };
}

async function runWhole(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
  sql: string,
  clocks: Partial<QueryLimits>,
  signal: AbortSignal,
): Promise<ShownRun> {
  const { message, query }: RunSqlResult = await environment.runSql(
    {
      databaseId: trajectory.database_id,
      input: { kind: 'query', sql },
      observation: { textSizeMax: 0 },
      limits: { ...WHOLE_LIMITS, ...clocks, rowCountMax: WHOLE_LIMITS.rowCountMax },
    },
    signal,
  );
  const table = query.status === 'ok' ? parseResultText(message.content) : undefined;
  const shown = {
    sql,
    status: query.status,
    errorText: query.status === 'ok' ? '' : (parseErrorText(message.content) ?? ''),
    columns: table?.columns ?? [],
    rowCount: table?.rows.length ?? 0,
    capped: query.capped,
  };
  return { shown, table, cpuMs: query.queryCpuUs / 1_000 };
}

/** How the gold's rows tie on its sort keys, as grading finds it out. */
async function tiesOf(
  run: (sql: string, clocks: Partial<QueryLimits>) => Promise<ShownRun>,
  goldSql: string,
  gold: ResultTable,
): Promise<readonly number[] | undefined> {
  const query = callsVolatileFunction(goldSql) ? undefined : sortKeyQuery(goldSql);
  if (query === undefined) return undefined;
  const { table } = await run(query.sql, GOLD_LIMITS);
  if (table === undefined) return undefined;
  const values = (rows: ResultTable['rows']) => rows.map((row) => row.map(cellValue));
  const ties = deriveTies({
    goldRowKeys: rowKeys(values(gold.rows)),
    keyRows: values(table.rows),
    keyCount: query.keyCount,
    limit: query.limit,
  });
  return ties?.tieSizes;
}

function onlyMissing(gold: ResultTable): RowsDiff {
  const nothing = { columns: gold.columns, rows: [] };
  return diffRows(gold, nothing, { mode: 'bag@1', orderMatters: false, tieSizes: undefined });
}

function withoutAnswer(
  gold: ShownRun,
  table: ResultTable,
  { end, grade, termination_reason: terminated, truncation_reason: truncated }: Trajectory,
): AnswerComparison {
  const why =
    terminated === 'malformed_call'
      ? 'The last turn holds a malformed tool call, which is no answer.'
      : truncated === ''
        ? grade === null
          ? `The episode was ${end} before the model gave an answer.`
          : 'The last turn holds no SQL where an answer is looked for.'
        : `The episode reached its ${truncated.replaceAll('_', ' ')} without an answer.`;
  return {
    gold: gold.shown,
    answer: undefined,
    ...onlyMissing(table),
    verdicts:
      grade === null
        ? []
        : COMPARISON_MODES.map((comparisonMode) => ({
            comparisonMode,
            verdict: grade.verdict,
            reward: grade.reward,
            flags: grade.flags,
            decided: comparisonMode === grade.comparison_mode,
          })),
    explanation: why,
  };
}

/** Why a turn was taken for an answer that may not have been meant as one. */
function endNote({
  termination_reason: terminated,
  truncation_reason: truncated,
}: Trajectory): string[] {
  if (terminated === 'malformed_call') {
    return [
      'The tool call is malformed, which ends the episode: the turn was taken for the answer.',
    ];
  }
  if (truncated === '') return [];
  const limit = truncated.replaceAll('_', ' ');
  return [`The episode reached its ${limit}: the turn was taken for the answer.`];
}

function changedNote({ grade: recorded }: Trajectory, now: Grade): string[] {
  if (recorded === null) return [];
  if (recorded.verdict === now.verdict && recorded.reward === now.reward) return [];
  return [
    `Recorded was ${recorded.verdict.replaceAll('_', ' ')} with the reward ${recorded.reward}: the database, the gold or SQLite is another one now.`,
  ];
}
