import type { Action } from '../../env/action.ts';
import type { ScoreOptions } from '../../env/grade.ts';
import type { EpisodeLimits } from '../../env/limits.ts';
import type { ObservationOptions } from '../../env/query.ts';
import type {
  ResetRequest,
  RunSqlRequest,
  ScoreRequest,
  StepRequest,
  TaskChoice,
} from '../episodes/requests.ts';
import type { ObservationOptions as WireObservation } from '../generated/sqlenv/v1/ObservationOptions.ts';
import type { ResetRequest as WireReset } from '../generated/sqlenv/v1/ResetRequest.ts';
import type { RunSqlRequest as WireRunSql } from '../generated/sqlenv/v1/RunSqlRequest.ts';
import type { ScoreOptions as WireScoreOptions } from '../generated/sqlenv/v1/ScoreOptions.ts';
import type { ScoreRequest as WireScore } from '../generated/sqlenv/v1/ScoreRequest.ts';
import type { StepRequest as WireStep } from '../generated/sqlenv/v1/StepRequest.ts';
import { encodeEnum } from './fields.ts';

/** A Reset request as a client sends it. */
export function encodeResetRequest(request: ResetRequest): WireReset {
  const { promptStyle, onMalformed } = request;
  return {
    episodeId: request.episodeId,
    ...encodeTaskChoice(request.task),
    limits: encodeSomeLimits(request.limits),
    observation: encodeSomeObservation(request.observation),
    mode: encodeEnum('EPISODE_MODE_', request.mode),
    groupId: request.groupId,
    labels: { ...request.labels },
    promptStyle: encodeEnum('PROMPT_STYLE_', promptStyle ?? 'unspecified'),
    onMalformed: encodeEnum('ON_MALFORMED_', onMalformed ?? 'unspecified'),
    score: encodeSomeScore(request.score),
    goldSha256: request.goldSha256,
  };
}

/** A Step request as a client sends it. */
export function encodeStepRequest(request: StepRequest): WireStep {
  const { episodeId, stepIndex, completionTokenCount, action } = request;
  return { episodeId, stepIndex, completionTokenCount, ...encodeAction(action) };
}

/** A Score request as a client sends it. */
export function encodeScoreRequest(request: ScoreRequest): WireScore {
  const { answer } = request;
  return {
    ...encodeTaskChoice(request.task),
    ...(answer.kind === 'sql' ? { sql: answer.sql } : { completion: answer.text }),
    comparisonModes: [...request.comparisonModes],
    score: encodeSomeScore(request.score),
    limits: encodeSomeLimits(request.limits),
    goldSha256: request.goldSha256,
    includeGold: request.includeGold,
  };
}

/** A RunSql request as a client sends it. */
export function encodeRunSqlRequest(request: RunSqlRequest): WireRunSql {
  const { input } = request;
  return {
    databaseId: request.databaseId,
    ...(input.kind === 'query' ? { query: input.sql } : { argumentsJson: input.argumentsJson }),
    observation: encodeSomeObservation(request.observation),
    limits: encodeSomeLimits(request.limits),
  };
}

function encodeTaskChoice(task: TaskChoice): Pick<WireReset, 'taskId' | 'inlineTask'> {
  if (task.kind === 'named') return { taskId: task.taskId };
  const { taskId, databaseId, question, goldSql } = task;
  return { inlineTask: { taskId, databaseId, question, goldSql } };
}

function encodeAction(action: Action): Partial<WireStep> {
  switch (action.kind) {
    case 'assistant_text':
      return { assistantText: action.text };
    case 'final_text':
      return { finalText: action.text };
    case 'tool_call':
      return { toolCall: { name: action.name, argumentsJson: action.argumentsJson } };
  }
}

/** What is left out is 0 on the wire: the server's default. */
function encodeSomeLimits(limits: Partial<EpisodeLimits>): Partial<EpisodeLimits> {
  return { ...limits };
}

function encodeSomeObservation(options: Partial<ObservationOptions>): WireObservation {
  const { textSizeMax, truncateSide } = options;
  return {
    ...(textSizeMax === undefined ? {} : { textSizeMax }),
    truncateSide: encodeEnum('TRUNCATE_SIDE_', truncateSide ?? 'unspecified'),
  };
}

function encodeSomeScore(score: Partial<ScoreOptions>): WireScoreOptions {
  return {
    comparisonMode: score.comparisonMode ?? '',
    guard: encodeEnum('REWARD_GUARD_', score.guard ?? 'unspecified'),
    scope: encodeEnum('ANSWER_SCOPE_', score.scope ?? 'unspecified'),
    fallback: encodeEnum('ANSWER_FALLBACK_', score.fallback ?? 'unspecified'),
  };
}
