import type { StepOutcome } from '../../env/episode.ts';
import type { Grade, ScoreOptions } from '../../env/grade.ts';
import { FIELD_LIMITS, type EpisodeLimits } from '../../env/limits.ts';
import type { ObservationOptions, QueryInfo } from '../../env/query.ts';
import type { Message } from '../../env/task.ts';
import { escapeLoneSurrogates, utf8Size } from '../../env/utf8.ts';
import type {
  ListTasksResult,
  ResetResult,
  RunSqlResult,
  ScoreResult,
  ShownTask,
} from '../episodes/requests.ts';
import type { ServerInfo } from '../episodes/server-info.ts';
import type { GetInfoResponse } from '../generated/sqlenv/v1/GetInfoResponse.ts';
import type { Grade as WireGrade } from '../generated/sqlenv/v1/Grade.ts';
import type { ListTasksResponse } from '../generated/sqlenv/v1/ListTasksResponse.ts';
import type { Message as WireMessage } from '../generated/sqlenv/v1/Message.ts';
import type { ObservationOptions as WireObservation } from '../generated/sqlenv/v1/ObservationOptions.ts';
import type { QueryInfo as WireQueryInfo } from '../generated/sqlenv/v1/QueryInfo.ts';
import type { ResetResponse } from '../generated/sqlenv/v1/ResetResponse.ts';
import type { RunSqlResponse } from '../generated/sqlenv/v1/RunSqlResponse.ts';
import type { ScoreOptions as WireScoreOptions } from '../generated/sqlenv/v1/ScoreOptions.ts';
import type { ScoreResponse } from '../generated/sqlenv/v1/ScoreResponse.ts';
import type { StepResponse } from '../generated/sqlenv/v1/StepResponse.ts';
import type { Task as WireTask } from '../generated/sqlenv/v1/Task.ts';
import { encodeEnum } from './fields.ts';

/** The answer to Reset. */
export function encodeReset(
  result: ResetResult,
  toolSchemaJson: string,
  leaseMs: number,
): ResetResponse {
  return {
    episodeId: result.episodeId,
    task: encodeTask(result.task),
    messages: result.messages.map(encodeMessage),
    toolSchemaJson,
    limits: encodeLimits(result.limits),
    observation: encodeObservation(result.observation),
    leaseMs,
    score: encodeScoreOptions(result.score),
  };
}

/** The answer to Step. */
export function encodeStep(result: StepOutcome): StepResponse {
  const { terminationReason, truncationReason } = result;
  return {
    stepIndex: result.stepIndex,
    messages: result.messages.map(encodeMessage),
    reward: result.reward,
    terminated: result.terminated,
    terminationReason: encodeEnum('TERMINATION_REASON_', terminationReason ?? 'unspecified'),
    truncated: result.truncated,
    truncationReason: encodeEnum('TRUNCATION_REASON_', truncationReason ?? 'unspecified'),
    queries: result.queries.map(encodeQueryInfo),
    grade: result.grade === undefined ? null : encodeGrade(result.grade),
    ignoredCallCount: result.ignoredCallCount,
    episodeReturn: result.episodeReturn,
    completionTokenCount: result.completionTokenCount,
  };
}

/** The answer to Score. */
export function encodeScore(result: ScoreResult): ScoreResponse {
  return { grades: result.grades.map(encodeGrade), goldSql: wellFormed(result.goldSql) };
}

/** The answer to RunSql. */
export function encodeRunSql(result: RunSqlResult): RunSqlResponse {
  return { message: encodeMessage(result.message), query: encodeQueryInfo(result.query) };
}

/** The answer to ListTasks. */
export function encodeListTasks(result: ListTasksResult): ListTasksResponse {
  return {
    tasks: result.tasks.map(encodeTask),
    nextPageToken: result.nextPageToken,
    totalCount: result.totalCount,
  };
}

/** The answer to GetInfo. */
export function encodeGetInfo(info: ServerInfo, toolSchemaJson: string): GetInfoResponse {
  return {
    version: info.version,
    sqliteVersion: info.engine.sqliteVersion,
    engineSha256: info.engine.engineSha256,
    catalogSha256: info.catalogSha256,
    taskCount: info.taskCount,
    databaseCount: info.databaseCount,
    splitTaskCounts: Object.fromEntries(info.splitTaskCounts),
    limits: encodeLimits(info.defaults.limits),
    observation: encodeObservation(info.defaults.observation),
    score: encodeScoreOptions(info.defaults.score),
    comparisonModes: [...info.comparisonModes],
    toolSchemaJson,
    episodeCount: info.episodeCount,
    episodeCountMax: info.episodeCountMax,
    leaseMs: info.leaseMs,
    draining: info.draining,
    queuedQueryCount: info.executor.queuedCount,
    runningQueryCount: info.executor.runningCount,
    oldestQueryMs: Math.round(info.executor.oldestQueryMs),
    lostWorkerCount: info.executor.lostWorkerCount,
  };
}

function encodeTask(task: ShownTask): WireTask {
  return {
    taskId: wellFormed(task.taskId),
    databaseId: wellFormed(task.databaseId),
    question: wellFormed(task.question),
    split: wellFormed(task.split),
    difficulty: wellFormed(task.difficulty),
    goldSha256: task.goldSha256,
    goldSql: wellFormed(task.goldSql),
    messages: task.messages.map(encodeMessage),
  };
}

function encodeMessage(message: Message): WireMessage {
  return { role: message.role, content: wellFormed(message.content) };
}

/** The limits on the wire; the names are the domain's, in the proto's spelling. */
export function encodeLimits(limits: EpisodeLimits): EpisodeLimits {
  return { ...limits };
}

function encodeObservation(observation: ObservationOptions): WireObservation {
  return {
    textSizeMax: observation.textSizeMax,
    truncateSide: encodeEnum('TRUNCATE_SIDE_', observation.truncateSide),
  };
}

function encodeScoreOptions(score: ScoreOptions): WireScoreOptions {
  return {
    comparisonMode: score.comparisonMode,
    guard: encodeEnum('REWARD_GUARD_', score.guard),
    scope: encodeEnum('ANSWER_SCOPE_', score.scope),
    fallback: encodeEnum('ANSWER_FALLBACK_', score.fallback),
  };
}

function encodeQueryInfo(query: QueryInfo): WireQueryInfo {
  return {
    status: encodeEnum('QUERY_STATUS_', query.status),
    // SQL over the limit never ran; its text would only fill the message.
    sql: isOverLimit(query.sql) ? '' : wellFormed(query.sql),
    rowCount: query.rowCount,
    capped: query.capped,
    textTruncated: query.textTruncated,
    textSize: query.textSize,
    queryCpuUs: Math.round(query.queryCpuUs),
    queryUs: Math.round(query.queryUs),
    queueUs: Math.round(query.queueUs),
    timeLimit: encodeEnum(
      'TIME_LIMIT_',
      query.timeLimit === 'none' ? 'unspecified' : query.timeLimit,
    ),
  };
}

function isOverLimit(sql: string): boolean {
  // A character takes three bytes at most, and most SQL is short.
  return sql.length * 3 > FIELD_LIMITS.sqlBytesMax && utf8Size(sql) > FIELD_LIMITS.sqlBytesMax;
}

function encodeGrade(grade: Grade): WireGrade {
  return {
    comparisonMode: grade.comparisonMode,
    verdict: encodeEnum('VERDICT_', grade.verdict),
    matched: grade.matched,
    reward: grade.reward,
    flags: grade.flags.map((flag) => encodeEnum('SCORE_FLAG_', flag)),
    answerSql: wellFormed(grade.answerSql),
    errorText: wellFormed(grade.errorText),
    answerQuery: grade.answerQuery === undefined ? null : encodeQueryInfo(grade.answerQuery),
    goldRowCount: grade.goldRowCount,
  };
}

/** Half a surrogate pair has no UTF-8: protobufs that hold one can't be read by most clients. */
function wellFormed(text: string): string {
  return escapeLoneSurrogates(text);
}
