import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { PROTO } from '../../src/rpc/load-proto.ts';
import { startServer } from '../../src/rpc/server.ts';
import { recordingLog, until } from '../support/log.ts';
import { startRpc, type RpcFixture } from '../support/rpc-fixture.ts';
import { startService } from '../support/service-fixture.ts';

const SERVICE = PROTO.sqlenv.v1.EnvironmentService.service;
const LARGE = 'x'.repeat(1_000_000);
/** So many of them may wait on one connection: 128 MiB. */
const WAITING_COUNT_MAX = Math.floor((128 * 1024 * 1024) / LARGE.length);

const closing: (() => Promise<void> | void)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

/** A server whose queries give so many texts of 1 MB. */
async function start(largeCount: number): Promise<RpcFixture> {
  const rpc = await startRpc();
  closing.push(() => rpc.stop());
  const query = { ...(await oneQuery(rpc)), textSize: LARGE.length };
  for (let index = 0; index < largeCount; index += 1) {
    rpc.executor.script('runQuery', { reply: { kind: 'ran', text: LARGE, query } });
  }
  return rpc;
}

async function oneQuery(rpc: RpcFixture) {
  const request = { databaseId: 'concert', input: { kind: 'query', sql: 'SELECT 1' } } as const;
  const never = new AbortController().signal;
  return (await rpc.service.runSql({ ...request, observation: {}, limits: {} }, never)).query;
}

/** A connection whose streams have no room for any byte of a response. */
function openSlow(address: string): ClientHttp2Session {
  const session = connectHttp2(`http://${address}`, { settings: { initialWindowSize: 0 } });
  session.on('error', () => {});
  closing.push(() => session.destroy());
  return session;
}

/** Makes a call and reads nothing but a refusal, which is all head and no body. Undefined while the response waits. */
function ask(session: ClientHttp2Session, method: 'RunSql' | 'Step', request: object) {
  const message = SERVICE[method].requestSerialize(request as never);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  const stream = session.request({
    ':method': 'POST',
    ':path': SERVICE[method].path,
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const call: { reason: string | undefined } = { reason: undefined };
  stream.on('error', () => {});
  stream.on('response', (headers) => {
    call.reason = headers['sqlenv-error-reason']?.toString();
  });
  stream.pause();
  stream.end(Buffer.concat([head, message]));
  return call;
}

const LARGE_REQUEST = { databaseId: 'concert', query: 'SELECT 1', observation: { textSizeMax: 0 } };

test('a client that reads nothing filled the memory of the server: large responses over a bound are refused', async () => {
  const rpc = await start(200);
  const slow = openSlow(rpc.address);
  const calls = Array.from({ length: 160 }, () => ask(slow, 'RunSql', LARGE_REQUEST));
  const refused = () => calls.filter(({ reason }) => reason === 'OVERLOADED').length;
  await until(() => refused() >= calls.length - WAITING_COUNT_MAX);
  await sleep(100);
  expect(calls.length - refused()).toBe(WAITING_COUNT_MAX);

  // The bound is that of its connection, and ends with it.
  const { message } = await rpc.client.runSql(LARGE_REQUEST);
  expect(message?.content).toBe(LARGE);
  slow.destroy();
  const next = openSlow(rpc.address);
  const others = Array.from({ length: 20 }, () => ask(next, 'RunSql', LARGE_REQUEST));
  const after = await rpc.client.runSql(LARGE_REQUEST);
  expect(after.message?.content).toBe(LARGE);
  expect(others.filter(({ reason }) => reason !== undefined)).toEqual([]);
});

test('a step whose response was refused so has happened once: its repeat gets the stored response', async () => {
  const rpc = await start(200);
  const slow = openSlow(rpc.address);
  const fill = Array.from({ length: 140 }, () => ask(slow, 'RunSql', LARGE_REQUEST));
  await until(() => fill.some(({ reason }) => reason === 'OVERLOADED'));
  await rpc.client.reset({
    episodeId: 'e',
    taskId: 't/0',
    observation: { textSizeMax: 0 },
    limits: { resultBytesMax: 3_000_000 },
  });
  const before = rpc.executor.calls.filter((call) => call.startsWith('runQuery')).length;
  const toolCall = { name: 'run_sql', argumentsJson: '{"query": "SELECT 1"}' };
  const request = { episodeId: 'e', stepIndex: 0, toolCall };
  const step = ask(slow, 'Step', request);
  await until(() => step.reason !== undefined);
  expect(step.reason).toBe('OVERLOADED');
  const repeated = await rpc.client.step(request);
  expect(repeated.messages[0]?.content).toBe(LARGE);
  const ran = rpc.executor.calls.filter((call) => call.startsWith('runQuery')).length - before;
  expect(ran).toBe(1);
});

test('a frame of an impossible length left its connection open for good: keepalive closes it', async () => {
  const { service } = startService();
  const server = await startServer({
    ...{ service, host: '127.0.0.1', port: 0, log: recordingLog(), keepaliveMs: 200 },
    selfTest: async () => {},
  });
  closing.push(() => server.drain({ drainMs: 0 }));
  const socket = connectSocket({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
  let closed = false;
  socket.on('error', () => {});
  socket.on('end', () => (closed = true));
  socket.on('close', () => (closed = true));
  socket.resume();
  socket.write('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');
  socket.write(Buffer.from('000000040000000000', 'hex'));
  socket.write(Buffer.from('ffffff000000000001', 'hex'));
  socket.end();
  closing.push(() => void socket.destroy());
  await until(() => closed);
  expect(closed).toBe(true);
});

test('keepalive leaves connections alone whose client is there', async () => {
  const { service } = startService();
  const server = await startServer({
    ...{ service, host: '127.0.0.1', port: 0, log: recordingLog(), keepaliveMs: 100 },
    selfTest: async () => {},
  });
  closing.push(() => server.drain({ drainMs: 0 }));
  const session = connectHttp2(`http://127.0.0.1:${server.port}`);
  closing.push(() => session.destroy());
  let pingCount = 0;
  session.on('ping', () => (pingCount += 1));
  await until(() => pingCount >= 5);
  expect(session.closed).toBe(false);
});
