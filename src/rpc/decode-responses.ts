import type { StepOutcome, TerminationReason, TruncationReason } from '../../env/episode.ts';
import type { ComparisonMode, Grade, ScoreFlag, ScoreOptions, Verdict } from '../../env/grade.ts';
import type { EpisodeLimits } from '../../env/limits.ts';
import type { ObservationOptions, QueryInfo, QueryStatus, TimeLimit } from '../../env/query.ts';
import type { Message } from '../../env/task.ts';
import type { ResetResult, RunSqlResult, ScoreResult, ShownTask } from '../episodes/requests.ts';
import type { Grade__Output } from '../generated/sqlenv/v1/Grade.ts';
import type { Limits__Output } from '../generated/sqlenv/v1/Limits.ts';
import type { Message__Output } from '../generated/sqlenv/v1/Message.ts';
import type { ObservationOptions__Output } from '../generated/sqlenv/v1/ObservationOptions.ts';
import type { QueryInfo__Output } from '../generated/sqlenv/v1/QueryInfo.ts';
import type { ResetResponse__Output } from '../generated/sqlenv/v1/ResetResponse.ts';
import type { RunSqlResponse__Output } from '../generated/sqlenv/v1/RunSqlResponse.ts';
import type { ScoreOptions__Output } from '../generated/sqlenv/v1/ScoreOptions.ts';
import type { ScoreResponse__Output } from '../generated/sqlenv/v1/ScoreResponse.ts';
import type { StepResponse__Output } from '../generated/sqlenv/v1/StepResponse.ts';
import type { Task__Output } from '../generated/sqlenv/v1/Task.ts';

/** The answer to Reset as the service gave it. Throws `Error` where a part is missing that every server sends. */
export function decodeResetResponse(wire: ResetResponse__Output): ResetResult {
  return {
    episodeId: wire.episodeId,
    task: decodeTask(present(wire.task, 'task')),
    messages: wire.messages.map(decodeMessage),
    limits: decodeLimits(present(wire.limits, 'limits')),
    observation: decodeObservation(present(wire.observation, 'observation')),
    score: decodeScore(present(wire.score, 'score')),
  };
}

/** The answer to Step as the service gave it. */
export function decodeStepResponse(wire: StepResponse__Output): StepOutcome {
  return {
    stepIndex: wire.stepIndex,
    messages: wire.messages.map(decodeMessage),
    reward: wire.reward,
    terminated: wire.terminated,
    terminationReason: enumName<TerminationReason>('TERMINATION_REASON_', wire.terminationReason),
    truncated: wire.truncated,
    truncationReason: enumName<TruncationReason>('TRUNCATION_REASON_', wire.truncationReason),
    queries: wire.queries.map(decodeQuery),
    grade: wire.grade === null ? undefined : decodeGrade(wire.grade),
    ignoredCallCount: wire.ignoredCallCount,
    episodeReturn: wire.episodeReturn,
    completionTokenCount: wire.completionTokenCount,
  };
}

/** The answer to Score as the service gave it. */
export function decodeScoreResponse(wire: ScoreResponse__Output): ScoreResult {
  return { grades: wire.grades.map(decodeGrade), goldSql: wire.goldSql };
}

/** The answer to RunSql as the service gave it. Throws `Error` as {@link decodeResetResponse}. */
export function decodeRunSqlResponse(wire: RunSqlResponse__Output): RunSqlResult {
  return {
    message: decodeMessage(present(wire.message, 'message')),
    query: decodeQuery(present(wire.query, 'query')),
  };
}

function decodeTask(wire: Task__Output): ShownTask {
  const { taskId, databaseId, question, split, difficulty, goldSha256, goldSql } = wire;
  const messages = wire.messages.map(decodeMessage);
  return { taskId, databaseId, question, split, difficulty, goldSha256, goldSql, messages };
}

function decodeMessage(wire: Message__Output): Message {
  return { role: wire.role as Message['role'], content: wire.content };
}

function decodeLimits(wire: Limits__Output): EpisodeLimits {
  return { ...wire };
}

function decodeObservation(wire: ObservationOptions__Output): ObservationOptions {
  return {
    textSizeMax: wire.textSizeMax ?? 0,
    truncateSide: requiredName<ObservationOptions['truncateSide']>(
      'TRUNCATE_SIDE_',
      wire.truncateSide,
    ),
  };
}

function decodeScore(wire: ScoreOptions__Output): ScoreOptions {
  return {
    comparisonMode: wire.comparisonMode as ComparisonMode,
    guard: requiredName<ScoreOptions['guard']>('REWARD_GUARD_', wire.guard),
    scope: requiredName<ScoreOptions['scope']>('ANSWER_SCOPE_', wire.scope),
    fallback: requiredName<ScoreOptions['fallback']>('ANSWER_FALLBACK_', wire.fallback),
  };
}

function decodeQuery(wire: QueryInfo__Output): QueryInfo {
  return {
    status: requiredName<QueryStatus>('QUERY_STATUS_', wire.status),
    sql: wire.sql,
    rowCount: wire.rowCount,
    capped: wire.capped,
    textTruncated: wire.textTruncated,
    textSize: wire.textSize,
    queryCpuUs: wire.queryCpuUs,
    queryUs: wire.queryUs,
    queueUs: wire.queueUs,
    timeLimit: enumName<TimeLimit>('TIME_LIMIT_', wire.timeLimit) ?? 'none',
  };
}

function decodeGrade(wire: Grade__Output): Grade {
  return {
    comparisonMode: wire.comparisonMode as ComparisonMode,
    verdict: requiredName<Verdict>('VERDICT_', wire.verdict),
    matched: wire.matched,
    reward: wire.reward,
    flags: wire.flags.map((flag) => requiredName<ScoreFlag>('SCORE_FLAG_', flag)),
    answerSql: wire.answerSql,
    errorText: wire.errorText,
    answerQuery: wire.answerQuery === null ? undefined : decodeQuery(wire.answerQuery),
    goldRowCount: wire.goldRowCount,
  };
}

function present<Part>(part: Part | null, name: string): Part {
  if (part === null) throw new Error(`the server's response has no ${name}`);
  return part;
}

/** `QUERY_STATUS_SQL_ERROR` is `sql_error`; undefined for the zero value. A newer server's names pass as they are. */
function enumName<Name extends string>(prefix: string, wire: string): Name | undefined {
  const name = wire.slice(prefix.length).toLowerCase();
  return name === 'unspecified' ? undefined : (name as Name);
}

function requiredName<Name extends string>(prefix: string, wire: string): Name {
  return enumName<Name>(prefix, wire) ?? ('unspecified' as Name);
}
