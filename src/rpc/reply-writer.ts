import type { ServerDuplexStream } from '@grpc/grpc-js';
import type { StreamedReply } from '../generated/sqlenv/v1/StreamedReply.ts';
import type { StreamStepsResponse } from '../generated/sqlenv/v1/StreamStepsResponse.ts';
import { MESSAGE_BYTES_MAX } from './message-size.ts';
import { ResponseTooLarge } from './status.ts';
import type { UnreadResponses } from './unread-responses.ts';

/** Bytes of a message after which the replies that follow go into the next one. */
const MESSAGE_BYTES_WANTED = 256 * 1024;

/** Bytes that are handed over before some of them are on their way: no more than a reader that keeps up needs. */
const HANDED_OVER_BYTES_MAX = 1024 * 1024;

/** The part of a stream that replies are written to. */
export type ReplyStream = Pick<ServerDuplexStream<unknown, Buffer>, 'write' | 'getPeer'>;

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
  /** Bytes that grpc-js has and the connection does not. */
  #handedOver = 0;
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

  /**
   * A reply as bytes, counted until they are written. Throws `ResponseTooLarge` if no message can hold it, `ServerError`
   * (OVERLOADED) if too many are before it that nobody reads.
   */
  encode(reply: StreamedReply): Buffer {
    const bytes = this.#serialize({ replies: [reply] });
    if (bytes.length > MESSAGE_BYTES_MAX) {
      throw new ResponseTooLarge(bytes.length, MESSAGE_BYTES_MAX);
    }
    this.#unread.take(this.#peer, bytes.length);
    return bytes;
  }

  /** The same without a bound: failures are small, and at most one for each call that may be under way. */
  encodeFailure(reply: StreamedReply): Buffer {
    const bytes = this.#serialize({ replies: [reply] });
    this.#unread.count(this.#peer, bytes.length);
    return bytes;
  }

  /** Writes encoded bytes soon. */
  write(bytes: Buffer): void {
    if (this.#stopped) {
      this.#unread.release(this.#peer, bytes.length);
      return;
    }
    this.#ready.push(bytes);
    this.#plan();
  }

  /** Writes nothing more. */
  stop(): void {
    this.#stopped = true;
    for (const bytes of this.#ready) this.#unread.release(this.#peer, bytes.length);
    // grpc-js says nothing any more of what it had and could not send.
    this.#unread.release(this.#peer, this.#handedOver);
    this.#handedOver = 0;
    this.#ready = [];
  }

  #plan(): void {
    if (this.#planned) return;
    this.#planned = true;
    setImmediate(() => {
      this.#planned = false;
      this.#flush();
    });
  }

  #flush(): void {
    while (!this.#stopped && this.#handedOver < HANDED_OVER_BYTES_MAX && this.#ready.length > 0) {
      const message = this.#nextMessage();
      this.#handedOver += message.length;
      // grpc-js takes sixteen messages of any size before it says that it has enough, so its word is not waited for.
      this.#stream.write(message, () => this.#sent(message.length));
    }
    if (!this.#stopped) this.#onWritten();
  }

  #sent(bytes: number): void {
    if (this.#stopped) return;
    this.#handedOver -= bytes;
    this.#unread.release(this.#peer, bytes);
    if (this.#ready.length > 0) this.#plan();
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
    const [only] = parts;
    return only !== undefined && parts.length === 1 ? only : Buffer.concat(parts, size);
  }
}
