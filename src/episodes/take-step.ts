import {
  applyAnswer,
  applyCalls,
  planStep,
  type AnswerPlan,
  type CallReply,
  type CallsPlan,
  type EpisodeState,
  type StepResult,
} from '../../env/episode.ts';
import type { Judgement } from '../../env/grade.ts';
import { missingAnswer } from '../../env/reward.ts';
import type { CancelSignal } from '../cancel.ts';
import { failureError, type FailureContext } from './failure.ts';
import type { QueryExecutor } from './ports.ts';
import type { EpisodeFacts, StepRequest } from './requests.ts';

/**
 * Takes one step: plans it, runs what it asks for, and applies what came back. Changes nothing; if a query can't be run it
 * throws, and the same step can be taken again.
 */
export async function takeStep(
  executor: QueryExecutor,
  facts: EpisodeFacts,
  state: EpisodeState,
  request: StepRequest,
  signal: CancelSignal,
): Promise<StepResult> {
  const plan = planStep(state, request.action, request.completionTokenCount);
  const result =
    plan.kind === 'calls'
      ? applyCalls(state, plan, await runCalls(executor, facts, plan, signal))
      : applyAnswer(state, plan, await judgeAnswer(executor, facts, plan, signal));
  return withGoldRowCount(result, facts.goldRowCount);
}

/** Runs the calls of one turn, one after the other: a later one may be ignored when an earlier one can't be run. */
async function runCalls(
  executor: QueryExecutor,
  facts: EpisodeFacts,
  plan: CallsPlan,
  signal: CancelSignal,
): Promise<CallReply[]> {
  const { limits, observation } = facts;
  const { databaseId } = facts.task;
  const replies: CallReply[] = [];
  for (const call of plan.calls) {
    if (call.kind === 'refuse') continue;
    const request = { databaseId, sql: call.sql, limits, observation };
    const reply = await executor.runQuery(request, signal);
    if (reply.kind !== 'ran') throw failureError(reply, contextOf(facts), signal);
    replies.push(reply);
  }
  return replies;
}

async function judgeAnswer(
  executor: QueryExecutor,
  facts: EpisodeFacts,
  plan: AnswerPlan,
  signal: CancelSignal,
): Promise<Judgement> {
  const { task, limits, score } = facts;
  if (plan.answerSql === undefined) return missingAnswer(score.comparisonMode);
  const request = {
    databaseId: task.databaseId,
    goldSql: task.goldSql,
    answerSql: plan.answerSql,
    comparisonModes: [score.comparisonMode],
    limits,
  };
  const reply = await executor.gradeAnswer(request, signal);
  if (reply.kind !== 'graded') throw failureError(reply, contextOf(facts), signal);
  const [judgement] = reply.judgements;
  if (judgement === undefined) throw new Error('an answer was graded without a judgement');
  return judgement;
}

function contextOf(facts: EpisodeFacts): FailureContext {
  const { episodeId, task } = facts;
  return { episodeId, taskId: task.taskId, databaseId: task.databaseId };
}

/** Where no answer was judged, the size of the gold is still known: it was run at Reset. */
function withGoldRowCount(result: StepResult, goldRowCount: number): StepResult {
  const { outcome } = result;
  if (outcome.grade?.verdict !== 'answer_missing') return result;
  return { ...result, outcome: { ...outcome, grade: { ...outcome.grade, goldRowCount } } };
}
