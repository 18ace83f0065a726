import type { ServerUnaryCall } from '@grpc/grpc-js';
import { ServerError } from '../errors.ts';

/** Bytes of large responses that may wait on one connection for its client to read them, and on all together. */
export interface UnreadLimits {
  readonly connectionBytesMax: number;
  readonly totalBytesMax: number;
}

const LIMITS: UnreadLimits = {
  connectionBytesMax: 128 * 1024 * 1024,
  totalBytesMax: 512 * 1024 * 1024,
};

/** Smaller responses are not counted: the number of calls on a connection bounds them well enough. */
const LARGE_BYTES = 16 * 1024;

/**
 * What has been answered and not yet been taken. A client that asks for much and reads nothing leaves its responses in the
 * server's memory: 800 of 3 MB took all there was. From a bound on its further large ones are refused instead. A step that was
 * refused so has happened, and its repeat gets the stored response, as after any lost response.
 */
export class UnreadResponses {
  readonly #limits: UnreadLimits;
  readonly #bytesByPeer = new Map<string, number>();
  #totalBytes = 0;

  constructor(limits: UnreadLimits = LIMITS) {
    this.#limits = limits;
  }

  /** Bytes that wait now. */
  get totalBytes(): number {
    return this.#totalBytes;
  }

  /** Counts a response until its call is over, and returns it. Throws `ServerError` (OVERLOADED) if too much waits already. */
  hold(call: ServerUnaryCall<unknown, unknown>, response: Buffer): Buffer {
    if (response.length < LARGE_BYTES || call.cancelled) return response;
    const peer = call.getPeer();
    const bytes = response.length;
    this.take(peer, bytes);
    // Comes when the response is on its way, when the caller gives up, and when its connection breaks.
    call.once('cancelled', () => this.release(peer, bytes));
    return response;
  }

  /** Counts bytes for a connection until they are released. Throws as {@link hold} does. */
  take(peer: string, bytes: number): void {
    const before = this.#bytesByPeer.get(peer) ?? 0;
    const { connectionBytesMax, totalBytesMax } = this.#limits;
    if (before + bytes > connectionBytesMax || this.#totalBytes + bytes > totalBytesMax) {
      throw new ServerError(
        'OVERLOADED',
        `too much has been answered and not been read: ${before} bytes on this connection, ` +
          `${this.#totalBytes} on all; read them, then repeat the call`,
      );
    }
    this.#add(peer, bytes);
  }

  /** The same without a bound. */
  count(peer: string, bytes: number): void {
    this.#add(peer, bytes);
  }

  /** They have been handed over, or will never be. */
  release(peer: string, bytes: number): void {
    this.#add(peer, -bytes);
  }

  #add(peer: string, bytes: number): void {
    this.#totalBytes += bytes;
    const now = (this.#bytesByPeer.get(peer) ?? 0) + bytes;
    if (now === 0) this.#bytesByPeer.delete(peer);
    else this.#bytesByPeer.set(peer, now);
  }
}
