import type { Action } from '../../env/action.ts';
import { COMPARISON_MODES, type ComparisonMode } from '../../env/grade.ts';
import type { OnMalformed } from '../../env/episode.ts';
import type { EpisodeLimits } from '../../env/limits.ts';
import type { PromptStyle } from '../../env/prompt.ts';
import type { ObservationOptions } from '../../env/query.ts';
import type { ScoreOptions } from '../../env/grade.ts';
import type { Trajectory, TrajectoryAction } from '../../env/trajectory.ts';
import type { ResetRequest, ScoreRequest } from '../episodes/requests.ts';
import { InputError } from '../tasks/task-set.ts';

/** Label of the episodes that replays open: whose actions they repeat. */
const REPLAY_LABEL = 'replay_of';

/** The Reset that opens an episode like the recorded one, under another id. Throws `InputError` for options that are unknown here. */
export function resetRequestOf(
  trajectory: Trajectory,
  episodeId: string,
  goldSql: string,
): ResetRequest {
  return {
    episodeId,
    task: taskOf(trajectory, goldSql),
    limits: limitsOf(trajectory),
    observation: observationOf(trajectory),
    // A replay is no training, whatever the episode was.
    mode: 'eval',
    groupId: '',
    labels: { [REPLAY_LABEL]: trajectory.episode_id },
    promptStyle: promptStyleOf(trajectory),
    onMalformed: onMalformedOf(trajectory),
    score: scoreOptionsOf(trajectory),
    goldSha256: '',
  };
}

/** The Score request for a SQL text as the answer of a recorded episode. Throws `InputError` as {@link resetRequestOf}. */
export function scoreRequestOf(
  trajectory: Trajectory,
  goldSql: string,
  answerSql: string,
  mode: ComparisonMode,
): ScoreRequest {
  return {
    task: taskOf(trajectory, goldSql),
    answer: { kind: 'sql', sql: answerSql },
    comparisonModes: [mode],
    score: scoreOptionsOf(trajectory),
    limits: limitsOf(trajectory),
    goldSha256: '',
    includeGold: true,
  };
}

/** The limits that were in force. */
export function limitsOf({ limits }: Trajectory): EpisodeLimits {
  return {
    stepCountMax: limits.step_count_max,
    invalidCallCountMax: limits.invalid_call_count_max,
    parallelCallCountMax: limits.parallel_call_count_max,
    completionTokenCountMax: limits.completion_token_count_max,
    queryCpuMsMax: limits.query_cpu_ms_max,
    queryWallMsMax: limits.query_wall_ms_max,
    rowCountMax: limits.row_count_max,
    cellBytesMax: limits.cell_bytes_max,
    resultBytesMax: limits.result_bytes_max,
  };
}

/** How observations were shortened. */
export function observationOf({ observation }: Trajectory): ObservationOptions {
  return {
    textSizeMax: observation.text_size_max,
    truncateSide: observation.truncate_side,
  };
}

/** How the answer was scored. Throws `InputError` for a comparison mode that is unknown here. */
export function scoreOptionsOf({ score }: Trajectory): ScoreOptions {
  return {
    comparisonMode: comparisonModeOf(score.comparison_mode),
    guard: score.guard,
    scope: score.scope,
    fallback: score.fallback,
  };
}

/** A comparison mode by its name. Throws `InputError` if it is unknown here. */
export function comparisonModeOf(name: string): ComparisonMode {
  return known('comparison mode', name, COMPARISON_MODES);
}

/** How the prompt showed the schema. Throws `InputError` if it is unknown here. */
export function promptStyleOf({ prompt_style: style }: Trajectory): PromptStyle {
  return known('prompt style', style, ['ddl', 'compact']);
}

/** What happened to malformed tool calls. Throws `InputError` if it is unknown here. */
export function onMalformedOf({ on_malformed: rule }: Trajectory): OnMalformed {
  return known('rule for malformed calls', rule, ['end', 'observe']);
}

/** A recorded action as it was sent. */
export function actionOf(action: TrajectoryAction): Action {
  if (action.kind !== 'tool_call') return { kind: action.kind, text: action.text };
  return { kind: action.kind, name: action.name, argumentsJson: action.arguments_json };
}

/** Brought along by the caller, so that prompts are the recorded ones whatever the tasks are by now. */
function taskOf(trajectory: Trajectory, goldSql: string): ResetRequest['task'] {
  const { task_id: taskId, database_id: databaseId, question } = trajectory;
  return { kind: 'inline', taskId, databaseId, question, goldSql };
}

function known<Name extends string>(what: string, name: string, names: readonly Name[]): Name {
  const found = names.find((candidate) => candidate === name);
  if (found !== undefined) return found;
  throw new InputError(`it was recorded with the ${what} ${name}, which this version doesn't know`);
}
