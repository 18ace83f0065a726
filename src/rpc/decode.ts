import type { Action } from '../../env/action.ts';
import { FIELD_LIMITS } from '../../env/limits.ts';
import type { PromptStyle } from '../../env/prompt.ts';
import type {
  ListTasksRequest,
  ResetRequest,
  RunSqlRequest,
  ScoreRequest,
  StepRequest,
} from '../episodes/requests.ts';
import type { ListTasksRequest__Output } from '../generated/sqlenv/v1/ListTasksRequest.ts';
import type { PromptStyle__Output } from '../generated/sqlenv/v1/PromptStyle.ts';
import type { ResetRequest__Output } from '../generated/sqlenv/v1/ResetRequest.ts';
import type { RunSqlRequest__Output } from '../generated/sqlenv/v1/RunSqlRequest.ts';
import type { ScoreRequest__Output } from '../generated/sqlenv/v1/ScoreRequest.ts';
import type { StepRequest__Output } from '../generated/sqlenv/v1/StepRequest.ts';
import {
  decodeLimits,
  decodeMode,
  decodeObservation,
  decodeScoreOptions,
  decodeTask,
} from './decode-options.ts';
import {
  checkId,
  checkLabels,
  checkOneof,
  checkSha256,
  checkText,
  decodeEnum,
  invalidField,
} from './fields.ts';

const { idBytesMax, assistantTextBytesMax, argumentsBytesMax, sqlBytesMax } = FIELD_LIMITS;
const PAGE_SIZE_DEFAULT = 100;
const PAGE_TOKEN_BYTES_MAX = 100;
const COMPARISON_MODE_COUNT_MAX = 3;

/** Checks a Reset request. Throws INVALID_FIELD. */
export function decodeReset(wire: ResetRequest__Output): ResetRequest {
  return {
    episodeId: checkId('episode_id', wire.episodeId),
    task: decodeTask(wire),
    limits: decodeLimits(wire.limits),
    observation: decodeObservation(wire.observation),
    mode: decodeEnum('mode', wire.mode, 'EPISODE_MODE_', ['train', 'eval']) ?? 'train',
    groupId: checkText('group_id', wire.groupId, idBytesMax),
    labels: checkLabels('labels', wire.labels),
    promptStyle: decodePromptStyle(wire.promptStyle),
    onMalformed: decodeEnum('on_malformed', wire.onMalformed, 'ON_MALFORMED_', ['end', 'observe']),
    score: decodeScoreOptions(wire.score),
    goldSha256: checkSha256('gold_sha256', wire.goldSha256),
  };
}

/** Checks a Step request. Throws INVALID_FIELD. */
export function decodeStep(wire: StepRequest__Output): StepRequest {
  return {
    episodeId: checkId('episode_id', wire.episodeId),
    stepIndex: wire.stepIndex,
    action: decodeAction(wire),
    completionTokenCount: wire.completionTokenCount,
  };
}

function decodeAction(wire: StepRequest__Output): Action {
  const member = checkOneof('action', wire, ['assistantText', 'toolCall', 'finalText']);
  switch (member) {
    case 'assistantText': {
      const text = checkText('assistant_text', wire.assistantText ?? '', assistantTextBytesMax);
      return { kind: 'assistant_text', text };
    }
    case 'finalText': {
      const text = checkText('final_text', wire.finalText ?? '', assistantTextBytesMax);
      return { kind: 'final_text', text };
    }
    case 'toolCall': {
      // Both are the model's words: an empty or unknown name is for the environment to answer.
      const { name = '', argumentsJson = '' } = wire.toolCall ?? {};
      return {
        kind: 'tool_call',
        name: checkText('tool_call.name', name, argumentsBytesMax),
        argumentsJson: checkText('tool_call.arguments_json', argumentsJson, argumentsBytesMax),
      };
    }
  }
}

/** Checks a Score request. Throws INVALID_FIELD. */
export function decodeScore(wire: ScoreRequest__Output): ScoreRequest {
  const modes = wire.comparisonModes;
  if (modes.length > COMPARISON_MODE_COUNT_MAX) {
    const problem = `${modes.length} are too many; at most ${COMPARISON_MODE_COUNT_MAX}`;
    throw invalidField('comparison_modes', problem);
  }
  const answer = checkOneof('answer', wire, ['completion', 'sql']);
  return {
    task: decodeTask(wire),
    answer:
      answer === 'completion'
        ? {
            kind: 'completion',
            text: checkText('completion', wire.completion ?? '', assistantTextBytesMax),
          }
        : { kind: 'sql', sql: checkText('sql', wire.sql ?? '', sqlBytesMax) },
    comparisonModes: modes.map((mode, index) => decodeMode(`comparison_modes[${index}]`, mode)),
    score: decodeScoreOptions(wire.score),
    limits: decodeLimits(wire.limits),
    goldSha256: checkSha256('gold_sha256', wire.goldSha256),
    includeGold: wire.includeGold,
  };
}

/** Checks a RunSql request. Throws INVALID_FIELD. */
export function decodeRunSql(wire: RunSqlRequest__Output): RunSqlRequest {
  const input = checkOneof('input', wire, ['query', 'argumentsJson']);
  return {
    databaseId: checkId('database_id', wire.databaseId),
    input:
      input === 'query'
        ? { kind: 'query', sql: checkText('query', wire.query ?? '', sqlBytesMax) }
        : {
            kind: 'arguments',
            argumentsJson: checkText('arguments_json', wire.argumentsJson ?? '', argumentsBytesMax),
          },
    observation: decodeObservation(wire.observation),
    limits: decodeLimits(wire.limits),
  };
}

/** Checks a ListTasks request. Throws INVALID_FIELD. */
export function decodeListTasks(wire: ListTasksRequest__Output): ListTasksRequest {
  const { pageSizeMax } = FIELD_LIMITS;
  if (wire.pageSize > pageSizeMax) {
    const problem = `${wire.pageSize} is not allowed; it must be 1 to ${pageSizeMax}, or 0 for ${PAGE_SIZE_DEFAULT}`;
    throw invalidField('page_size', problem);
  }
  return {
    pageSize: wire.pageSize === 0 ? PAGE_SIZE_DEFAULT : wire.pageSize,
    pageToken: checkText('page_token', wire.pageToken, PAGE_TOKEN_BYTES_MAX),
    split: checkText('split', wire.split, idBytesMax),
    databaseId: checkText('database_id', wire.databaseId, idBytesMax),
    difficulty: checkText('difficulty', wire.difficulty, idBytesMax),
    includeGold: wire.includeGold,
    includeMessages: wire.includeMessages,
    promptStyle: decodePromptStyle(wire.promptStyle),
  };
}

function decodePromptStyle(wire: PromptStyle__Output): PromptStyle | undefined {
  return decodeEnum('prompt_style', wire, 'PROMPT_STYLE_', ['ddl', 'compact']);
}
