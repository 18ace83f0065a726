import type { Action } from '../../env/action.ts';
import {
  applyAnswer,
  applyCalls,
  beginEpisode,
  planStep,
  type CallReply,
  type EpisodeConfig,
  type EpisodeState,
  type StepOutcome,
  type StepPlan,
} from '../../env/episode.ts';
import { DEFAULT_SCORE, type Judgement, type ScoreOptions } from '../../env/grade.ts';
import { DEFAULT_LIMITS, type EpisodeLimits } from '../../env/limits.ts';
import { DEFAULT_OBSERVATION, type ObservationOptions } from '../../env/query.ts';
import { missingAnswer } from '../../env/reward.ts';

/** What a test says about an episode; the rest is as by default. */
export interface Rules {
  readonly limits?: Partial<EpisodeLimits>;
  readonly score?: Partial<ScoreOptions>;
  readonly observation?: Partial<ObservationOptions>;
  readonly onMalformed?: 'end' | 'observe';
}

/** A turn with one well-formed call. */
export const call = (query: string): string =>
  `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`;

/** A turn with a fenced answer. */
export const fence = (sql: string): string => `\`\`\`sql\n${sql}\n\`\`\``;

/** A turn with a call that can't be parsed. */
export const MALFORMED =
  '<tool_call>{"name": "run_sql", "arguments": {"query": "SELECT 1}</tool_call>';

/** A turn with a call of another tool. */
export const UNKNOWN = '<tool_call>{"name": "runsql", "arguments": {}}</tool_call>';

/** The action of a whole turn. */
export const turn = (text: string): Action => ({ kind: 'assistant_text', text });

/** The action of a call that the caller has parsed. */
export const toolCall = (argumentsJson: string, name = 'run_sql'): Action => ({
  kind: 'tool_call',
  name,
  argumentsJson,
});

/** The action of a final answer. */
export const final = (text: string): Action => ({ kind: 'final_text', text });

/** Opens an episode. */
export function begin(rules: Rules = {}): EpisodeState {
  const config: EpisodeConfig = {
    limits: { ...DEFAULT_LIMITS, ...rules.limits },
    observation: { ...DEFAULT_OBSERVATION, ...rules.observation },
    onMalformed: rules.onMalformed ?? 'end',
    score: { ...DEFAULT_SCORE, ...rules.score },
  };
  return beginEpisode(config);
}

/** What a query that ran gave. */
export function reply(sql: string, text = `rows of ${sql}`): CallReply {
  return {
    text,
    query: {
      status: 'ok',
      sql,
      rowCount: 1,
      capped: false,
      textTruncated: false,
      textSize: text.length,
      queryCpuUs: 10,
      queryUs: 12,
      queueUs: 3,
      timeLimit: 'none',
    },
  };
}

/** A judgement: a match exactly for the answer that a test calls right. */
export function judge(answerSql: string, rightSql = 'RIGHT'): Judgement {
  const verdict = answerSql === rightSql ? 'match' : 'mismatch';
  return { ...missingAnswer('bag@1'), verdict, goldRowCount: 2 };
}

/** One step as the service takes it. */
export function takeStep(
  state: EpisodeState,
  action: Action,
  tokenCount = 0,
): { readonly state: EpisodeState; readonly outcome: StepOutcome; readonly plan: StepPlan } {
  const plan = planStep(state, action, tokenCount);
  if (plan.kind === 'calls') {
    const ran = plan.calls.flatMap((each) => (each.kind === 'run' ? [reply(each.sql)] : []));
    return { ...applyCalls(state, plan, ran), plan };
  }
  const judgement = plan.answerSql === undefined ? missingAnswer('bag@1') : judge(plan.answerSql);
  return { ...applyAnswer(state, plan, judgement), plan };
}

/** Takes steps one after the other; the outcomes of all. */
export function play(state: EpisodeState, ...actions: readonly Action[]): StepOutcome[] {
  const outcomes: StepOutcome[] = [];
  let now = state;
  for (const action of actions) {
    const step = takeStep(now, action);
    outcomes.push(step.outcome);
    now = step.state;
  }
  return outcomes;
}
