import type { handleUnaryCall, sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { MethodDefinition } from '@grpc/proto-loader';
import { TOOL_SCHEMA_JSON } from '../../env/prompt.ts';
import type { CancelSignal } from '../cancel.ts';
import type { CallObserver } from '../episodes/telemetry.ts';
import type { EnvironmentServiceDefinition } from '../generated/sqlenv/v1/EnvironmentService.ts';
import type { CloseRequest__Output } from '../generated/sqlenv/v1/CloseRequest.ts';
import type { ListTasksRequest__Output } from '../generated/sqlenv/v1/ListTasksRequest.ts';
import type { ResetRequest__Output } from '../generated/sqlenv/v1/ResetRequest.ts';
import type { RunSqlRequest__Output } from '../generated/sqlenv/v1/RunSqlRequest.ts';
import type { ScoreRequest__Output } from '../generated/sqlenv/v1/ScoreRequest.ts';
import type { StepRequest__Output } from '../generated/sqlenv/v1/StepRequest.ts';
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
import { logFailure, type Answer, type HandlerContext } from './handler-context.ts';
import { PROTO } from './load-proto.ts';
import { MESSAGE_BYTES_MAX } from './message-size.ts';
import { reasonOf, ResponseTooLarge, statusOf } from './status.ts';
import { streamHandler, type StreamedAnswers } from './stream-steps.ts';

type MethodName = keyof EnvironmentServiceDefinition & string;

/** One handler a method. Each gives the response as bytes: see {@link serviceOfBytes}. */
export type Handlers = Readonly<
  Record<Exclude<MethodName, 'StreamSteps'>, handleUnaryCall<unknown, Buffer>> & {
    StreamSteps: ReturnType<typeof streamHandler>;
  }
>;

/** Connects the methods with the service. */
export function createHandlers(context: HandlerContext): Handlers {
  const { service } = context;
  const leaseMs = service.leaseMs;
  const answers = {
    GetInfo: () => encodeGetInfo(service.info(), TOOL_SCHEMA_JSON),
    ListTasks: async (request: ListTasksRequest__Output, signal: CancelSignal) =>
      encodeListTasks(await service.listTasks(decodeListTasks(request), signal)),
    Reset: async (request: ResetRequest__Output, signal: CancelSignal) =>
      encodeReset(await service.reset(decodeReset(request), signal), TOOL_SCHEMA_JSON, leaseMs),
    Step: async (request: StepRequest__Output, signal: CancelSignal) =>
      encodeStep(await service.step(decodeStep(request), signal)),
    Close: (request: CloseRequest__Output) => ({
      closed: service.close(checkId('episode_id', request.episodeId)),
    }),
    Score: async (request: ScoreRequest__Output, signal: CancelSignal) =>
      encodeScore(await service.score(decodeScore(request), signal)),
    RunSql: async (request: RunSqlRequest__Output, signal: CancelSignal) =>
      encodeRunSql(await service.runSql(decodeRunSql(request), signal)),
  };
  const handlers = Object.entries(answers).map(([name, answer]) => [
    name,
    unaryHandler(context, name as MethodName, answer as Answer<unknown>),
  ]);
  const serialize = definition.StreamSteps.responseSerialize;
  const stream = streamHandler(context, answers as unknown as StreamedAnswers, serialize);
  return { ...Object.fromEntries(handlers), StreamSteps: stream } as Handlers;
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
  const respond = async (
    call: ServerUnaryCall<unknown, Buffer>,
    observer: CallObserver,
  ): Promise<Buffer> => {
    const { signal, abort, release } = callSignal(call);
    const leave = context.calls.enter(abort);
    try {
      signal.throwIfAborted();
      const response = await answer(call.request, signal);
      observer.answered(response);
      return context.unread.hold(call, checkSize(method.responseSerialize(response as object)));
    } finally {
      leave();
      release();
    }
  };
  return (call: ServerUnaryCall<unknown, Buffer>, callback: sendUnaryData<Buffer>): void => {
    const observer = context.telemetry.begin(name, call.metadata, call.request);
    respond(call, observer).then(
      (bytes) => {
        callback(null, bytes);
        observer.ended(0, '');
      },
      (error: unknown) => {
        const failed = statusOf(error);
        observer.ended(failed.code, reasonOf(failed));
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
