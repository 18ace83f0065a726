import { scoreFlags } from '../../env/answer-flags.ts';
import type { ComparisonMode, Judgement, Verdict } from '../../env/grade.ts';
import type { QueryInfo, QueryStatus, TimeLimit } from '../../env/query.ts';
import { timeLimitMessage } from '../../env/refusals.ts';
import { missingAnswer } from '../../env/reward.ts';
import { toldTimeLimit, type RunFailure } from './failure.ts';
import { sha256 } from './hash.ts';
import type { RunTimes, WorkerMessage, WorkerReply } from './messages.ts';

type GradeMessage = Extract<WorkerMessage, { kind: 'grade_answer' }>;

/** How much of an answer's result was fetched. */
interface AnswerSize {
  readonly rowKeys: { readonly length: number };
  readonly over: 'none' | 'rows' | 'size';
}

const NOTHING: AnswerSize = { rowKeys: [], over: 'none' };

/** The reply of an answer that failed; failures that are not its own are passed on. */
export function answerFailed(
  message: GradeMessage,
  failure: RunFailure,
  times: RunTimes,
  isVolatile: boolean,
): WorkerReply {
  const say = (
    verdict: Verdict,
    status: QueryStatus,
    errorText: string,
    timeLimit: TimeLimit = 'none',
  ): WorkerReply => {
    const flags = scoreFlags(message.gold, { kind: 'failed', timeLimit }, sha256);
    const query = answerQuery(message, status, times, NOTHING, timeLimit);
    const judgements = message.comparisonModes.map((mode) =>
      judgement(message, mode, verdict, flags, errorText, query),
    );
    const lasting = !isVolatile && status !== 'time_limit' && status !== 'too_big';
    return { kind: 'graded', judgements, lasting, times };
  };
  switch (failure.kind) {
    case 'sql_error':
      return say('answer_sql_error', 'sql_error', failure.message);
    case 'forbidden':
      return say('answer_forbidden', 'forbidden', failure.message);
    case 'too_big':
      return say('answer_too_big', 'too_big', failure.message);
    case 'time_limit': {
      if (message.trial) return { kind: 'slow', times };
      const told = toldTimeLimit(failure.timeLimit, message.limits);
      return say('answer_time_limit', 'time_limit', timeLimitMessage(told, message.limits), told);
    }
    case 'cancelled':
    case 'database_broken':
    case 'internal':
      return failure;
  }
}

/** One mode's judgement. */
export function judgement(
  message: GradeMessage,
  comparisonMode: ComparisonMode,
  verdict: Verdict,
  flags: Judgement['flags'],
  errorText: string,
  query: QueryInfo,
): Judgement {
  return {
    comparisonMode,
    verdict,
    flags,
    errorText,
    answerQuery: query,
    goldRowCount: message.gold.rowCount,
  };
}

/** What is known of the answer's run. */
export function answerQuery(
  message: GradeMessage,
  status: QueryStatus,
  times: RunTimes,
  answer: AnswerSize,
  timeLimit: TimeLimit = 'none',
): QueryInfo {
  return {
    status,
    sql: message.answerSql,
    rowCount: answer.rowKeys.length,
    capped: answer.over !== 'none',
    textTruncated: false,
    textSize: 0,
    queryCpuUs: times.cpuUs,
    queryUs: times.wallUs,
    queueUs: 0,
    timeLimit,
  };
}

/** The reply where there is nothing to run: an answer of blanks and comments. */
export function answerMissing(message: GradeMessage, times: RunTimes): WorkerReply {
  const judgements = message.comparisonModes.map((mode) => ({
    ...missingAnswer(mode),
    goldRowCount: message.gold.rowCount,
  }));
  return { kind: 'graded', judgements, lasting: true, times };
}
