import type { CancelSignal } from '../cancel.ts';
import { ServerError } from '../errors.ts';
import type { ExecutorFailure, GoldBroken } from './ports.ts';

/** What failed, for the message and the log. */
export interface FailureContext {
  readonly databaseId: string;
  readonly taskId?: string | undefined;
  readonly episodeId?: string | undefined;
  /** The caller may see the gold, and so SQLite's words about it, which can hold some of it. */
  readonly includeGold?: boolean | undefined;
}

/** The error of a call whose query could not be run. None of them is the model's fault, so none becomes a reward. */
export function failureError(
  failure: ExecutorFailure | GoldBroken,
  context: FailureContext,
  signal: CancelSignal,
): Error {
  const { databaseId, taskId = '', includeGold = false } = context;
  const metadata = Object.fromEntries(
    Object.entries(context).filter(([, value]) => typeof value === 'string'),
  ) as Record<string, string>;
  switch (failure.kind) {
    case 'overloaded':
      return new ServerError(
        'OVERLOADED',
        `${failure.message ?? 'too many queries are waiting'}; retry later`,
        { metadata },
      );
    case 'cancelled':
      if (signal.aborted) return signal.reason as Error;
      return new ServerError('INTERNAL', 'a query was cancelled by nobody', { metadata });
    case 'worker_lost':
      return new ServerError(
        'WORKER_LOST',
        'the thread that ran the query died; nothing was scored, and the call can be repeated',
        { metadata },
      );
    case 'database_not_found':
      return databaseNotFound(databaseId);
    case 'database_broken':
      return new ServerError('DATABASE_BROKEN', `database ${databaseId}: ${failure.message}`, {
        metadata,
      });
    case 'gold_broken':
      return new ServerError(
        'TASK_BROKEN',
        includeGold
          ? `the gold SQL of task ${taskId} does not run: ${failure.message}`
          : `the gold SQL of task ${taskId} does not run; 'sqlenv validate', or Score with include_gold, says why`,
        { metadata },
      );
    case 'internal':
      return new ServerError('INTERNAL', failure.message, { metadata });
  }
}

/** The server has no such database. */
export function databaseNotFound(databaseId: string): ServerError {
  return new ServerError('DATABASE_NOT_FOUND', `there is no database ${databaseId}`, {
    metadata: { databaseId },
  });
}
