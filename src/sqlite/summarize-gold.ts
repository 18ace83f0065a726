import { GOLD_LIMITS } from '../../env/limits.ts';
import { summarizeGold as summarize, type GoldFacts } from '../../env/compare/summary.ts';
import { deriveTies, type Ties } from '../../env/compare/ties.ts';
import { timeLimitMessage } from '../../env/refusals.ts';
import { sortKeyQuery } from '../../env/sort-keys.ts';
import { callsVolatileFunction, hasTopLevelOrderBy } from '../../env/sql-text.ts';
import { checkSql } from './check-sql.ts';
import type { Connection } from './connection.ts';
import type { RunFailure } from './failure.ts';
import { fetchKeys, fetchRows, KEY_SIZE_MAX, NO_ROWS, type FetchedKeys } from './fetch-keys.ts';
import { guardedRun, noTimes } from './guarded-run.ts';
import { sha256 } from './hash.ts';
import type { RunTimes, WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';

type GoldMessage = Extract<WorkerMessage, { kind: 'summarize_gold' }>;

/** Runs a task's gold once and digests its result, so that every answer can be compared with it on any thread. */
export function summarizeGold(
  guard: NativeGuard,
  connection: Connection,
  message: GoldMessage,
): WorkerReply {
  const check = checkSql(message.goldSql);
  if (check === 'empty') return broken('the gold SQL is empty', noTimes());
  if (check !== 'run') return failed(message, check, noTimes());

  const outcome = guardedRun(guard, connection, message, () =>
    fetchKeys(connection, message.goldSql, {
      rowCountMax: message.rowCountMax,
      keySizeMax: KEY_SIZE_MAX,
    }),
  );
  if (outcome.kind === 'failed') return failed(message, outcome.failure, outcome.times);
  if (outcome.value.over !== 'none') {
    return broken(
      `the gold's result has over ${message.rowCountMax} rows or is too big`,
      outcome.times,
    );
  }
  const ties = findTies(guard, connection, message, outcome.value);
  if (ties === 'slow') return { kind: 'slow', times: outcome.times };
  const facts: GoldFacts = {
    columnCount: outcome.value.columnCount,
    orderMatters: hasTopLevelOrderBy(message.goldSql),
    ties,
    volatile: callsVolatileFunction(message.goldSql),
  };
  return {
    kind: 'gold',
    gold: summarize(outcome.value.rowKeys, facts, sha256),
    times: outcome.times,
  };
}

/** Ties are extra knowledge: where they can't be had, the gold's own order is the right one. */
function findTies(
  guard: NativeGuard,
  connection: Connection,
  message: GoldMessage,
  gold: FetchedKeys,
): Ties | undefined | 'slow' {
  const keys = sortKeyQuery(message.goldSql);
  if (!keys || gold === NO_ROWS) return undefined;
  const outcome = guardedRun(guard, connection, message, () =>
    fetchRows(connection, keys.sql, gold.rowKeys.length + 2),
  );
  if (outcome.kind === 'failed') {
    return outcome.failure.kind === 'time_limit' && message.trial ? 'slow' : undefined;
  }
  return deriveTies({
    goldRowKeys: gold.rowKeys,
    keyRows: outcome.value,
    keyCount: keys.keyCount,
    limit: keys.limit,
  });
}

function failed(message: GoldMessage, failure: RunFailure, times: RunTimes): WorkerReply {
  switch (failure.kind) {
    case 'sql_error':
    case 'forbidden':
    case 'too_big':
      return broken(failure.message, times);
    case 'time_limit':
      if (message.trial) return { kind: 'slow', times };
      // Out of CPU time the gold is too slow, whatever the machine does; out of wall time the machine may be.
      if (failure.timeLimit === 'wall') return { kind: 'starved' };
      return broken(timeLimitMessage('cpu', GOLD_LIMITS), times);
    case 'cancelled':
    case 'database_broken':
    case 'internal':
      return failure;
  }
}

function broken(message: string, times: RunTimes): WorkerReply {
  return { kind: 'gold_broken', message, times };
}
