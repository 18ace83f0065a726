import type { Action } from '../../env/action.ts';
import type { StepOutcome } from '../../env/episode.ts';
import type { Grade } from '../../env/grade.ts';
import type { EpisodeLimits } from '../../env/limits.ts';
import type { QueryInfo } from '../../env/query.ts';
import {
  TRAJECTORY_VERSION,
  type Trajectory,
  type TrajectoryAction,
  type TrajectoryEnd,
  type TrajectoryGrade,
  type TrajectoryLimits,
  type TrajectoryQuery,
  type TrajectoryStep,
} from '../../env/trajectory.ts';
import type { EngineInfo } from './ports.ts';
import type { EpisodeFacts, ResetRequest, StepRequest } from './requests.ts';
import type { AnsweredStep } from './store.ts';

/** What is recorded of an episode; an open one of the store has all of it. */
export interface RecordedEpisode {
  readonly facts: Omit<EpisodeFacts, 'goldRowCount' | 'startedMs'>;
  readonly state: { readonly episodeReturn: number; readonly completionTokenCount: number };
  readonly steps: readonly TrajectoryStep[];
  /** Undefined if no step was taken. */
  readonly lastStep: { readonly outcome: StepOutcome } | undefined;
}

/** What all trajectories of one server share. */
export interface TrajectoryContext {
  readonly serverVersion: string;
  readonly engine: EngineInfo;
  readonly catalogSha256: string;
  readonly recordGold: boolean;
}

/** The record of an episode that is over. */
export function trajectoryOf(
  episode: RecordedEpisode,
  end: TrajectoryEnd,
  endedWallMs: number,
  context: TrajectoryContext,
): Trajectory {
  const { facts, state } = episode;
  const { task } = facts;
  const last = episode.lastStep?.outcome;
  return {
    version: TRAJECTORY_VERSION,
    episode_id: facts.episodeId,
    task_id: task.taskId,
    database_id: task.databaseId,
    question: task.question,
    split: task.split,
    difficulty: task.difficulty,
    gold_sha256: facts.goldSha256,
    ...(context.recordGold ? { gold_sql: task.goldSql } : {}),
    inline_task: facts.inlineTask,
    group_id: facts.groupId,
    labels: facts.labels,
    mode: facts.mode,
    server_version: context.serverVersion,
    engine: {
      sqlite_version: context.engine.sqliteVersion,
      engine_sha256: context.engine.engineSha256,
    },
    catalog_sha256: context.catalogSha256,
    ...optionsOf(facts),
    messages: facts.messages,
    steps: episode.steps,
    end,
    termination_reason: last?.terminationReason ?? '',
    truncation_reason: last?.truncationReason ?? '',
    return: state.episodeReturn,
    completion_token_count: state.completionTokenCount,
    grade: last?.grade === undefined ? null : gradeRecord(last.grade),
    started_at: new Date(facts.startedWallMs).toISOString(),
    ended_at: new Date(endedWallMs).toISOString(),
  };
}

/** The record of one step. */
export function stepRecord(
  request: StepRequest,
  outcome: StepOutcome,
  startedMs: number,
  stepMs: number,
): TrajectoryStep {
  return {
    step_index: outcome.stepIndex,
    action: actionRecord(request.action),
    completion_token_count: request.completionTokenCount,
    messages: outcome.messages,
    queries: outcome.queries.map(queryRecord),
    reward: outcome.reward,
    ignored_call_count: outcome.ignoredCallCount,
    started_ms: Math.round(startedMs),
    step_ms: Math.round(stepMs * 1_000) / 1_000,
  };
}

/** Characters of a step's texts, about: what keeping it costs. */
export function stepTextSize(step: TrajectoryStep): number {
  const { action, messages, queries } = step;
  const actionSize =
    action.kind === 'tool_call'
      ? action.name.length + action.arguments_json.length
      : action.text.length;
  return (
    actionSize +
    textSize(
      messages.map((message) => message.content),
      queries,
    )
  );
}

/** Characters of what is kept of a step for its repeats, about. */
export function answeredTextSize({ request, outcome }: AnsweredStep): number {
  const { action } = request;
  const { messages, queries, grade } = outcome;
  const actionSize =
    action.kind === 'tool_call'
      ? action.name.length + action.argumentsJson.length
      : action.text.length;
  const gradeSize = grade === undefined ? 0 : 2 * grade.answerSql.length + grade.errorText.length;
  const texts = messages.map((message) => message.content);
  return actionSize + gradeSize + textSize(texts, queries);
}

/** Characters of what a Reset brought along and the server's tasks don't hold, about. */
export function resetTextSize({ task, labels }: ResetRequest): number {
  const inlineSize = task.kind === 'inline' ? task.question.length + task.goldSql.length : 0;
  const words = Object.entries(labels).flat();
  return words.reduce((sum, word) => sum + word.length, inlineSize);
}

function textSize(texts: readonly string[], queries: readonly { readonly sql: string }[]): number {
  // Each entry costs its object, too.
  return [...texts, ...queries.map((query) => query.sql)].reduce(
    (sum, text) => sum + text.length + 200,
    0,
  );
}

function optionsOf(
  facts: RecordedEpisode['facts'],
): Pick<Trajectory, 'limits' | 'observation' | 'score' | 'prompt_style' | 'on_malformed'> {
  const { observation, score } = facts;
  return {
    limits: limitsRecord(facts.limits),
    observation: {
      text_size_max: observation.textSizeMax,
      truncate_side: observation.truncateSide,
    },
    score: {
      comparison_mode: score.comparisonMode,
      guard: score.guard,
      scope: score.scope,
      fallback: score.fallback,
    },
    prompt_style: facts.promptStyle,
    on_malformed: facts.onMalformed,
  };
}

function limitsRecord(limits: EpisodeLimits): TrajectoryLimits {
  return {
    step_count_max: limits.stepCountMax,
    invalid_call_count_max: limits.invalidCallCountMax,
    parallel_call_count_max: limits.parallelCallCountMax,
    completion_token_count_max: limits.completionTokenCountMax,
    query_cpu_ms_max: limits.queryCpuMsMax,
    query_wall_ms_max: limits.queryWallMsMax,
    row_count_max: limits.rowCountMax,
    cell_bytes_max: limits.cellBytesMax,
    result_bytes_max: limits.resultBytesMax,
  };
}

function actionRecord(action: Action): TrajectoryAction {
  if (action.kind !== 'tool_call') return { kind: action.kind, text: action.text };
  return { kind: action.kind, name: action.name, arguments_json: action.argumentsJson };
}

/** The record of what is known of a query; its times as whole microseconds. */
export function queryRecord(query: QueryInfo): TrajectoryQuery {
  return {
    status: query.status,
    sql: query.sql,
    row_count: query.rowCount,
    capped: query.capped,
    text_truncated: query.textTruncated,
    text_size: query.textSize,
    query_cpu_us: Math.round(query.queryCpuUs),
    query_us: Math.round(query.queryUs),
    queue_us: Math.round(query.queueUs),
    time_limit: query.timeLimit,
  };
}

/** The record of a verdict. */
export function gradeRecord(grade: Grade): TrajectoryGrade {
  return {
    comparison_mode: grade.comparisonMode,
    verdict: grade.verdict,
    matched: grade.matched,
    reward: grade.reward,
    flags: grade.flags,
    answer_sql: grade.answerSql,
    error_text: grade.errorText,
    answer_query: grade.answerQuery === undefined ? null : queryRecord(grade.answerQuery),
    gold_row_count: grade.goldRowCount,
  };
}
