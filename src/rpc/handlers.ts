import type { handleUnaryCall, sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { TOOL_SCHEMA_JSON } from '../../env/prompt.ts';
import { CallAborted, ServerError } from '../errors.ts';
import type { EnvironmentService } from '../episodes/service.ts';
import type { EnvironmentServiceDefinition } from '../generated/sqlenv/v1/EnvironmentService.ts';
import type { CloseRequest__Output } from '../generated/sqlenv/v1/CloseRequest.ts';
import type { ListTasksRequest__Output } from '../generated/sqlenv/v1/ListTasksRequest.ts';
import type { ResetRequest__Output } from '../generated/sqlenv/v1/ResetRequest.ts';
import type { RunSqlRequest__Output } from '../generated/sqlenv/v1/RunSqlRequest.ts';
import type { ScoreRequest__Output } from '../generated/sqlenv/v1/ScoreRequest.ts';
import type { StepRequest__Output } from '../generated/sqlenv/v1/StepRequest.ts';
import type { Log } from '../logger.ts';
import { callSignal } from './call-signal.ts';
import { decodeListTasks, decodeReset, decodeRunSql, decodeScore, decodeStep } from './decode.ts';
import {
  encodeGetInfo,
  encodeListTasks,
  encodeReset,
  encodeRunSql,
  encodeScore,
  encodeStep,
} from './encode.ts';
import { checkId } from './fields.ts';
import { PROTO } from './load-proto.ts';
import type { RunningCalls } from './running-calls.ts';
import { ResponseTooLarge, statusOf } from './status.ts';

/** Bytes of a message, both ways: what gRPC clients take by default. */
export const MESSAGE_BYTES_MAX = 4 * 1024 * 1024;

type MethodName = keyof EnvironmentServiceDefinition & string;

/** Does the work of one method: from the request off the wire to the response on it. */
type Answer<Q> = (request: Q, signal: AbortSignal) => unknown;

/** What the handlers need. */
export interface HandlerContext {
  readonly service: EnvironmentService;
  readonly calls: RunningCalls;
  readonly log: Log;
}

/** One handler a method. Each gives the response as bytes: see {@link serviceOfBytes}. */
export type Handlers = Readonly<Record<MethodName, handleUnaryCall<unknown, Buffer>>>;

/** Connects the methods with the service. */
export function createHandlers(context: HandlerContext): Handlers {
  const { service } = context;
  const leaseMs = service.leaseMs;
  const answers = {
    GetInfo: () => encodeGetInfo(service.info(), TOOL_SCHEMA_JSON),
    ListTasks: async (request: ListTasksRequest__Output, signal: AbortSignal) =>
      encodeListTasks(await service.listTasks(decodeListTasks(request), signal)),
    Reset: async (request: ResetRequest__Output, signal: AbortSignal) =>
      encodeReset(await service.reset(decodeReset(request), signal), TOOL_SCHEMA_JSON, leaseMs),
    Step: async (request: StepRequest__Output, signal: AbortSignal) =>
      encodeStep(await service.step(decodeStep(request), signal)),
    Close: (request: CloseRequest__Output) => ({
      closed: service.close(checkId('episode_id', request.episodeId)),
    }),
    Score: async (request: ScoreRequest__Output, signal: AbortSignal) =>
      encodeScore(await service.score(decodeScore(request), signal)),
    RunSql: async (request: RunSqlRequest__Output, signal: AbortSignal) =>
      encodeRunSql(await service.runSql(decodeRunSql(request), signal)),
  };
  const handlers = Object.entries(answers).map(([name, answer]) => [
    name,
    unaryHandler(context, name as MethodName, answer as Answer<unknown>),
  ]);
  return Object.fromEntries(handlers) as Handlers;
}

/**
 * The service with responses that are bytes already. They are made in the handler, where one that is too large becomes a
 * status of ours, and not by grpc-js after it.
 */
export function serviceOfBytes(): typeof definition {
  return Object.fromEntries(
    Object.entries(definition).map(([name, method]) => [
      name,
      { ...method, responseSerialize: (bytes: Buffer) => bytes },
    ]),
  ) as unknown as typeof definition;
}

const definition = PROTO.sqlenv.v1.EnvironmentService.service;

function unaryHandler(
  context: HandlerContext,
  name: MethodName,
  answer: Answer<unknown>,
): handleUnaryCall<unknown, Buffer> {
  const method = definition[name] as MethodDefinition<object, object>;
  const respond = async (call: ServerUnaryCall<unknown, Buffer>): Promise<Buffer> => {
    const { signal, abort, release } = callSignal(call);
    const leave = context.calls.enter(abort);
    try {
      signal.throwIfAborted();
      const response = await answer(call.request, signal);
      return checkSize(method.responseSerialize(response as object));
    } finally {
      leave();
      release();
    }
  };
  return (call: ServerUnaryCall<unknown, Buffer>, callback: sendUnaryData<Buffer>): void => {
    respond(call).then(
      (bytes) => callback(null, bytes),
      (error: unknown) => {
        const failed = statusOf(error);
        logFailure(context.log, name, error, failed.details);
        callback(failed);
      },
    );
  };
}

function checkSize(bytes: Buffer): Buffer {
  if (bytes.length <= MESSAGE_BYTES_MAX) return bytes;
  throw new ResponseTooLarge(bytes.length, MESSAGE_BYTES_MAX);
}

/** Callers' mistakes and load are routine and stay at debug; what is ours is an error with its cause. */
function logFailure(log: Log, method: string, error: unknown, details: string): void {
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
