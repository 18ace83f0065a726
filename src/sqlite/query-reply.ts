import { errorText, type ObservationText } from '../../env/observation.ts';
import type { QueryInfo, QueryStatus, TimeLimit } from '../../env/query.ts';
import { timeLimitMessage } from '../../env/refusals.ts';
import { truncateText } from '../../env/truncate.ts';
import { toldTimeLimit, type RunFailure } from './failure.ts';
import type { RunTimes, WorkerMessage, WorkerReply } from './messages.ts';

type RunQueryMessage = Extract<WorkerMessage, { kind: 'run_query' }>;

/** The reply of a query that ran, or that was refused with a text for the model. `isVolatile`: asked again, it may differ. */
export function queryRan(
  message: RunQueryMessage,
  observation: ObservationText,
  status: QueryStatus,
  times: RunTimes,
  isVolatile: boolean,
  timeLimit: TimeLimit = 'none',
): WorkerReply {
  const shown = truncateText(observation.text, message.observation);
  const query: QueryInfo = {
    status,
    sql: message.sql,
    rowCount: observation.rowCount,
    capped: observation.capped,
    textTruncated: shown.truncated,
    textSize: shown.textSize,
    queryCpuUs: times.cpuUs,
    queryUs: times.wallUs,
    queueUs: 0,
    timeLimit,
  };
  // What went over a limit of time or memory may fit the next time.
  const lasting = !isVolatile && status !== 'time_limit' && status !== 'too_big';
  return { kind: 'ran', text: shown.text, query, lasting, times };
}

/** The reply of a query that failed; failures that are not its own are passed on. */
export function queryFailed(
  message: RunQueryMessage,
  failure: RunFailure,
  times: RunTimes,
  isVolatile: boolean,
): WorkerReply {
  const say = (text: string, status: QueryStatus, timeLimit: TimeLimit = 'none') =>
    queryRan(
      message,
      { text: errorText(text), rowCount: 0, capped: false },
      status,
      times,
      isVolatile,
      timeLimit,
    );
  switch (failure.kind) {
    case 'sql_error':
      return say(failure.message, 'sql_error');
    case 'forbidden':
      return say(failure.message, 'forbidden');
    case 'too_big':
      return say(failure.message, 'too_big');
    case 'time_limit': {
      if (message.trial) return { kind: 'slow', times };
      const told = toldTimeLimit(failure.timeLimit, message.limits);
      return say(timeLimitMessage(told, message.limits), 'time_limit', told);
    }
    case 'cancelled':
    case 'database_broken':
    case 'internal':
      return failure;
  }
}
