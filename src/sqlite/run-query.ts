import type { QueryLimits } from '../../env/limits.ts';
import {
  createObservationWriter,
  noResultText,
  type ObservationText,
} from '../../env/observation.ts';
import { checkSql } from './check-sql.ts';
import type { Connection } from './connection.ts';
import { guardedRun, noTimes } from './guarded-run.ts';
import type { WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';
import { queryFailed, queryRan } from './query-reply.ts';

type RunQueryMessage = Extract<WorkerMessage, { kind: 'run_query' }>;

/** Runs a query of the model and writes what the model reads. */
export function runQuery(
  guard: NativeGuard,
  connection: Connection,
  message: RunQueryMessage,
): WorkerReply {
  const check = checkSql(message.sql);
  if (check === 'empty') {
    const nothing = { text: noResultText(), rowCount: 0, capped: false };
    return queryRan(message, nothing, 'ok', noTimes(), false);
  }
  if (check !== 'run') return queryFailed(message, check, noTimes(), false);

  const outcome = guardedRun(guard, connection, message, () =>
    fetchObservation(connection, message.sql, message.limits),
  );
  const { times, facts } = outcome;
  if (outcome.kind === 'failed') {
    return queryFailed(message, outcome.failure, times, facts.volatile);
  }
  return queryRan(message, outcome.value, 'ok', times, facts.volatile);
}

function fetchObservation(
  connection: Connection,
  sql: string,
  limits: QueryLimits,
): ObservationText {
  // One row more than fits tells a result that just does from one that was cut.
  return connection.run(sql, limits.rowCountMax + 1, (columns) =>
    createObservationWriter(columns, limits),
  );
}
