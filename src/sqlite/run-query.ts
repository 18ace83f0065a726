import type { QueryLimits } from '../../env/limits.ts';
import {
  createObservationWriter,
  noResultText,
  type ObservationText,
} from '../../env/observation.ts';
import { checkSql } from './check-sql.ts';
import type { Connection } from './connection.ts';
import { ForbiddenStatement } from './failure.ts';
import { guardedRun } from './guarded-run.ts';
import type { WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';
import { queryFailed, queryRan } from './query-reply.ts';

type RunQueryMessage = Extract<WorkerMessage, { kind: 'run_query' }>;

/** What a query is charged that never started. */
const NO_TIME = { cpuUs: 0, wallUs: 0 };

/** Runs a query of the model and writes what the model reads. */
export function runQuery(
  guard: NativeGuard,
  connection: Connection,
  message: RunQueryMessage,
): WorkerReply {
  const startedUs = Number(process.hrtime.bigint() / 1_000n);
  const check = checkSql(message.sql);
  if (check === 'empty') {
    const nothing = { text: noResultText(), rowCount: 0, capped: false };
    return queryRan(message, nothing, 'ok', { startedUs, ...NO_TIME }, false);
  }
  if (check !== 'run') return queryFailed(message, check, { startedUs, ...NO_TIME }, false);

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
  const statement = connection.start(sql);
  if (!statement) throw new ForbiddenStatement();
  const writer = createObservationWriter(statement.columns, limits);
  for (const row of statement.rows) {
    if (!writer.addRow(row)) break;
  }
  return writer.finish();
}
