// What is thrown at the port. Each attack ends by itself, closes what it opened, and says in a few words what came back.
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { deflateSync, gzipSync } from 'node:zlib';
import { encodeRequest, frame } from './client.mjs';
import {
  CONTINUATION,
  HEADERS,
  PING,
  PREFACE,
  SETTINGS,
  WINDOW_UPDATE,
  h2,
  random,
  randomFrames,
  raw,
  repeated,
} from './raw-http2.mjs';

const SERVICE = '/sqlenv.v1.EnvironmentService/';

export const ATTACKS = {
  'random bytes': ({ port, scale }) =>
    many(200 * scale, () => raw(port, [random(1 + Math.floor(Math.random() * 5_000))])),
  'HTTP/1 requests': ({ port, scale }) =>
    many(100 * scale, () =>
      raw(port, [Buffer.from('GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello')]),
    ),
  'a TLS hello': ({ port, scale }) =>
    many(100 * scale, () =>
      raw(port, [Buffer.concat([Buffer.from('1603010200010001fc0303', 'hex'), random(508)])]),
    ),
  'a preface, then random bytes': ({ port, scale }) =>
    many(200 * scale, () => raw(port, [PREFACE, h2(SETTINGS), random(2_000)])),
  'frames of random types and lengths': ({ port, scale }) =>
    many(200 * scale, () => raw(port, [PREFACE, h2(SETTINGS), ...randomFrames(100)])),
  'headers without end': ({ port, scale }) => many(10 * scale, () => continuationFlood(port)),
  'huge headers': ({ port, scale }) => many(20 * scale, () => hugeHeaders(port)),
  'half-open connections': ({ port, scale }) => idleConnections(port, 3_000 * scale),
  'a flood of pings': ({ port, scale }) =>
    raw(port, [
      PREFACE,
      h2(SETTINGS),
      ...repeated(20_000 * scale, () => h2(PING, 0, 0, random(8))),
    ]),
  'a flood of settings': ({ port, scale }) =>
    raw(port, [PREFACE, ...repeated(20_000 * scale, () => h2(SETTINGS))]),
  'a flood of window updates': ({ port, scale }) =>
    raw(port, [
      PREFACE,
      h2(SETTINGS),
      ...repeated(20_000 * scale, () => h2(WINDOW_UPDATE, 0, 0, Buffer.from([0, 0, 0, 1]))),
    ]),
  'calls that are reset at once': ({ port, task, scale }) => resetFlood(port, task, 5_000 * scale),
  'calls of unknown methods': ({ port, scale }) =>
    calls(port, 100 * scale, { path: '/nothing.Here/AtAll', body: frame(Buffer.from('x')) }),
  'messages that are no protobuf': ({ port, scale }) =>
    calls(port, 200 * scale, { method: 'Step', body: () => frame(random(300)) }),
  'a length that is too small': ({ port, task, scale }) =>
    calls(port, 50 * scale, { method: 'RunSql', body: lying(task, -3) }),
  'a length that is too large': ({ port, task, scale }) =>
    calls(port, 50 * scale, { method: 'RunSql', body: lying(task, 100) }),
  'a length of 4 GB': ({ port, task, scale }) =>
    calls(port, 50 * scale, { method: 'RunSql', body: lying(task, 0xffff_ff00) }),
  'a message over 4 MB': ({ port, scale }) =>
    calls(port, 10 * scale, { method: 'Step', body: frame(Buffer.alloc(5_000_000)) }),
  'two messages where one is due': ({ port, task, scale }) =>
    calls(port, 50 * scale, {
      method: 'RunSql',
      body: Buffer.concat([honest(task), honest(task)]),
    }),
  'no message at all': ({ port, scale }) =>
    calls(port, 50 * scale, { method: 'RunSql', body: Buffer.alloc(0) }),
  'the flag for compression on plain bytes': ({ port, task, scale }) =>
    calls(port, 50 * scale, {
      method: 'RunSql',
      body: frame(plain(task), { compressed: 1 }),
      encoding: 'gzip',
    }),
  'an unknown compression': ({ port, task, scale }) =>
    calls(port, 50 * scale, {
      method: 'RunSql',
      body: frame(plain(task), { compressed: 1 }),
      encoding: 'snappy',
    }),
  'bombs of compressed zeros': ({ port, scale }) =>
    calls(port, 20 * scale, {
      method: 'Step',
      body: frame(gzipSync(Buffer.alloc(200_000_000)), { compressed: 1 }),
      encoding: 'gzip',
    }),
  'bombs of deflated zeros, cut short': ({ port, scale }) =>
    calls(port, 20 * scale, {
      method: 'Step',
      body: frame(deflateSync(Buffer.alloc(50_000_000)).subarray(0, -20), { compressed: 1 }),
      encoding: 'deflate',
    }),
  'strange timeouts': ({ port, task, scale }) =>
    calls(port, 50 * scale, {
      method: 'RunSql',
      body: honest(task),
      headers: { 'grpc-timeout': '99999999999999H' },
    }),
  'streams of steps that are no protobuf': ({ port, scale }) =>
    calls(port, 50 * scale, { method: 'StreamSteps', body: () => frame(random(300)) }),
  'streams of steps that hold nothing': ({ port, scale }) =>
    calls(port, 50 * scale, { method: 'StreamSteps', body: emptyCalls() }),
  'streams of steps that are cut': ({ port, task, scale }) => cutStreams(port, task, 50 * scale),
  'messages that never end': ({ port, task, scale }) => unfinished(port, task, 50 * scale),
};

function plain(task) {
  return encodeRequest('RunSql', { databaseId: task.databaseId, query: 'SELECT 1' });
}

function honest(task) {
  return frame(plain(task));
}

function emptyCalls() {
  const calls = [{ callId: 1 }, { callId: 1 }, { callId: 2, step: {} }, { callId: 3, reset: {} }];
  return frame(encodeRequest('StreamSteps', { calls }));
}

function lying(task, difference) {
  const message = plain(task);
  return frame(message, { length: Math.min(0xffff_ffff, message.length + difference) });
}

async function many(count, attack) {
  await Promise.all(repeated(count, attack));
}

/** Header blocks that go on and on (CONTINUATION without END_HEADERS), 16 kB each. */
async function continuationFlood(port) {
  const literal = Buffer.concat([
    Buffer.from([0x00, 0x01, 0x61, 0x7f, 0x81, 0x7e]),
    Buffer.alloc(16_000, 0x62),
  ]);
  const parts = [PREFACE, h2(SETTINGS), h2(HEADERS, 0, 1, literal)];
  await raw(port, [...parts, ...repeated(200, () => h2(CONTINUATION, 0, 1, literal))]);
}

async function hugeHeaders(port) {
  await withSession(port, async (session) => {
    const headers = Object.fromEntries(
      repeated(40, (_, index) => [`x-${index}`, 'y'.repeat(1_500)]),
    );
    await answerOf(session, { path: `${SERVICE}GetInfo`, body: frame(Buffer.alloc(0)), headers });
  });
}

async function idleConnections(port, count) {
  const sockets = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => {});
    sockets.push(socket);
    // Half of them stop in the middle of the preface.
    if (index % 2 === 0) socket.write(PREFACE.subarray(0, 10));
    if (index % 100 === 99) await sleep(5);
  }
  await sleep(300);
  const openCount = sockets.filter(({ readyState }) => readyState === 'open').length;
  for (const socket of sockets) socket.destroy();
  return `${openCount} of ${sockets.length} were open`;
}

/** Opens calls and resets each at once: the work must not go on behind them. */
async function resetFlood(port, task, count) {
  await withSession(port, async (session) => {
    for (let index = 0; index < count && !session.destroyed; index += 1) {
      const stream = session.request(headersOf(`${SERVICE}RunSql`));
      stream.on('error', () => {});
      stream.end(honest(task));
      stream.close(8);
      if (index % 100 === 99) await sleep(1);
    }
    await sleep(300);
  });
}

function headersOf(path, encoding) {
  return {
    ':method': 'POST',
    ':path': path,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...(encoding === undefined ? {} : { 'grpc-encoding': encoding }),
  };
}

/** Calls with a body that is wrong; says which statuses came back. */
async function calls(
  port,
  count,
  { method, path = `${SERVICE}${method}`, body, encoding, headers },
) {
  const statuses = {};
  await withSession(port, async (session) => {
    await many(count, async () => {
      const bytes = typeof body === 'function' ? body() : body;
      const status = await answerOf(session, { path, body: bytes, encoding, headers });
      statuses[status] = (statuses[status] ?? 0) + 1;
    });
  });
  return Object.entries(statuses)
    .map(([status, times]) => `${times} x ${status}`)
    .join(', ');
}

/** `grpc-status 8`, `closed`, or `silent` after ten seconds. */
function answerOf(session, { path, body, encoding, headers = {} }) {
  return new Promise((resolve) => {
    if (session.destroyed || session.closed) return resolve('closed');
    const stream = session.request({ ...headersOf(path, encoding), ...headers });
    const timer = setTimeout(() => {
      resolve('silent');
      stream.close(8);
    }, 10_000);
    const take = (head) => {
      if (head['grpc-status'] !== undefined) resolve(`grpc-status ${head['grpc-status']}`);
    };
    stream.on('response', take);
    stream.on('trailers', take);
    stream.on('error', () => {});
    stream.on('close', () => {
      clearTimeout(timer);
      resolve('closed');
    });
    stream.resume();
    stream.end(body);
  });
}

async function withSession(port, use) {
  const session = connectHttp2(`http://127.0.0.1:${port}`);
  session.on('error', () => {});
  try {
    await use(session);
  } finally {
    session.destroy();
  }
}

/** Calls whose message stays half-sent; they end with their connection. */
async function unfinished(port, task, count) {
  await withSession(port, async (session) => {
    for (let index = 0; index < count; index += 1) {
      const stream = session.request(headersOf(`${SERVICE}RunSql`));
      stream.on('error', () => {});
      stream.write(frame(Buffer.alloc(100_000), { length: 4_000_000 }));
    }
    await sleep(500);
  });
}

/** Streams that ask for work, and whose connection goes in the middle of a message. */
async function cutStreams(port, task, count) {
  await withSession(port, async (session) => {
    for (let index = 0; index < count; index += 1) {
      const stream = session.request(headersOf(`${SERVICE}StreamSteps`));
      stream.on('error', () => {});
      const episodeId = `cut/${port}/${index}/${performance.now()}`;
      const reset = { episodeId, taskId: task.taskId };
      const message = encodeRequest('StreamSteps', { calls: [{ callId: 1, reset }] });
      stream.write(Buffer.concat([frame(message), frame(message).subarray(0, 9)]));
    }
    await sleep(100);
  });
}
