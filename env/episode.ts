import type { EpisodeEnd, EpisodeState, StepOutcome } from './episode-state.ts';
import type { Grade, Judgement } from './grade.ts';
import type { AnswerPlan, CallsPlan, RefusedCall, StepPlan } from './plan-step.ts';
import type { ObservationOptions, QueryInfo } from './query.ts';
import { gradeOf, missingAnswer } from './reward.ts';
import { truncateText } from './truncate.ts';

export { beginEpisode } from './episode-state.ts';
export type {
  EpisodeConfig,
  EpisodeEnd,
  EpisodeState,
  OnMalformed,
  StepOutcome,
  TerminationReason,
  TruncationReason,
} from './episode-state.ts';
export { planStep, TRANSCRIPT_SIZE_MAX } from './plan-step.ts';
export type {
  AnswerPlan,
  CallPlan,
  CallsPlan,
  RefusedCall,
  RefusedStatus,
  RunCall,
  StepPlan,
} from './plan-step.ts';

/** What a tool call gave: the text that the model reads, and what is known of the query. */
export interface CallReply {
  readonly text: string;
  readonly query: QueryInfo;
}

/** An episode after a step, and what the environment says to it. */
export interface StepResult {
  readonly state: EpisodeState;
  readonly outcome: StepOutcome;
}

/** Takes the step of a plan of calls. `replies` holds one for each call that ran, in order; refused calls need none. */
export function applyCalls(
  state: EpisodeState,
  plan: CallsPlan,
  replies: readonly CallReply[],
): StepResult {
  checkPlan(state, plan);
  const { observation, score } = state.config;
  const rest = replies.values();
  const all = plan.calls.map((call) =>
    call.kind === 'refuse' ? refusalReply(call, observation) : required(rest.next().value),
  );
  if (!rest.next().done) throw new Error('more replies than calls that ran');
  const grade = plan.end && gradeOf(missingAnswer(score.comparisonMode), score.guard, '');
  return step(state, plan, { replies: all, invalidCallCount: plan.invalidCallCount, grade });
}

/** Takes the step of a plan of an answer. Without an answer the judgement is `missingAnswer`'s. */
export function applyAnswer(
  state: EpisodeState,
  plan: AnswerPlan,
  judgement: Judgement,
): StepResult {
  checkPlan(state, plan);
  const grade = gradeOf(judgement, state.config.score.guard, plan.answerSql ?? '');
  return step(state, plan, { replies: [], invalidCallCount: state.invalidCallCount, grade });
}

/** The reply to a call that does not run. As in verl every text is shortened but that of an unknown tool. */
export function refusalReply(call: RefusedCall, observation: ObservationOptions): CallReply {
  const whole = { ...observation, textSizeMax: 0 };
  const shown = truncateText(call.text, call.status === 'unknown_tool' ? whole : observation);
  const query: QueryInfo = {
    status: call.status,
    sql: '',
    rowCount: 0,
    capped: false,
    textTruncated: shown.truncated,
    textSize: shown.textSize,
    queryCpuUs: 0,
    queryUs: 0,
    queueUs: 0,
    timeLimit: 'none',
  };
  return { text: shown.text, query };
}

interface StepParts {
  readonly replies: readonly CallReply[];
  readonly invalidCallCount: number;
  readonly grade: Grade | undefined;
}

function step(state: EpisodeState, plan: StepPlan, parts: StepParts): StepResult {
  const { replies, invalidCallCount, grade } = parts;
  const reward = grade?.reward ?? 0;
  const episodeReturn = state.episodeReturn + reward;
  const { completionTokenCount, end } = plan;
  return {
    state: {
      config: state.config,
      stepCount: state.stepCount + 1,
      invalidCallCount,
      completionTokenCount,
      episodeReturn,
      transcript: end ? [] : plan.transcript,
      ended: end !== undefined,
    },
    outcome: {
      stepIndex: plan.stepIndex,
      messages: replies.map((reply) => ({ role: 'tool', content: reply.text })),
      reward,
      ...endFields(end),
      queries: replies.map((reply) => reply.query),
      grade,
      ignoredCallCount: plan.ignoredCallCount,
      episodeReturn,
      completionTokenCount,
    },
  };
}

function endFields(
  end: EpisodeEnd | undefined,
): Pick<StepOutcome, 'terminated' | 'terminationReason' | 'truncated' | 'truncationReason'> {
  return {
    terminated: end?.kind === 'terminated',
    terminationReason: end?.kind === 'terminated' ? end.reason : undefined,
    truncated: end?.kind === 'truncated',
    truncationReason: end?.kind === 'truncated' ? end.reason : undefined,
  };
}

function checkPlan(state: EpisodeState, plan: StepPlan): void {
  if (state.ended || plan.stepIndex !== state.stepCount) {
    throw new Error('the plan is not one of the next step of this episode');
  }
}

function required(reply: CallReply | undefined): CallReply {
  if (reply === undefined) throw new Error('fewer replies than calls that ran');
  return reply;
}
