import { connect } from 'node:http2';
import { setTimeout as sleep } from 'node:timers/promises';
import { status as Status } from '@grpc/grpc-js';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { CallError, connectClient } from '../../src/rpc/client.ts';
import type { StepStream } from '../../src/rpc/stream-client.ts';
import { until } from '../support/log.ts';
import { startRpc, type RpcFixture } from '../support/rpc-fixture.ts';
import { queryInfo } from '../support/scripted-executor.ts';

let rpc: RpcFixture;
let stream: StepStream;
let nextId = 0;

beforeAll(async () => {
  rpc = await startRpc({ storeLimits: { episodeCountMax: 10_000 } as never });
});

afterAll(() => rpc.stop());

beforeEach(() => {
  stream = rpc.client.openStream();
});

afterEach(() => stream.end());

const toolCall = (sql: string) => ({
  name: 'run_sql',
  argumentsJson: JSON.stringify({ query: sql }),
});

async function open(): Promise<string> {
  const episodeId = `s${nextId++}`;
  await stream.reset({ episodeId, taskId: 't/1' });
  return episodeId;
}

async function failureOf(promise: Promise<unknown>): Promise<CallError> {
  const error = await promise.then(
    () => expect.unreachable('the call should have failed'),
    (caught: unknown) => caught,
  );
  expect(error).toBeInstanceOf(CallError);
  return error as CallError;
}

/** Opens a raw stream and sends one message of these bytes; resolves with the trailers or the first reply. */
async function sendRaw(message: Buffer): Promise<{ status: string; reply: Buffer }> {
  const connection = connect(`http://${rpc.address}`).on('error', () => undefined);
  const request = connection.request({
    ':method': 'POST',
    ':path': '/sqlenv.v1.EnvironmentService/StreamSteps',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const frame = Buffer.alloc(5);
  frame.writeUInt32BE(message.length, 1);
  request.write(Buffer.concat([frame, message]));
  const chunks: Buffer[] = [];
  let status = '';
  request.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    request.end();
  });
  // A call that fails before it has answered anything has its status among the first headers.
  for (const event of ['response', 'trailers']) {
    request.on(event, (headers: Record<string, string>) => {
      if (headers['grpc-status'] === undefined) return;
      status = headers['grpc-status'];
      request.end();
    });
  }
  request.on('error', () => undefined);
  await new Promise((resolve) => request.on('close', resolve));
  connection.destroy();
  return { status, reply: Buffer.concat(chunks) };
}

describe('an episode on a stream', () => {
  test('gets to the byte what the unary calls give', async () => {
    const request = { taskId: 't/1', limits: { stepCountMax: 4 }, groupId: 'g' };
    const answers = [];
    for (const calls of [rpc.client, stream]) {
      const episodeId = `same${nextId++}`;
      answers.push([
        { ...(await calls.reset({ episodeId, ...request })), episodeId: '' },
        await calls.step({ episodeId, stepIndex: 0, toolCall: toolCall('SELECT 7') }),
        await calls.step({ episodeId, stepIndex: 1, finalText: '```sql\nSELECT 1\n```' }),
        await calls.close({ episodeId }),
      ]);
    }
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[1]).toMatchObject([{}, { reward: 0 }, { reward: 1, terminated: true }, {}]);
  });

  test('can go on by unary calls, and repeats on the stream get what these said', async () => {
    const episodeId = await open();
    const step = { episodeId, stepIndex: 0, toolCall: toolCall('SELECT 2') };
    const first = await rpc.client.step(step);
    expect(await stream.step(step)).toEqual(first);
  });

  test('a thousand episodes at once: every reply reaches the one who asked', async () => {
    await Promise.all(
      Array.from({ length: 1_000 }, async (_, index) => {
        const episodeId = await open();
        for (let stepIndex = 0; stepIndex < 3; stepIndex += 1) {
          const sql = `SELECT ${index}, ${stepIndex}`;
          const { messages } = await stream.step({ episodeId, stepIndex, toolCall: toolCall(sql) });
          expect(messages[0]?.content).toContain(sql);
        }
      }),
    );
  });

  test('a slow call holds up no other one', async () => {
    const slow = await open();
    const hold = rpc.executor.hold('runQuery');
    const held = stream.step({ episodeId: slow, stepIndex: 0, toolCall: toolCall('SELECT 1') });
    await hold.entered;
    const quick = await open();
    await stream.step({ episodeId: quick, stepIndex: 0, toolCall: toolCall('SELECT 2') });
    hold.release();
    expect((await held).messages).toHaveLength(1);
  });

  test('texts of a megabyte are split over messages, both ways', async () => {
    const long = 'x'.repeat(900_000);
    await Promise.all(
      Array.from({ length: 12 }, async () => {
        const episodeId = await open();
        const answer = await stream.step({ episodeId, stepIndex: 0, finalText: long });
        expect(answer.terminated).toBe(true);
      }),
    );
  });
});

describe('a call that fails on a stream', () => {
  test('has the code, the reason and the text of the unary call, and ends nothing else', async () => {
    const step = { episodeId: 'nobody', stepIndex: 0, finalText: 'x' };
    const unary = await failureOf(rpc.client.step(step));
    const streamed = await failureOf(stream.step(step));
    expect(streamed).toMatchObject({ code: Status.NOT_FOUND, reason: 'EPISODE_NOT_FOUND' });
    expect(streamed.message.replace('step on a stream', 'Step')).toBe(unary.message);
    expect(await open()).toMatch(/^s/);
  });

  test('a field out of range is the mistake of that call alone', async () => {
    const [bad, good] = await Promise.all([
      failureOf(stream.reset({ episodeId: '', taskId: 't/1' })),
      open(),
    ]);
    expect(bad).toMatchObject({ code: Status.INVALID_ARGUMENT, reason: 'INVALID_FIELD' });
    expect(good).toMatch(/^s/);
  });

  test('a lost worker is no reward: the step can be taken again', async () => {
    const episodeId = await open();
    rpc.executor.script('gradeAnswer', { fail: { kind: 'worker_lost' } });
    const answer = { episodeId, stepIndex: 0, finalText: '```sql\nSELECT 1\n```' };
    expect(await failureOf(stream.step(answer))).toMatchObject({ reason: 'WORKER_LOST' });
    expect(await stream.step(answer)).toMatchObject({ reward: 1, terminated: true });
  });

  test('its timeout stops the query, and the step has not happened', async () => {
    const impatient = connectClient(rpc.address, 150);
    const own = impatient.openStream();
    const episodeId = await open();
    const hold = rpc.executor.hold('runQuery');
    const step = { episodeId, stepIndex: 0, toolCall: toolCall('SELECT 1') };
    expect(await failureOf(own.step(step))).toMatchObject({ code: Status.DEADLINE_EXCEEDED });
    await until(() => hold.cancelled);
    expect((await own.step(step)).stepIndex).toBe(0);
    own.end();
    impatient.disconnect();
  });

  test('a response that no message can hold fails by itself', async () => {
    const episodeId = await open();
    rpc.executor.script('runQuery', {
      reply: { kind: 'ran', text: 'x'.repeat(4_300_000), query: queryInfo('SELECT 1') },
    });
    const step = { episodeId, stepIndex: 0, toolCall: toolCall('SELECT 1') };
    const failure = await failureOf(stream.step(step));
    expect(failure.code).toBe(Status.RESOURCE_EXHAUSTED);
    expect(failure.message).toContain('ask for less');
    expect(await open()).toMatch(/^s/);
  });
});

describe('many calls on a stream', () => {
  test('over the bound of calls under way wait, and all are answered', async () => {
    const closed = await Promise.all(
      Array.from({ length: 6_000 }, (_, index) => stream.close({ episodeId: `no${index}` })),
    );
    expect(closed).toHaveLength(6_000);
    expect(closed.every((answer) => !answer.closed)).toBe(true);
  });

  test('in one message, more than may be under way: the stream is refused, and nothing else', async () => {
    // 2 bytes a call: a message of 4 MB would hold two million, and began them all at once
    const { status } = await sendRaw(Buffer.alloc(2 * 5_000, Buffer.from([0x0a, 0x00])));
    expect(Number(status)).toBe(Status.INVALID_ARGUMENT);
    expect(await open()).toMatch(/^s/);
  });

  test('are all sent before the stream ends, also those that wait for it to drain', async () => {
    const own = rpc.client.openStream();
    const calls = Array.from({ length: 1_500 }, (_, index) =>
      own.close({ episodeId: `n${index}` }),
    );
    own.end();
    expect(await Promise.all(calls)).toHaveLength(1_500);
  });

  test('with a timeout beyond what a timer can count are not over at once', async () => {
    const patient = connectClient(rpc.address, 3_000_000_000);
    const own = patient.openStream();
    const episodeId = await open();
    const hold = rpc.executor.hold('runQuery');
    const held = own.step({ episodeId, stepIndex: 0, toolCall: toolCall('SELECT 1') });
    await hold.entered;
    await sleep(30);
    hold.release();
    expect((await held).messages).toHaveLength(1);
    own.end();
    patient.disconnect();
  });
});

describe('the end of a stream', () => {
  test('half-closed by the client: what is under way is still answered', async () => {
    const own = rpc.client.openStream();
    const hold = rpc.executor.hold('runQuery');
    const episodeId = await open();
    const held = own.step({ episodeId, stepIndex: 0, toolCall: toolCall('SELECT 1') });
    await hold.entered;
    own.end();
    hold.release();
    expect((await held).messages).toHaveLength(1);
    expect(await failureOf(own.close({ episodeId }))).toMatchObject({ code: Status.UNAVAILABLE });
  });

  test('a client that vanishes stops its queries; its episodes go on for whoever comes next', async () => {
    const vanishing = connectClient(rpc.address, 5_000, true);
    const own = vanishing.openStream();
    const episodeId = await open();
    const hold = rpc.executor.hold('runQuery');
    const step = { episodeId, stepIndex: 0, toolCall: toolCall('SELECT 1') };
    const lost = failureOf(own.step(step));
    await hold.entered;
    vanishing.disconnect();
    own.cancel();
    expect((await lost).code).toBe(Status.CANCELLED);
    await until(() => hold.cancelled);
    expect((await stream.step(step)).messages).toHaveLength(1);
  });

  test('a shutdown waits for what is under way, and not for idle streams', async () => {
    const other = await startRpc();
    const idle = other.client.openStream();
    const busy = other.client.openStream();
    await idle.reset({ episodeId: 'a', taskId: 't/1' });
    await busy.reset({ episodeId: 'b', taskId: 't/1' });
    const hold = other.executor.hold('runQuery');
    const held = busy.step({ episodeId: 'b', stepIndex: 0, toolCall: toolCall('SELECT 1') });
    await hold.entered;
    const startedMs = performance.now();
    const drained = other.server.drain({ drainMs: 20_000, quietMs: 100 });
    const refused = failureOf(idle.reset({ episodeId: 'c', taskId: 't/1' }));
    expect(await refused).toMatchObject({ code: Status.UNAVAILABLE, reason: 'DRAINING' });
    await sleep(50);
    hold.release();
    expect((await held).messages).toHaveLength(1);
    await drained;
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    expect(await failureOf(idle.close({ episodeId: 'a' }))).toMatchObject({
      code: Status.UNAVAILABLE,
    });
    other.client.disconnect();
  });
});

describe('a stream of another kind of client', () => {
  test('a call that holds nothing is refused by its id', async () => {
    // calls { call_id: 77 }
    const { reply } = await sendRaw(Buffer.from([0x0a, 0x02, 0x08, 77]));
    expect(reply.includes(Buffer.from([0x08, 77]))).toBe(true);
    expect(reply.toString()).toContain('exactly one of reset, step, close must be set');
  });

  test('bytes that are no message end that stream with an error, and the server goes on', async () => {
    const { status } = await sendRaw(Buffer.from([0xff, 0xff, 0xff, 0xff]));
    expect(Number(status)).toBeGreaterThan(0);
    expect(await open()).toMatch(/^s/);
  });

  test('one that reads nothing holds up nobody, and its answers are bounded', async () => {
    const settings = { initialWindowSize: 0 };
    const connection = connect(`http://${rpc.address}`, { settings }).on('error', () => undefined);
    const request = connection.request({
      ':method': 'POST',
      ':path': '/sqlenv.v1.EnvironmentService/StreamSteps',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    request.on('error', () => undefined);
    // calls { call_id: 1, close { episode_id: "x" } }, 20,000 times: each has an answer, and none is read
    const call = Buffer.from([0x0a, 0x07, 0x08, 0x01, 0x2a, 0x03, 0x0a, 0x01, 0x78]);
    const message = Buffer.concat(Array.from({ length: 20_000 }, () => call));
    const frame = Buffer.alloc(5);
    frame.writeUInt32BE(message.length, 1);
    request.write(Buffer.concat([frame, message]));
    await sleep(200);
    expect(await open()).toMatch(/^s/);
    connection.destroy();
    expect(await open()).toMatch(/^s/);
  });
});
