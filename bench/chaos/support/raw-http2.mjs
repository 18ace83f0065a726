// HTTP/2 below what node:http2 lets one do: frames as bytes on a socket.
import { randomFillSync } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What a client of HTTP/2 says first. */
export const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
/** Frame types and flags of HTTP/2 (RFC 9113, section 6). */
export const HEADERS = 1;
export const SETTINGS = 4;
export const PING = 6;
export const WINDOW_UPDATE = 8;
export const CONTINUATION = 9;

export function random(size) {
  return randomFillSync(Buffer.alloc(size));
}

export function repeated(count, make) {
  return Array.from({ length: Math.ceil(count) }, make);
}

/** One frame of HTTP/2. */
export function h2(type, flags = 0, stream = 0, payload = Buffer.alloc(0)) {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

export function randomFrames(count) {
  return repeated(count, () => {
    const [type, flags, stream, size] = random(4);
    return h2(type % 11, flags, stream % 8, random(size));
  });
}

/** Writes bytes to a connection of its own, reads what comes for a moment, and closes it. */
export async function raw(port, parts, { lingerMs = 200 } = {}) {
  const socket = connect(port, '127.0.0.1');
  let closed = false;
  socket.on('error', () => {});
  socket.on('close', () => (closed = true));
  socket.resume();
  for (const part of parts) {
    if (closed) return;
    // A server that does not read must not fill this process's memory.
    if (!socket.write(part)) await Promise.race([drained(socket), sleep(1_000)]);
  }
  await sleep(lingerMs);
  socket.destroy();
}

function drained(socket) {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', resolve);
  });
}
