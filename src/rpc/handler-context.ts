import type { CancelSignal } from '../cancel.ts';
import { CallAborted, ServerError } from '../errors.ts';
import type { EnvironmentService } from '../episodes/service.ts';
import type { CallTelemetry } from '../episodes/telemetry.ts';
import type { Log } from '../logger.ts';
import type { RunningCalls } from './running-calls.ts';
import type { UnreadResponses } from './unread-responses.ts';

/** Does the work of one method: from the request off the wire to the response on it. */
export type Answer<Q> = (request: Q, signal: CancelSignal) => unknown;

/** What the handlers need. */
export interface HandlerContext {
  readonly service: EnvironmentService;
  readonly calls: RunningCalls;
  readonly unread: UnreadResponses;
  readonly log: Log;
  readonly telemetry: CallTelemetry;
}

/** Callers' mistakes and load are routine and stay at debug; what is ours is an error with its cause. */
export function logFailure(log: Log, method: string, error: unknown, details: string): void {
  if (error instanceof ServerError) {
    const fields = { method, reason: error.reason, ...error.metadata };
    if (error.reason !== 'INTERNAL' && error.reason !== 'WORKER_LOST') {
      log.debug(fields, details);
      return;
    }
    log.error({ ...fields, err: error }, `${method} failed`);
  } else if (error instanceof CallAborted) {
    log.debug({ method, status: error.status }, details);
  } else {
    log.error({ method, err: error }, `${method} failed`);
  }
}
