import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { StreamedReply } from '../generated/sqlenv/v1/StreamedReply.ts';
import type { StreamStepsResponse } from '../generated/sqlenv/v1/StreamStepsResponse.ts';
import { MESSAGE_BYTES_MAX } from './message-size.ts';
import { failureOf } from './call-failure.ts';
import { ResponseTooLarge } from './status.ts';
import type { UnreadResponses } from './unread-responses.ts';

/** Bytes of a message after which the replies that follow go into the next one. */
const MESSAGE_BYTES_WANTED = 256 * 1024;

/** The part of a stream that replies are written to. */
export type ReplyStream = Pick<ServerDuplexStream<unknown, Buffer>, 'write' | 'once' | 'getPeer'>;

/**
 * Writes replies to a stream: those that are ready in the same turn of the event loop in one message, and none while the
 * reader is behind.
 */
export class ReplyWriter {
  readonly #stream: ReplyStream;
  readonly #serialize: (response: StreamStepsResponse) => Buffer;
  readonly #onWritten: () => void;
  readonly #unread: UnreadResponses;
  readonly #peer: string;
  #ready: Buffer[] = [];
  #planned = false;
  #blocked = false;
  #stopped = false;

  /** `onWritten` is called whenever replies have been handed over. */
  constructor(
    stream: ReplyStream,
    serialize: (response: StreamStepsResponse) => Buffer,
    unread: UnreadResponses,
    onWritten: () => void,
  ) {
    this.#unread = unread;
    this.#peer = stream.getPeer();
    this.#stream = stream;
    this.#serialize = serialize;
    this.#onWritten = onWritten;
  }

  /** Replies that are not written yet. */
  get waitingCount(): number {
    return this.#ready.length;
  }

  /** Writes a reply soon; see {@link UnreadResponses} for those that nobody reads. */
  write(reply: StreamedReply): void {
    if (this.#stopped) return;
    this.#ready.push(this.#bytesOf(reply));
    this.#plan();
  }

  /** Writes nothing more. */
  stop(): void {
    this.#stopped = true;
    for (const bytes of this.#ready) this.#unread.release(this.#peer, bytes.length);
    this.#ready = [];
  }

  /** A reply that no message can hold, or that finds too many before it that nobody reads, becomes a failure. */
  #bytesOf(reply: StreamedReply): Buffer {
    const bytes = this.#serialize({ replies: [reply] });
    try {
      if (bytes.length > MESSAGE_BYTES_MAX) {
        throw new ResponseTooLarge(bytes.length, MESSAGE_BYTES_MAX);
      }
      this.#unread.take(this.#peer, bytes.length);
      return bytes;
    } catch (error) {
      const failure = failureOf(error);
      const instead = this.#serialize({ replies: [{ callId: reply.callId ?? 0, failure }] });
      // Small, and at most one for each call that may be under way.
      this.#unread.count(this.#peer, instead.length);
      return instead;
    }
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
    while (!this.#stopped && !this.#blocked && this.#ready.length > 0) {
      if (!this.#stream.write(this.#nextMessage())) {
        this.#blocked = true;
        this.#stream.once('drain', () => {
          this.#blocked = false;
          this.#flush();
        });
      }
    }
    if (!this.#stopped) this.#onWritten();
  }

  /** Messages of one repeated field, one after the other, are a message with all its entries: so protobuf defines it. */
  #nextMessage(): Buffer {
    let count = 0;
    let size = 0;
    for (const bytes of this.#ready) {
      if (count > 0 && size + bytes.length > MESSAGE_BYTES_WANTED) break;
      count += 1;
      size += bytes.length;
    }
    const parts = this.#ready.splice(0, count);
    this.#unread.release(this.#peer, size);
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts, size);
  }
}
