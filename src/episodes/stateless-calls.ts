import { refusalReply } from '../../env/episode.ts';
import { extractAnswer } from '../../env/final-answer.ts';
import type { Judgement } from '../../env/grade.ts';
import { checkArguments, checkSql } from '../../env/hermes.ts';
import { gradeOf, missingAnswer } from '../../env/reward.ts';
import type { CancelSignal } from '../cancel.ts';
import { chooseTask } from './choose-task.ts';
import { databaseNotFound, failureError } from './failure.ts';
import type { QueryExecutor } from './ports.ts';
import type { RunSqlRequest, RunSqlResult, ScoreRequest, ScoreResult } from './requests.ts';
import type { EpisodeDefaults } from './server-info.ts';
import type { TaskSource } from './task-source.ts';
import type { EpisodeTelemetry } from './telemetry.ts';

/** What calls without an episode need. */
export interface StatelessParts {
  readonly executor: QueryExecutor;
  readonly tasks: TaskSource;
  readonly defaults: EpisodeDefaults;
  readonly telemetry?: EpisodeTelemetry | undefined;
}

/** Scores an answer. The gold is always run first, so that a broken one is an error even for a missing answer. */
export async function scoreAnswer(
  parts: StatelessParts,
  request: ScoreRequest,
  signal: CancelSignal,
): Promise<ScoreResult> {
  const { executor, defaults } = parts;
  const { task } = chooseTask(parts.tasks, request.task, request.goldSha256);
  const { taskId, databaseId, goldSql } = task;
  const context = { taskId, databaseId, includeGold: request.includeGold };
  const score = { ...defaults.score, ...request.score };
  const comparisonModes =
    request.comparisonModes.length > 0 ? request.comparisonModes : [score.comparisonMode];
  const gold = await executor.describeGold(databaseId, goldSql, signal);
  if (gold.kind !== 'gold') throw failureError(gold, context, signal);

  const answerSql = answerOf(request, score.fallback);
  let judgements: readonly Judgement[];
  if (answerSql === undefined) {
    judgements = comparisonModes.map((mode) => ({
      ...missingAnswer(mode),
      goldRowCount: gold.rowCount,
    }));
  } else {
    const limits = { ...defaults.limits, ...request.limits };
    const answer = { databaseId, goldSql, answerSql, comparisonModes, limits };
    const reply = await executor.gradeAnswer(answer, signal);
    if (reply.kind !== 'graded') throw failureError(reply, context, signal);
    judgements = reply.judgements;
  }
  const grades = judgements.map((judgement) => gradeOf(judgement, score.guard, answerSql ?? ''));
  parts.telemetry?.answerScored(grades);
  return { grades, goldSql: request.includeGold ? goldSql : '' };
}

function answerOf(request: ScoreRequest, fallback: 'statement' | 'none'): string | undefined {
  const { answer } = request;
  if (answer.kind === 'completion') return extractAnswer(answer.text, fallback);
  return answer.sql.trim() === '' ? undefined : answer.sql;
}

/** Runs a query as the tool would. Arguments that a model got wrong are an observation here too. */
export async function runStatelessSql(
  parts: StatelessParts,
  request: RunSqlRequest,
  signal: CancelSignal,
): Promise<RunSqlResult> {
  const { executor, tasks, defaults } = parts;
  const { databaseId, input } = request;
  if (!tasks.hasDatabase(databaseId)) throw databaseNotFound(databaseId);
  const observation = { ...defaults.observation, ...request.observation };
  const limits = { ...defaults.limits, ...request.limits };
  const checked =
    input.kind === 'arguments' ? checkArguments(input.argumentsJson) : checkSql(input.sql);
  if (!checked.ok) {
    const { text, status } = checked;
    const reply = refusalReply({ kind: 'refuse', text, status }, observation);
    return { message: { role: 'tool', content: reply.text }, query: reply.query };
  }
  const reply = await executor.runQuery(
    { databaseId, sql: checked.sql, limits, observation },
    signal,
  );
  if (reply.kind !== 'ran') throw failureError(reply, { databaseId }, signal);
  return { message: { role: 'tool', content: reply.text }, query: reply.query };
}
