import type { handleBidiStreamingCall, ServerDuplexStream } from '@grpc/grpc-js';
import { CancelSource } from '../cancel.ts';
import { CallAborted } from '../errors.ts';
import type { StreamedCall__Output } from '../generated/sqlenv/v1/StreamedCall.ts';
import type { StreamStepsRequest__Output } from '../generated/sqlenv/v1/StreamStepsRequest.ts';
import type { StreamStepsResponse } from '../generated/sqlenv/v1/StreamStepsResponse.ts';
import { Slots } from '../slots.ts';
import { failureOf } from './call-failure.ts';
import { checkOneof, invalidField } from './fields.ts';
import { logFailure, type Answer, type HandlerContext } from './handler-context.ts';
import { ReplyWriter } from './reply-writer.ts';
import { reasonOf, statusOf } from './status.ts';

/** Calls of one stream that may be under way, and of one message. More are left in the connection until some are over. */
const CALL_COUNT_MAX = 4_096;

/** What a timer can count, milliseconds: more would be over at once. */
const TIMER_MS_MAX = 2 ** 31 - 1;

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
  readonly #running = new Slots<CancelSource>();
  #backlog: StreamedCall__Output[] = [];
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
    stream.on('data', ({ calls }: StreamStepsRequest__Output) => this.#take(calls));
    stream.on('end', () => this.#halfClose());
    // The caller has gone: what it asked for is stopped, as a unary call would be.
    stream.on('cancelled', () => {
      this.#over = true;
      this.#writer.stop();
      this.#abortAll(new CallAborted('CANCELLED'));
      leave();
    });
    stream.on('error', () => undefined);
    stream.on('finish', leave);
  }

  get #isFull(): boolean {
    return this.#running.size + this.#writer.waitingCount >= CALL_COUNT_MAX;
  }

  /** Begins calls, as many as may be under way; the others wait, and nothing more is read until they have begun. */
  #take(calls: readonly StreamedCall__Output[]): void {
    if (calls.length > CALL_COUNT_MAX) return this.#refuse(calls.length);
    this.#backlog.push(...calls);
    this.#begin();
  }

  #begin(): void {
    while (this.#backlog.length > 0 && !this.#isFull) {
      const call = this.#backlog.shift();
      if (call !== undefined) void this.#answer(call);
    }
    if (this.#isFull || this.#backlog.length > 0) this.#stream.pause();
    else if (this.#stream.isPaused()) this.#stream.resume();
  }

  /** A message of 4 MB could hold two million calls that hold nothing. */
  #refuse(callCount: number): void {
    const error = invalidField('calls', `${callCount} are too many; at most ${CALL_COUNT_MAX}`);
    this.#over = true;
    this.#writer.stop();
    this.#abortAll(new CallAborted('CANCELLED'));
    this.#stream.emit('error', statusOf(error));
  }

  #abortAll(reason: Error): void {
    this.#backlog = [];
    for (const source of this.#running) source.abort(reason);
  }

  /** Nothing more is read; the stream ends when all is answered. */
  #halfClose(): void {
    this.#halfClosed = true;
    this.#afterReplies();
  }

  #afterReplies(): void {
    if (this.#over) return;
    this.#begin();
    if (!this.#halfClosed || this.#running.size > 0 || this.#writer.waitingCount > 0) return;
    this.#over = true;
    this.#stream.end();
  }

  /** Answers one call; never rejects. */
  async #answer(call: StreamedCall__Output): Promise<void> {
    const { timeoutMs } = call;
    const source = new CancelSource();
    const leave = this.#context.calls.enter((reason) => source.abort(reason));
    const slot = this.#running.add(source);
    const giveUp = (): void => source.abort(new CallAborted('DEADLINE_EXCEEDED'));
    const timer = timeoutMs > 0 ? setTimeout(giveUp, Math.min(timeoutMs, TIMER_MS_MAX)) : undefined;
    const bytes = await this.#replyTo(call, source);
    clearTimeout(timer);
    leave();
    this.#running.remove(slot);
    this.#writer.write(bytes);
  }

  /** The reply as bytes, so that one which can't be sent is known, counted and logged as the failure that it becomes. */
  async #replyTo(call: StreamedCall__Output, source: CancelSource): Promise<Buffer> {
    const { telemetry, log } = this.#context;
    const { callId } = call;
    // Named before it is checked: telemetry sees calls that hold nothing, too.
    const member: Member = call.call ?? 'step';
    const method = METHODS[member];
    const observer = telemetry.begin(method, this.#stream.metadata, call[member]);
    try {
      const present = checkOneof('call', call, ['reset', 'step', 'close']);
      const response = await this.#answers[METHODS[present]](call[present], source);
      const bytes = this.#writer.encode({ callId, [present]: response });
      observer.answered(response);
      observer.ended(0, '');
      return bytes;
    } catch (error) {
      const failed = statusOf(error);
      observer.ended(failed.code, reasonOf(failed));
      logFailure(log, method, error, failed.details);
      return this.#writer.encodeFailure({ callId, failure: failureOf(error) });
    }
  }
}
