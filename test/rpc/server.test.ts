import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { credentials, loadPackageDefinition, status as Status, type Client } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { protoPath } from 'grpc-health-check';
import { afterEach, describe, expect, test } from 'vitest';
import { BindError } from '../../src/bind-error.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { CallError } from '../../src/rpc/client.ts';
import { SERVICE_NAME } from '../../src/rpc/load-proto.ts';
import { startServer } from '../../src/rpc/server.ts';
import { until } from '../support/log.ts';
import { startRpc, type RpcFixture } from '../support/rpc-fixture.ts';
import { startService } from '../support/service-fixture.ts';

const opened: RpcFixture[] = [];

afterEach(async () => {
  await Promise.all(opened.splice(0).map((rpc) => rpc.stop()));
});

async function start(): Promise<RpcFixture> {
  const rpc = await startRpc();
  opened.push(rpc);
  return rpc;
}

/** Asks the standard health service, as any client would. */
function health(address: string, service: string): Promise<string> {
  const definition = loadSync(protoPath, { enums: String });
  const { grpc } = loadPackageDefinition(definition) as never as {
    grpc: { health: { v1: { Health: new (...args: unknown[]) => Client } } };
  };
  const client = new grpc.health.v1.Health(address, credentials.createInsecure());
  return new Promise((resolve) => {
    const check = (client as never as Record<string, (...args: unknown[]) => void>)['check'];
    check?.call(
      client,
      { service },
      (error: { code: number } | null, reply?: { status: string }) => {
        client.close();
        resolve(error === null ? (reply?.status ?? '') : (Status[error.code] ?? ''));
      },
    );
  });
}

describe('health', () => {
  test('is SERVING for the server and the service, unknown for others', async () => {
    const { address } = await start();
    expect(await health(address, '')).toBe('SERVING');
    expect(await health(address, SERVICE_NAME)).toBe('SERVING');
    expect(await health(address, 'nope')).toBe('NOT_FOUND');
  });

  test('is NOT_SERVING until the self-test has run its query', async () => {
    const { service, log } = startService();
    let pass = (): void => {};
    const selfTest = (): Promise<void> => new Promise((resolve) => (pass = resolve));
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const starting = startServer({ service, host: '127.0.0.1', port, log, selfTest });
    const address = `127.0.0.1:${port}`;
    await until(async () => (await health(address, '')) === 'NOT_SERVING');
    pass();
    const server = await starting;
    expect(await health(address, SERVICE_NAME)).toBe('SERVING');
    await server.drain({ drainMs: 0 });
  });

  test('a self-test that fails fails the start, and frees the port', async () => {
    const { service, log } = startService();
    const port = 20_000 + Math.floor(Math.random() * 20_000);
    const options = { service, host: '127.0.0.1', port, log };
    const failing = { ...options, selfTest: () => Promise.reject(new Error('no guard')) };
    await expect(startServer(failing)).rejects.toThrow('no guard');
    const server = await startServer({ ...options, selfTest: async () => {} });
    await server.drain({ drainMs: 0 });
  });
});

describe('binding', () => {
  test('a port in use is a clear error', async () => {
    const { server } = await start();
    const { service, log } = startService();
    const options = { service, host: '127.0.0.1', port: server.port, log };
    const second = startServer({ ...options, selfTest: async () => {} });
    await expect(second).rejects.toThrow(BindError);
    await expect(second).rejects.toThrow(`port ${server.port} of 127.0.0.1 is in use`);
    service.abandonAll();
  });

  test('an address that is not of this machine is a clear error', async () => {
    const { service, log } = startService();
    const options = { service, host: '203.0.113.1', port: 0, log, selfTest: async () => {} };
    await expect(startServer(options)).rejects.toThrow("203.0.113.1:0 can't be listened on");
    service.abandonAll();
  });
});

describe('reflection', () => {
  test.each(['v1', 'v1alpha'])('%s lists the service and knows its symbols', async (version) => {
    const { address } = await start();
    const [services, file, reasons, unknown] = await reflect(address, version, [
      { listServices: '' },
      { fileContainingSymbol: SERVICE_NAME },
      { fileContainingSymbol: 'sqlenv.v1.ErrorReason' },
      { fileContainingSymbol: 'sqlenv.v1.Nope' },
    ]);
    expect(services?.listServicesResponse?.service.map(({ name }) => name)).toContain(SERVICE_NAME);
    for (const name of ['EnvironmentService', 'StepRequest', 'assistant_text']) {
      expect(describes(file, name)).toBe(true);
    }
    expect(describes(reasons, 'ERROR_REASON_STEP_CONFLICT')).toBe(true);
    expect(unknown?.errorResponse).toMatchObject({ errorCode: Status.NOT_FOUND });
  });

  test('its files are what a strict reader accepts, and what proto/ says', async () => {
    const { address } = await start();
    const [reply] = await reflect(address, 'v1', [{ fileContainingSymbol: SERVICE_NAME }]);
    const files = reply?.fileDescriptorResponse?.fileDescriptorProto ?? [];
    const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-reflection-'));
    const image = path.join(folder, 'reflected.binpb');
    writeFileSync(image, Buffer.concat(files.flatMap((file) => [fieldOne(file.length), file])));
    // Breaking changes in both directions: none means that both say the same.
    for (const [input, against] of [
      [image, '.'],
      ['.', image],
    ] as const) {
      const args = [BUF, 'breaking', input, '--against', against];
      execFileSync(process.execPath, args, { cwd: PACKAGE_ROOT });
    }
    rmSync(folder, { recursive: true });
  });
});

const BUF = path.join(PACKAGE_ROOT, 'node_modules/@bufbuild/buf/bin/buf');

/** Tag and length of the first field of a message, a length-delimited one. */
function fieldOne(size: number): Buffer {
  const bytes = [0x0a];
  let rest = size;
  for (; rest > 0x7f; rest >>>= 7) bytes.push((rest & 0x7f) | 0x80);
  return Buffer.from([...bytes, rest]);
}

interface ReflectionReply {
  readonly listServicesResponse?: { readonly service: readonly { readonly name: string }[] };
  readonly fileDescriptorResponse?: { readonly fileDescriptorProto: readonly Buffer[] };
  readonly errorResponse?: { readonly errorCode: number };
}

/** A small reflection client: what grpcurl does first. */
function reflect(address: string, version: string, requests: object[]): Promise<ReflectionReply[]> {
  const root = path.dirname(new URL(import.meta.resolve('@grpc/reflection')).pathname);
  const file = path.join(root, '..', 'proto/grpc/reflection', version, 'reflection.proto');
  const definition = loadSync(file, { longs: Number, oneofs: true });
  const loaded = loadPackageDefinition(definition) as never as {
    grpc: { reflection: Record<string, { ServerReflection: new (...a: unknown[]) => Client }> };
  };
  const Service = loaded.grpc.reflection[version]?.ServerReflection;
  if (Service === undefined) throw new Error(`no reflection ${version}`);
  const client = new Service(address, credentials.createInsecure());
  const open = (client as never as Record<string, () => NodeJS.ReadWriteStream>)[
    'serverReflectionInfo'
  ];
  return new Promise((resolve, reject) => {
    const stream = open?.call(client);
    const replies: ReflectionReply[] = [];
    stream?.on('data', (reply: ReflectionReply) => {
      replies.push(reply);
      if (replies.length < requests.length) return;
      stream.end();
      client.close();
      resolve(replies);
    });
    stream?.on('error', reject);
    for (const request of requests) stream?.write(request as never);
  });
}

/** A descriptor holds every name as plain text; the test needs no decoder to see that they are there. */
function describes(reply: ReflectionReply | undefined, name: string): boolean {
  const files = reply?.fileDescriptorResponse?.fileDescriptorProto ?? [];
  return files.some((bytes) => bytes.includes(name));
}

describe('draining', () => {
  const answer = { stepIndex: 0, finalText: '```sql\nSELECT 1\n```' };

  test('with nothing open it ends at once, and the port is free', async () => {
    const rpc = await start();
    const began = performance.now();
    await rpc.server.drain({ drainMs: 30_000 });
    expect(performance.now() - began).toBeLessThan(1_500);
    const error = await rpc.client.getInfo({}).catch((caught: unknown) => caught);
    expect(error).toMatchObject({ code: Status.UNAVAILABLE });
  });

  test('refuses Reset, says so in the health check, and waits for a step and its episode', async () => {
    const rpc = await start();
    await rpc.client.reset({ episodeId: 'a', taskId: 't/1' });
    const hold = rpc.executor.hold('runQuery');
    const call = { name: 'run_sql', argumentsJson: '{"query":"SELECT 1"}' };
    const step = rpc.client.step({ episodeId: 'a', stepIndex: 0, toolCall: call });
    await hold.entered;
    const drained = rpc.server.drain({ drainMs: 5_000 });
    const refused = await rpc.client
      .reset({ episodeId: 'b', taskId: 't/1' })
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(CallError);
    expect(refused).toMatchObject({ code: Status.UNAVAILABLE, reason: 'DRAINING' });
    expect(await health(rpc.address, '')).toBe('NOT_SERVING');
    expect((await rpc.client.getInfo({})).draining).toBe(true);
    hold.release();
    await step;
    const last = await rpc.client.step({ ...answer, episodeId: 'a', stepIndex: 1 });
    expect(last.reward).toBe(1);
    await drained;
    expect(rpc.recorded.map((line) => line.end)).toEqual(['terminated']);
  });

  test('an episode that nobody works on is abandoned after the quiet time', async () => {
    const rpc = await start();
    await rpc.client.reset({ episodeId: 'a', taskId: 't/1' });
    await rpc.server.drain({ drainMs: 30_000, quietMs: 50 });
    expect(rpc.recorded.map((line) => line.end)).toEqual(['abandoned']);
  });

  test('a step that outlasts the deadline is stopped, with DRAINING, and not taken', async () => {
    const rpc = await start();
    await rpc.client.reset({ episodeId: 'a', taskId: 't/1' });
    const hold = rpc.executor.hold('gradeAnswer');
    const step = rpc.client.step({ ...answer, episodeId: 'a' }).catch((error: unknown) => error);
    await hold.entered;
    await rpc.server.drain({ drainMs: 50 });
    expect(await step).toMatchObject({ code: Status.UNAVAILABLE, reason: 'DRAINING' });
    expect(hold.cancelled).toBe(true);
    expect(rpc.recorded).toMatchObject([{ end: 'abandoned', steps: [], return: 0 }]);
  });

  test('draining twice is one draining', async () => {
    const rpc = await start();
    const first = rpc.server.drain({ drainMs: 0 });
    expect(rpc.server.drain({ drainMs: 0 })).toBe(first);
    await first;
  });
});
