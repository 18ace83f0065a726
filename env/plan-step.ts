import type { Action } from './action.ts';
import type {
  EpisodeEnd,
  EpisodeState,
  TerminationReason,
  TruncationReason,
} from './episode-state.ts';
import { extractAnswer } from './final-answer.ts';
import {
  checkArguments,
  checkArgumentValue,
  parseToolCalls,
  type ArgumentCheck,
  type ToolCallFound,
} from './hermes.ts';
import type { QueryStatus } from './query.ts';
import { malformedCallText, TOOL_NAME, unknownToolText } from './refusals.ts';

/** Why a tool call is not run. */
export type RefusedStatus = Extract<QueryStatus, 'unparsed' | 'invalid_arguments' | 'unknown_tool'>;

/** A tool call that runs. */
export interface RunCall {
  readonly kind: 'run';
  readonly sql: string;
}

/** A tool call that is answered without running anything. */
export interface RefusedCall {
  readonly kind: 'refuse';
  /** Before it is shortened to the observation size. */
  readonly text: string;
  readonly status: RefusedStatus;
}

/** What to do with one tool call. */
export type CallPlan = RunCall | RefusedCall;

interface PlanBase {
  readonly stepIndex: number;
  /** Completion tokens, this step's included. */
  readonly completionTokenCount: number;
  /** Tool calls of this turn that are dropped or ignored. */
  readonly ignoredCallCount: number;
  readonly transcript: readonly string[];
}

/** The step is tool calls. The SQL of those to run is to be run, in order. */
export interface CallsPlan extends PlanBase {
  readonly kind: 'calls';
  readonly calls: readonly CallPlan[];
  /** Invalid calls in a row after this step. */
  readonly invalidCallCount: number;
  /** A limit that ends the episode with this step, unanswered. */
  readonly end: EpisodeEnd | undefined;
}

/** The step is the final answer. */
export interface AnswerPlan extends PlanBase {
  readonly kind: 'answer';
  /** To be judged; undefined: there is no answer, so nothing is to be run. */
  readonly answerSql: string | undefined;
  readonly end: EpisodeEnd;
}

/** What a step asks for, decided before anything runs. */
export type StepPlan = CallsPlan | AnswerPlan;

/** Characters of the model's texts that are kept for the scope `transcript`: a whole text of the largest size fits. */
export const TRANSCRIPT_SIZE_MAX = 1_000_000;

/**
 * Decides what a step asks for. As in verl the limits come before the parser: a turn on the last step, or one that uses up the
 * token budget, is not parsed for calls but taken as the final answer. A call that the caller has parsed does run on the last
 * step; then the episode ends unanswered.
 */
export function planStep(
  state: EpisodeState,
  action: Action,
  completionTokenCount: number,
): StepPlan {
  if (state.ended) throw new Error('the episode has ended');
  const base: PlanBase = {
    stepIndex: state.stepCount,
    completionTokenCount: state.completionTokenCount + completionTokenCount,
    ignoredCallCount: 0,
    transcript: action.kind === 'tool_call' ? state.transcript : extended(state, action.text),
  };
  switch (action.kind) {
    case 'final_text':
      return answerPlan(state, base, action.text, terminated('answer'));
    case 'tool_call': {
      const call = planCall(action.name, checkArguments(action.argumentsJson));
      return callsPlan(state, base, [call], 0);
    }
    case 'assistant_text':
      return planText(state, base, action.text);
  }
}

function planText(state: EpisodeState, base: PlanBase, text: string): StepPlan {
  const { calls } = parseToolCalls(text);
  const unparsed = { ...base, ignoredCallCount: calls.length };
  const limit = limitReached(state, base);
  if (limit === 'token_limit') return answerPlan(state, unparsed, text, truncated(limit));
  if (limit === 'step_limit') {
    const end = calls.length > 0 ? truncated(limit) : terminated('answer');
    return answerPlan(state, unparsed, text, end);
  }
  if (calls.length === 0) return answerPlan(state, base, text, terminated('answer'));

  const wellFormed = calls.filter((call) => call.kind === 'call');
  if (wellFormed.length === 0) {
    if (state.config.onMalformed === 'end') {
      return answerPlan(state, unparsed, text, terminated('malformed_call'));
    }
    const refusal: RefusedCall = { kind: 'refuse', text: malformedCallText(), status: 'unparsed' };
    return callsPlan(state, base, [refusal], calls.length - 1);
  }
  const planned = wellFormed.slice(0, state.config.limits.parallelCallCountMax).map(planFound);
  return callsPlan(state, base, planned, calls.length - planned.length);
}

/** The limit that this step reaches, in the order in which verl checks them. */
function limitReached(
  state: EpisodeState,
  base: PlanBase,
): 'token_limit' | 'step_limit' | undefined {
  const { limits } = state.config;
  if (base.completionTokenCount >= limits.completionTokenCountMax) return 'token_limit';
  return base.stepIndex + 1 >= limits.stepCountMax ? 'step_limit' : undefined;
}

function planFound(call: Extract<ToolCallFound, { kind: 'call' }>): CallPlan {
  return planCall(call.name, checkArgumentValue(call.arguments));
}

function planCall(name: string, checked: ArgumentCheck): CallPlan {
  if (name !== TOOL_NAME) {
    return { kind: 'refuse', text: unknownToolText(name), status: 'unknown_tool' };
  }
  if (checked.ok) return { kind: 'run', sql: checked.sql };
  return { kind: 'refuse', text: checked.text, status: checked.status };
}

/** Counts invalid calls in a row; those after the one that reaches the limit are ignored. */
function callsPlan(
  state: EpisodeState,
  base: PlanBase,
  planned: readonly CallPlan[],
  ignoredCallCount: number,
): CallsPlan {
  const { invalidCallCountMax } = state.config.limits;
  const calls: CallPlan[] = [];
  let invalidCallCount = state.invalidCallCount;
  for (const call of planned) {
    if (invalidCallCount >= invalidCallCountMax) break;
    calls.push(call);
    invalidCallCount = call.kind === 'run' ? 0 : invalidCallCount + 1;
  }
  const limit =
    limitReached(state, base) ??
    (invalidCallCount >= invalidCallCountMax ? 'invalid_call_limit' : undefined);
  // Written out: with a spread this object alone took a twentieth of the main thread's time for a step.
  return {
    kind: 'calls',
    stepIndex: base.stepIndex,
    completionTokenCount: base.completionTokenCount,
    transcript: base.transcript,
    calls,
    ignoredCallCount: ignoredCallCount + planned.length - calls.length,
    invalidCallCount,
    end: limit && truncated(limit),
  };
}

function answerPlan(
  state: EpisodeState,
  base: PlanBase,
  text: string,
  end: EpisodeEnd,
): AnswerPlan {
  const { scope, fallback } = state.config.score;
  const searched = scope === 'transcript' ? base.transcript.join('\n') : text;
  return { ...base, kind: 'answer', answerSql: extractAnswer(searched, fallback), end };
}

/** The model's texts with a new one. The oldest are dropped whole, since half a text could turn its fences inside out. */
function extended(state: EpisodeState, text: string): readonly string[] {
  if (state.config.score.scope !== 'transcript') return state.transcript;
  const texts = [...state.transcript, text];
  let size = texts.reduce((sum, kept) => sum + kept.length, 0);
  while (size > TRANSCRIPT_SIZE_MAX && texts.length > 1) size -= texts.shift()?.length ?? 0;
  return texts;
}

function terminated(reason: TerminationReason): EpisodeEnd {
  return { kind: 'terminated', reason };
}

function truncated(reason: TruncationReason): EpisodeEnd {
  return { kind: 'truncated', reason };
}
