import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { CancelSource } from '../cancel.ts';
import { CallAborted } from '../errors.ts';
import type { StreamedCall__Output } from '../generated/sqlenv/v1/StreamedCall.ts';
import type { StreamedReply } from '../generated/sqlenv/v1/StreamedReply.ts';
import type { StreamStepsRequest__Output } from '../generated/sqlenv/v1/StreamStepsRequest.ts';
import type { StreamStepsResponse } from '../generated/sqlenv/v1/StreamStepsResponse.ts';
import { failureOf } from './call-failure.ts';
import { checkOneof } from './fields.ts';
import { logFailure, type Answer, type HandlerContext } from './handler-context.ts';
import { ReplyWriter } from './reply-writer.ts';
import { reasonOf, statusOf } from './status.ts';

/** Calls of one stream that may be under way. More are left in the connection until some are over. */
const CALL_COUNT_MAX = 4_096;

/** What a stream can carry, and the unary method that does the same. */
const METHODS = { reset: 'Reset', step: 'Step', close: 'Close' } as const;

type Member = keyof typeof METHODS;

/** What the stream needs of the unary methods. */
export type StreamedAnswers = Readonly<Record<(typeof METHODS)[Member], Answer<unknown>>>;

type Stream = ServerDuplexStream<StreamStepsRequest__Output, Buffer>;

/**
 * `StreamSteps`: the same calls as the unary ones, many on one stream. What a call of gRPC costs besides its work (headers, a
 * stream of HTTP/2, a frame each way) is paid once for all that travel together.
 */
export function streamHandler(
  context: HandlerContext,
  answers: StreamedAnswers,
  serialize: (response: StreamStepsResponse) => Buffer,
): handleBidiStreamingCall<StreamStepsRequest__Output, Buffer> {
  return (stream) => new CallStream(context, answers, serialize, stream).start();
}

class CallStream {
  readonly #context: HandlerContext;
  readonly #answers: StreamedAnswers;
  readonly #stream: Stream;
  readonly #writer: ReplyWriter;
  readonly #running = new Set<CancelSource>();
  #halfClosed = false;
  #over = false;

  constructor(
    context: HandlerContext,
    answers: StreamedAnswers,
    serialize: (response: StreamStepsResponse) => Buffer,
    stream: Stream,
  ) {
    this.#context = context;
    this.#answers = answers;
    this.#stream = stream;
    this.#writer = new ReplyWriter(stream, serialize, context.unread, () => this.#afterReplies());
  }

  start(): void {
    const stream = this.#stream;
    const leave = this.#context.calls.enterStream(() => this.#halfClose());
    stream.on('data', ({ calls }: StreamStepsRequest__Output) => {
      for (const call of calls) void this.#answer(call);
      if (this.#isFull) stream.pause();
    });
    stream.on('end', () => this.#halfClose());
    // The caller has gone: what it asked for is stopped, as a unary call would be.
    stream.on('cancelled', () => {
      this.#over = true;
      this.#writer.stop();
      for (const source of this.#running) source.abort(new CallAborted('CANCELLED'));
      leave();
    });
    stream.on('error', () => undefined);
    stream.on('finish', leave);
  }

  get #isFull(): boolean {
    return this.#running.size + this.#writer.waitingCount >= CALL_COUNT_MAX;
  }

  /** Nothing more is read; the stream ends when all is answered. */
  #halfClose(): void {
    this.#halfClosed = true;
    this.#afterReplies();
  }

  #afterReplies(): void {
    if (this.#over) return;
    if (!this.#isFull && this.#stream.isPaused()) this.#stream.resume();
    if (!this.#halfClosed || this.#running.size > 0 || this.#writer.waitingCount > 0) return;
    this.#over = true;
    this.#stream.end();
  }

  /** Answers one call; never rejects. */
  async #answer(call: StreamedCall__Output): Promise<void> {
    const { callId, timeoutMs } = call;
    const source = new CancelSource();
    const leave = this.#context.calls.enter((reason) => source.abort(reason));
    this.#running.add(source);
    const giveUp = (): void => source.abort(new CallAborted('DEADLINE_EXCEEDED'));
    const timer = timeoutMs > 0 ? setTimeout(giveUp, timeoutMs) : undefined;
    const reply = await this.#replyTo(call, source);
    clearTimeout(timer);
    leave();
    this.#running.delete(source);
    if (!this.#over) this.#writer.write({ callId, ...reply });
  }

  async #replyTo(call: StreamedCall__Output, source: CancelSource): Promise<StreamedReply> {
    const { telemetry, log } = this.#context;
    // Named before it is checked: telemetry sees calls that hold nothing, too.
    const member: Member = call.call ?? 'step';
    const method = METHODS[member];
    const observer = telemetry.begin(method, this.#stream.metadata, call[member]);
    try {
      const present = checkOneof('call', call, ['reset', 'step', 'close']);
      const response = await this.#answers[METHODS[present]](call[present], source);
      observer.answered(response);
      observer.ended(0, '');
      return { [present]: response };
    } catch (error) {
      const failed = statusOf(error);
      observer.ended(failed.code, reasonOf(failed));
      logFailure(log, method, error, failed.details);
      return { failure: failureOf(error) };
    }
  }
}
