import { status as Status, type ClientDuplexStream, type ServiceError } from '@grpc/grpc-js';
import type { CloseRequest } from '../generated/sqlenv/v1/CloseRequest.ts';
import type { CloseResponse__Output } from '../generated/sqlenv/v1/CloseResponse.ts';
import type { ResetRequest } from '../generated/sqlenv/v1/ResetRequest.ts';
import type { ResetResponse__Output } from '../generated/sqlenv/v1/ResetResponse.ts';
import type { StepRequest } from '../generated/sqlenv/v1/StepRequest.ts';
import type { StepResponse__Output } from '../generated/sqlenv/v1/StepResponse.ts';
import type { StreamedCall } from '../generated/sqlenv/v1/StreamedCall.ts';
import type { StreamedReply__Output } from '../generated/sqlenv/v1/StreamedReply.ts';
import type { StreamStepsRequest } from '../generated/sqlenv/v1/StreamStepsRequest.ts';
import type { StreamStepsResponse__Output } from '../generated/sqlenv/v1/StreamStepsResponse.ts';
import { CallError, reasonNamed } from './call-error.ts';

/** Calls that travel in one message at most. */
const CALL_COUNT_MAX = 64;

/** Characters that they may hold: three bytes each at most, and a message holds 4 MB. */
const CALL_SIZE_MAX = 1_000_000;

/** How much longer than the server a call is waited for: a server that has vanished replies nothing. */
const GRACE_MS = 5_000;

const SWEEP_MS = 1_000;

type Member = 'reset' | 'step' | 'close';

interface Pending {
  readonly member: Member;
  readonly resolve: (response: never) => void;
  readonly reject: (error: Error) => void;
  /** When it is given up here, by the monotonic clock. */
  readonly dueMs: number;
}

type Duplex = ClientDuplexStream<StreamStepsRequest, StreamStepsResponse__Output>;

/** `StreamSteps` as promises. Calls that are made in the same turn of the event loop travel together. */
export class StepStream {
  readonly #stream: Duplex;
  readonly #timeoutMs: number;
  readonly #pending = new Map<number, Pending>();
  #calls: StreamedCall[] = [];
  #nextId = 1;
  #planned = false;
  #blocked = false;
  #ended = false;
  #clock: NodeJS.Timeout | undefined;
  #broken: CallError | undefined;

  /** `timeoutMs` holds for each call, from its arrival at the server. */
  constructor(stream: Duplex, timeoutMs: number) {
    this.#stream = stream;
    this.#timeoutMs = timeoutMs;
    stream.on('data', ({ replies }: StreamStepsResponse__Output) => {
      for (const reply of replies) this.#settle(reply);
    });
    stream.on('error', (error: ServiceError) => this.#break(CallError.of('StreamSteps', error)));
    stream.on('end', () => this.#break(endedError()));
  }

  /** True once the stream has ended or failed: every further call fails with the same error. */
  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** Opens an episode. */
  reset(reset: ResetRequest): Promise<ResetResponse__Output> {
    return this.#call('reset', { reset });
  }

  /** Takes one action. */
  step(step: StepRequest): Promise<StepResponse__Output> {
    return this.#call('step', { step });
  }

  /** Ends an episode early. */
  close(close: CloseRequest): Promise<CloseResponse__Output> {
    return this.#call('close', { close });
  }

  /** Lets what is under way end, and takes nothing more. */
  end(): void {
    this.#ended = true;
    this.#flush();
  }

  /** Gives up all that is under way, and ends. */
  cancel(): void {
    this.#stream.cancel();
  }

  #call<R>(member: Member, call: StreamedCall): Promise<R> {
    if (this.#broken) return Promise.reject(this.#broken);
    if (this.#ended) return Promise.reject(endedError());
    const callId = this.#nextId;
    this.#nextId = callId === 0xff_ff_ff_ff ? 1 : callId + 1;
    return new Promise<R>((resolve, reject) => {
      const dueMs = performance.now() + this.#timeoutMs + GRACE_MS;
      this.#pending.set(callId, { member, resolve, reject, dueMs });
      this.#clock ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
      this.#calls.push({ callId, timeoutMs: this.#timeoutMs, ...call });
      this.#plan();
    });
  }

  #plan(): void {
    if (this.#planned || this.#blocked) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (this.#calls.length > 0 && !this.#blocked && !this.#broken) {
      const calls = this.#calls.splice(0, messageCount(this.#calls));
      if (!this.#stream.write({ calls })) {
        this.#blocked = true;
        this.#stream.once('drain', () => {
          this.#blocked = false;
          this.#flush();
        });
      }
    }
    // Not before all is sent: a stream that has ended drains no more.
    if (this.#ended && this.#calls.length === 0) this.#stream.end();
  }

  /** Gives up calls that are overdue. All have the same timeout, so the oldest are the first. */
  #sweep(): void {
    const now = performance.now();
    for (const [callId, { member, reject, dueMs }] of this.#pending) {
      if (dueMs > now) break;
      this.#pending.delete(callId);
      const details = `no reply within ${this.#timeoutMs + GRACE_MS} ms`;
      const failure = { code: Status.DEADLINE_EXCEEDED, reason: 'UNSPECIFIED', details } as const;
      reject(new CallError(`${member} on a stream`, failure));
    }
    if (this.#pending.size > 0) return;
    clearInterval(this.#clock);
    this.#clock = undefined;
  }

  #settle(reply: StreamedReply__Output): void {
    const pending = this.#pending.get(reply.callId);
    if (pending === undefined) return;
    this.#pending.delete(reply.callId);
    const { member } = pending;
    const response = reply[member];
    if (response) {
      pending.resolve(response as never);
      return;
    }
    const { failure } = reply;
    const known = {
      code: (failure?.statusCode ?? Status.INTERNAL) as Status,
      reason: reasonNamed(failure?.reason.replace('ERROR_REASON_', '')),
      details: failure?.message ?? 'the reply holds nothing',
    };
    pending.reject(new CallError(`${member} on a stream`, known));
  }

  #break(error: CallError): void {
    this.#broken ??= error;
    for (const { reject } of this.#pending.values()) reject(this.#broken);
    this.#pending.clear();
    this.#calls = [];
  }
}

/** How many of the first calls fit into a message. */
function messageCount(calls: readonly StreamedCall[]): number {
  let size = 0;
  for (const [index, call] of calls.slice(0, CALL_COUNT_MAX).entries()) {
    size += callSize(call);
    if (index > 0 && size > CALL_SIZE_MAX) return index;
  }
  return CALL_COUNT_MAX;
}

/** Characters of its texts, those that can be long. */
function callSize({ step, reset }: StreamedCall): number {
  const { inlineTask, labels = {} } = reset ?? {};
  const texts = [
    step?.assistantText,
    step?.finalText,
    step?.toolCall?.argumentsJson,
    inlineTask?.question,
    inlineTask?.goldSql,
    ...Object.values(labels),
  ];
  return texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
}

function endedError(): CallError {
  return new CallError('StreamSteps', {
    code: Status.UNAVAILABLE,
    reason: 'UNSPECIFIED',
    details: 'the stream has ended',
  });
}
