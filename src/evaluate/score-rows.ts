import {
  matchSpiderSql,
  type MatchReport,
  type SpiderEvaluator,
} from '../../env/spider/exact-match.ts';
import type { ExecutionOptions } from '../../env/spider/execution-sql.ts';
import type { ExecutorFailure, GoldBroken } from '../episodes/ports.ts';
import { concurrently } from './concurrently.ts';
import type { GradeSpiderRequest, SpiderComparison, SpiderGrader, SpiderVerdict } from './ports.ts';
import { retried } from './retried.ts';
import type { AnswerRow, ExecutionScore, MatchScore, ScoredRow } from './row.ts';
import type { ParserSchema } from './spider-schemas.ts';

/** What scoring needs to know besides the rows. */
export interface ScoreContext {
  readonly grader: SpiderGrader;
  /** By the tasks' database id. */
  readonly schemas: ReadonlyMap<string, ParserSchema>;
  readonly idsByDatabase: ReadonlyMap<string, readonly [string, ...string[]]>;
  /** Why a database has no schema. */
  readonly databaseProblems: ReadonlyMap<string, string>;
  readonly options: ExecutionOptions;
  readonly clocks: GradeSpiderRequest['clocks'];
  /** Rows that are scored side by side. */
  readonly concurrency: number;
  readonly onProgress?: (rowCount: number, totalCount: number) => void;
}

const NO_ANSWER: ExecutionScore = {
  matched: false,
  verdict: 'answer_missing',
  errorText: '',
  capped: false,
};

/** Scores rows by all official metrics, in their order. A row that can't be scored says why; it is never left out. */
export async function scoreRows(
  rows: readonly AnswerRow[],
  context: ScoreContext,
): Promise<ScoredRow[]> {
  let scoredCount = 0;
  return await concurrently(rows, context.concurrency, async (row) => {
    const scored = await scoreRow(row, context);
    scoredCount += 1;
    context.onProgress?.(scoredCount, rows.length);
    return scored;
  });
}

async function scoreRow(row: AnswerRow, context: ScoreContext): Promise<ScoredRow> {
  const { databaseId } = row.task;
  const parser = context.schemas.get(databaseId);
  const databaseIds = context.idsByDatabase.get(databaseId);
  if (row.problem !== undefined) return unscored(row, row.problem);
  if (parser === undefined || databaseIds === undefined) {
    const reason = context.databaseProblems.get(databaseId) ?? 'it is missing';
    return unscored(row, `database ${databaseId}: ${reason}`);
  }
  const match = matchBy('test-suite', row, parser);
  const legacyMatch = evaluatorsAgree(row) ? match : matchBy('legacy', row, parser);
  if (row.answerSql === undefined) {
    return scoredRow(row, match, legacyMatch, { execution: NO_ANSWER }, { execution: NO_ANSWER });
  }
  const [execution, legacyExecution] = await runComparisons(
    context,
    databaseIds,
    comparisonsOf(row.task.goldSql, row.answerSql, legacyMatch, context.options),
  );
  return scoredRow(row, match, legacyMatch, execution ?? {}, legacyExecution ?? {});
}

/** One answer's run under one comparison. */
interface Run {
  readonly execution?: ExecutionScore;
  readonly problem?: string;
}

/** The older script stops at a gold that Spider's parser can't read. */
function comparisonsOf(
  goldSql: string,
  answerSql: string,
  legacyMatch: MatchReport,
  options: ExecutionOptions,
): SpiderComparison[] {
  const execution = { mode: 'spider-exec@1', goldSql, answerSql, options } as const;
  if (legacyMatch.kind !== 'scored') return [execution];
  const goldSelect = legacyMatch.goldSql.select;
  const answerSelect = legacyMatch.answerSql.select;
  return [
    execution,
    { mode: 'spider-exec-legacy@1', goldSql, answerSql, goldSelect, answerSelect },
  ];
}

/**
 * The two scripts parse alike but for LIMIT, whose number only the older one keeps, and `value`, which only the newer one takes
 * for a placeholder. Most rows have neither, and needn't be parsed twice.
 */
function evaluatorsAgree({ task, answerSql = '' }: AnswerRow): boolean {
  const hasLimit = /limit/i.test(task.goldSql) || /limit/i.test(answerSql);
  return !hasLimit && !answerSql.includes('value');
}

function matchBy(evaluator: SpiderEvaluator, row: AnswerRow, parser: ParserSchema): MatchReport {
  const answer = row.answerSql ?? '';
  return matchSpiderSql({ gold: row.task.goldSql, answer, evaluator, ...parser });
}

async function runComparisons(
  context: ScoreContext,
  databaseIds: GradeSpiderRequest['databaseIds'],
  comparisons: readonly SpiderComparison[],
): Promise<Run[]> {
  const { grader, clocks } = context;
  const { signal } = new AbortController();
  const request = { databaseIds, comparisons, clocks };
  const reply = await retried(() => grader.gradeSpider(request, signal));
  return reply.kind === 'spider_graded'
    ? reply.outcomes.map(runOf)
    : [{ problem: describe(reply) }];
}

function runOf(outcome: SpiderVerdict | GoldBroken): Run {
  if (outcome.kind === 'gold_broken') {
    return { problem: `the gold can't be run: ${outcome.message}` };
  }
  const { verdict, errorText, capped } = outcome;
  return { execution: { matched: verdict === 'match', verdict, errorText, capped } };
}

function describe(reply: ExecutorFailure): string {
  return 'message' in reply ? `${reply.kind}: ${reply.message}` : `not run: ${reply.kind}`;
}

function scoredRow(
  row: AnswerRow,
  match: MatchReport,
  legacyMatch: MatchReport,
  { execution, problem }: Run,
  legacy: Run,
): ScoredRow {
  const problems = [problem, parseProblem(match), legacy.problem].filter(
    (each) => each !== undefined,
  );
  return {
    row,
    match: scoreOf(match),
    execution,
    legacyMatch: scoreOf(legacyMatch),
    legacyExecution: legacy.execution,
    problems: [...new Set(problems)],
  };
}

function parseProblem(match: MatchReport): string | undefined {
  return match.kind === 'gold_unparseable'
    ? `Spider's parser can't read the gold (${match.errorClass})`
    : undefined;
}

function scoreOf(report: MatchReport): MatchScore | undefined {
  if (report.kind === 'gold_unparseable') return undefined;
  const { exact, components, hardness, answerErrorClass } = report;
  return { exact, components, hardness, parseError: answerErrorClass ?? '' };
}

function unscored(row: AnswerRow, problem: string): ScoredRow {
  return {
    row,
    match: undefined,
    execution: undefined,
    legacyMatch: undefined,
    legacyExecution: undefined,
    problems: [problem],
  };
}
