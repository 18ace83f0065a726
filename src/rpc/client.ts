import {
  Client,
  credentials,
  type CallOptions,
  type ClientUnaryCall,
  type ServiceError,
} from '@grpc/grpc-js';
import type { EnvironmentServiceClient } from '../generated/sqlenv/v1/EnvironmentService.ts';
import type { CloseRequest } from '../generated/sqlenv/v1/CloseRequest.ts';
import type { CloseResponse__Output } from '../generated/sqlenv/v1/CloseResponse.ts';
import type { GetInfoRequest } from '../generated/sqlenv/v1/GetInfoRequest.ts';
import type { GetInfoResponse__Output } from '../generated/sqlenv/v1/GetInfoResponse.ts';
import type { ListTasksRequest } from '../generated/sqlenv/v1/ListTasksRequest.ts';
import type { ListTasksResponse__Output } from '../generated/sqlenv/v1/ListTasksResponse.ts';
import type { ResetRequest } from '../generated/sqlenv/v1/ResetRequest.ts';
import type { ResetResponse__Output } from '../generated/sqlenv/v1/ResetResponse.ts';
import type { RunSqlRequest } from '../generated/sqlenv/v1/RunSqlRequest.ts';
import type { RunSqlResponse__Output } from '../generated/sqlenv/v1/RunSqlResponse.ts';
import type { ScoreRequest } from '../generated/sqlenv/v1/ScoreRequest.ts';
import type { ScoreResponse__Output } from '../generated/sqlenv/v1/ScoreResponse.ts';
import type { StepRequest } from '../generated/sqlenv/v1/StepRequest.ts';
import type { StepResponse__Output } from '../generated/sqlenv/v1/StepResponse.ts';
import { MESSAGE_BYTES_MAX } from './message-size.ts';
import { PROTO } from './load-proto.ts';
import { CallError } from './call-error.ts';
import { StepStream } from './stream-client.ts';

export { CallError };

/** How one call is made. */
export interface CallSettings {
  /** When the caller gives up, milliseconds from now; by default that of the client. */
  readonly deadlineMs?: number;
  readonly signal?: AbortSignal;
}

type Method<Q, R> = (request: Q, settings?: CallSettings) => Promise<R>;

/** The service as promises. Each call has a deadline and fails with a {@link CallError}; nothing is retried. */
export interface SqlenvClient {
  readonly getInfo: Method<GetInfoRequest, GetInfoResponse__Output>;
  readonly listTasks: Method<ListTasksRequest, ListTasksResponse__Output>;
  readonly reset: Method<ResetRequest, ResetResponse__Output>;
  readonly step: Method<StepRequest, StepResponse__Output>;
  readonly close: Method<CloseRequest, CloseResponse__Output>;
  readonly score: Method<ScoreRequest, ScoreResponse__Output>;
  readonly runSql: Method<RunSqlRequest, RunSqlResponse__Output>;
  /** Opens a stream for the calls of many episodes; it lives until it is ended or breaks. */
  openStream(): StepStream;
  /** Closes the connection; the episodes stay open. */
  disconnect(): void;
}

const DEADLINE_MS = 60_000;

/**
 * Connects to a server at `host:port`, when the first call is made. Clients of one process share a connection, but for those that
 * ask for one of their own.
 */
export function connectClient(
  address: string,
  deadlineMs: number = DEADLINE_MS,
  ownConnection = false,
): SqlenvClient {
  const channelOptions = {
    ...(ownConnection ? { 'grpc.use_local_subchannel_pool': 1 } : {}),
    'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
    'grpc.max_send_message_length': -1,
  };
  const client: EnvironmentServiceClient = new PROTO.sqlenv.v1.EnvironmentService(
    address,
    credentials.createInsecure(),
    channelOptions,
  );
  type Callback<R> = (error: ServiceError | null, response?: R) => void;
  const method =
    <Q, R>(
      name: string,
      start: (request: Q, options: CallOptions, callback: Callback<R>) => ClientUnaryCall,
    ): Method<Q, R> =>
    (request, settings = {}) =>
      new Promise<R>((resolve, reject) => {
        const { signal } = settings;
        const deadline = Date.now() + (settings.deadlineMs ?? deadlineMs);
        const call = start(request, { deadline }, (error, response) => {
          signal?.removeEventListener('abort', cancel);
          if (error !== null) reject(CallError.of(name, error));
          else resolve(response as R);
        });
        const cancel = (): void => call.cancel();
        signal?.addEventListener('abort', cancel, { once: true });
        if (signal?.aborted === true) cancel();
      });
  return {
    getInfo: method('GetInfo', (q, options, callback) => client.getInfo(q, options, callback)),
    listTasks: method('ListTasks', (q, options, done) => client.listTasks(q, options, done)),
    reset: method('Reset', (q, options, callback) => client.reset(q, options, callback)),
    step: method('Step', (q, options, callback) => client.step(q, options, callback)),
    close: method('Close', (q, options, callback) => client.Close(q, options, callback)),
    score: method('Score', (q, options, callback) => client.score(q, options, callback)),
    runSql: method('RunSql', (q, options, callback) => client.runSql(q, options, callback)),
    openStream: () => new StepStream(client.streamSteps(), deadlineMs),
    // The service's own Close hides grpc-js's method of the same name.
    disconnect: () => Client.prototype.close.call(client),
  };
}
