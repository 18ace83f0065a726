import { COMPARISON_MODES, type ComparisonMode, type ScoreOptions } from '../../env/grade.ts';
import { FIELD_LIMITS, LIMIT_RANGES, type EpisodeLimits } from '../../env/limits.ts';
import type { ObservationOptions } from '../../env/query.ts';
import type { TaskChoice } from '../episodes/requests.ts';
import type { InlineTask__Output } from '../generated/sqlenv/v1/InlineTask.ts';
import type { Limits__Output } from '../generated/sqlenv/v1/Limits.ts';
import type { ObservationOptions__Output } from '../generated/sqlenv/v1/ObservationOptions.ts';
import type { ScoreOptions__Output } from '../generated/sqlenv/v1/ScoreOptions.ts';
import {
  checkId,
  checkOneof,
  checkRange,
  checkRequiredText,
  checkText,
  decodeEnum,
  invalidField,
  snakeCase,
} from './fields.ts';

/** The names of the limits, in the domain's spelling; the proto has the same ones in its own. */
const LIMIT_NAMES = Object.keys(LIMIT_RANGES) as (keyof EpisodeLimits)[];

/** Code points; far over the size of any result, and still a number that a text can have. */
const TEXT_SIZE_RANGE = { min: 0, max: 10_000_000 };

/** The limits that the caller set; zeros are left out. */
export function decodeLimits(wire: Limits__Output | null): Partial<EpisodeLimits> {
  const limits: { -readonly [K in keyof EpisodeLimits]?: number } = {};
  if (wire === null) return limits;
  for (const name of LIMIT_NAMES) {
    const value = checkRange(`limits.${snakeCase(name)}`, wire[name], LIMIT_RANGES[name]);
    if (value !== undefined) limits[name] = value;
  }
  return limits;
}

/** The observation size that the caller set; what is absent is left out, and 0 is a size. */
export function decodeObservation(
  wire: ObservationOptions__Output | null,
): Partial<ObservationOptions> {
  if (wire === null) return {};
  const side = decodeEnum('observation.truncate_side', wire.truncateSide, 'TRUNCATE_SIDE_', [
    'middle',
    'left',
    'right',
  ]);
  const size = wire.textSizeMax;
  if (size !== undefined && size > TEXT_SIZE_RANGE.max) {
    const problem = `${size} is not allowed; it must be 0 to ${TEXT_SIZE_RANGE.max}`;
    throw invalidField('observation.text_size_max', problem);
  }
  return {
    ...(size === undefined ? {} : { textSizeMax: size }),
    ...(side === undefined ? {} : { truncateSide: side }),
  };
}

/** The scoring that the caller set; zero values are left out. */
export function decodeScoreOptions(wire: ScoreOptions__Output | null): Partial<ScoreOptions> {
  if (wire === null) return {};
  const mode = wire.comparisonMode;
  const options = {
    comparisonMode: mode === '' ? undefined : decodeMode('score.comparison_mode', mode),
    guard: decodeEnum('score.guard', wire.guard, 'REWARD_GUARD_', ['flag', 'strict']),
    scope: decodeEnum('score.scope', wire.scope, 'ANSWER_SCOPE_', ['last_turn', 'transcript']),
    fallback: decodeEnum('score.fallback', wire.fallback, 'ANSWER_FALLBACK_', [
      'statement',
      'none',
    ]),
  };
  // What is undefined must be absent: the defaults are spread under it.
  return Object.fromEntries(
    Object.entries(options).filter(([, value]) => value !== undefined),
  ) as Partial<ScoreOptions>;
}

/** A comparison mode that this server knows. */
export function decodeMode(field: string, mode: string): ComparisonMode {
  const known = COMPARISON_MODES.find((candidate) => candidate === mode);
  if (known !== undefined) return known;
  const shown = mode.length > 50 ? `${mode.slice(0, 50)}...` : mode;
  throw invalidField(
    field,
    `${JSON.stringify(shown)} is not known; it must be one of ${COMPARISON_MODES.join(', ')}`,
  );
}

/** The task by name, or the one that the caller brought along. */
export function decodeTask(wire: {
  readonly taskId?: string;
  readonly inlineTask?: InlineTask__Output | null;
}): TaskChoice {
  const member = checkOneof('task', wire, ['taskId', 'inlineTask']);
  if (member === 'taskId') return { kind: 'named', taskId: checkId('task_id', wire.taskId ?? '') };
  const { taskId = '', databaseId = '', question = '', goldSql = '' } = wire.inlineTask ?? {};
  const { idBytesMax, questionBytesMax, sqlBytesMax } = FIELD_LIMITS;
  return {
    kind: 'inline',
    taskId: checkText('inline_task.task_id', taskId, idBytesMax) || 'inline',
    databaseId: checkId('inline_task.database_id', databaseId),
    question: checkRequiredText('inline_task.question', question, questionBytesMax),
    goldSql: checkRequiredText('inline_task.gold_sql', goldSql, sqlBytesMax),
  };
}
