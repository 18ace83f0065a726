import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { connectClient } from '../../src/rpc/client.ts';
import { PROTO } from '../../src/rpc/load-proto.ts';
import { tracingSettings } from '../../src/tracing/settings.ts';
import { until } from '../support/log.ts';
import { spawnServer, type ServerProcess } from '../support/spawn-server.ts';

const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
const PARENT_ID = 'b7ad6b7169203331';

interface WireSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status?: { readonly code?: number };
  readonly attributes: readonly WireAttribute[];
}

interface WireAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string; readonly intValue?: number | string };
}

interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly WireAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
  }[];
}

/** A collector that keeps what it gets. */
interface Collector {
  readonly url: string;
  readonly requests: { readonly path: string; readonly type: string; readonly body: WireExport }[];
  readonly spans: () => WireSpan[];
}

let folder: string;
const servers: ServerProcess[] = [];
const collectors: Server[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-tracing-'));
});

afterEach(async () => {
  for (const { child, client, exit } of servers.splice(0)) {
    client.disconnect();
    child.kill('SIGKILL');
    await exit;
  }
  for (const collector of collectors.splice(0)) {
    collector.closeAllConnections();
    collector.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

async function collect(
  respond: (response: ServerResponse) => void = (response) => response.end('{}'),
  port = 0,
): Promise<Collector> {
  const requests: Collector['requests'] = [];
  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as WireExport;
    const { url = '', headers } = request;
    requests.push({ path: url, type: headers['content-type'] ?? '', body });
    response.setHeader('Content-Type', 'application/json');
    respond(response);
  };
  const server = createServer((request, response) => void receive(request, response));
  collectors.push(server);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const spans = () =>
    requests.flatMap(({ body }) =>
      body.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)),
    );
  return { url, requests, spans };
}

async function serve(env: Readonly<Record<string, string>>, ...args: string[]) {
  const fast = { OTEL_BSP_SCHEDULE_DELAY: '100', ...env };
  const server = await spawnServer(['--demo', '--no-record', ...args], { cwd: folder, env: fast });
  servers.push(server);
  return server;
}

function attributesOf(all: readonly WireAttribute[]): Record<string, string | number> {
  return Object.fromEntries(
    all.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]),
  );
}

/** One step by the client of grpc-js, with headers. */
async function stepWith(address: string, headers: Readonly<Record<string, string>>, step: object) {
  const client = new PROTO.sqlenv.v1.EnvironmentService(address, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  try {
    return await new Promise((resolve, reject) => {
      client.Step(step as never, metadata, (error, response) => {
        if (error) reject(error);
        else resolve(response);
      });
    });
  } finally {
    // Its own `close` is the call of that name.
    Client.prototype.close.call(client);
  }
}

// Not what the server has run already, to see whether it works: its reply would come from the cache.
const toolCall = { name: 'run_sql', argumentsJson: JSON.stringify({ query: 'SELECT 2 + 40' }) };

describe('spans', () => {
  test('join the trace of the caller, and say how the queries went', async () => {
    const collector = await collect();
    const { client, welcome, child, exit } = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
    });
    const page = await client.listTasks({ databaseId: 'bakery_chain', includeGold: true });
    const { taskId = '', goldSql = '' } = page.tasks[0] ?? {};
    await client.reset({ episodeId: 'a', taskId, groupId: 'g' });
    const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`;
    const step = { episodeId: 'a', stepIndex: 0, toolCall };
    await stepWith(welcome.address, { traceparent, tracestate: 'vendor=1' }, step);
    const finalText = `\`\`\`sql\n${goldSql}\n\`\`\``;
    await client.step({ episodeId: 'a', stepIndex: 1, finalText });
    await expect(client.close({ episodeId: '' })).rejects.toThrow('INVALID_ARGUMENT');
    await until(() => collector.spans().length === 5);

    const [list, reset, first, last, refused] = collector.spans();
    expect(first).toMatchObject({
      name: 'sqlenv.v1.EnvironmentService/Step',
      traceId: TRACE_ID,
      parentSpanId: PARENT_ID,
      kind: 2,
    });
    const seen = attributesOf(first?.attributes ?? []);
    expect(seen).toMatchObject({
      'rpc.system': 'grpc',
      'rpc.service': 'sqlenv.v1.EnvironmentService',
      'rpc.method': 'Step',
      'rpc.grpc.status_code': 0,
      'sqlenv.episode_id': 'a',
      'sqlenv.step_index': 0,
      'sqlenv.query_status': 'ok',
    });
    expect(seen['sqlenv.query_us']).toBeGreaterThan(0);
    expect(seen['sqlenv.queue_us']).toBeGreaterThanOrEqual(0);
    const { startTimeUnixNano = '', endTimeUnixNano = '' } = first ?? {};
    expect(BigInt(endTimeUnixNano)).toBeGreaterThan(BigInt(startTimeUnixNano));
    // Without a caller's trace each call is one of its own.
    expect(list?.parentSpanId ?? '').toBe('');
    expect(new Set(collector.spans().map(({ traceId }) => traceId)).size).toBe(5);
    expect(attributesOf(reset?.attributes ?? [])).toMatchObject({
      'rpc.method': 'Reset',
      'sqlenv.task_id': taskId,
      'sqlenv.database_id': 'bakery_chain',
      'sqlenv.group_id': 'g',
    });
    expect(attributesOf(last?.attributes ?? [])).toMatchObject({
      'sqlenv.verdict': 'match',
      'sqlenv.reward': 1,
      'sqlenv.query_status': 'ok',
    });
    expect(attributesOf(refused?.attributes ?? [])).toMatchObject({
      'rpc.grpc.status_code': 3,
      'sqlenv.error_reason': 'INVALID_FIELD',
    });
    // A caller's mistake is no failure of the server.
    expect(refused?.status?.code ?? 0).toBe(0);
    expect(JSON.stringify(collector.requests)).not.toContain('SELECT');

    const [request] = collector.requests;
    expect(request).toMatchObject({ path: '/v1/traces', type: 'application/json' });
    const resource = request?.body.resourceSpans[0]?.resource.attributes ?? [];
    expect(attributesOf(resource)).toMatchObject({
      'service.name': 'sqlenv',
      'deployment.environment': 'test',
    });
    client.disconnect();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  test('are sent at the shutdown, if they still wait then; the name and the sampler can be chosen', async () => {
    const collector = await collect();
    const { client, welcome, child, exit } = await serve({
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/custom`,
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
      OTEL_SERVICE_NAME: 'trainer-env',
      OTEL_TRACES_SAMPLER: 'parentbased_always_off',
    });
    await client.listTasks({});
    const sampled = { traceparent: `00-${TRACE_ID}-${PARENT_ID}-01` };
    const step = { episodeId: 'nobody', stepIndex: 0, toolCall };
    await expect(stepWith(welcome.address, sampled, step)).rejects.toThrow('NOT_FOUND');
    // What is no trace context is no trace.
    const wrong = { traceparent: `00-${'0'.repeat(32)}-${PARENT_ID}-01` };
    await expect(stepWith(welcome.address, wrong, step)).rejects.toThrow('NOT_FOUND');
    expect(collector.requests).toEqual([]);
    client.disconnect();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(collector.spans()).toMatchObject([{ traceId: TRACE_ID, parentSpanId: PARENT_ID }]);
    const [{ path: url, body }] = collector.requests as [Collector['requests'][number]];
    expect(url).toBe('/custom');
    expect(attributesOf(body.resourceSpans[0]?.resource.attributes ?? [])).toMatchObject({
      'service.name': 'trainer-env',
    });
  });

  test('go with metrics: both see the same calls', async () => {
    const collector = await collect();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const { client, welcome } = await serve(env, '--metrics', '0');
    await client.listTasks({});
    await until(() => collector.spans().length === 1);
    const text = await (await fetch(welcome.metrics_url ?? '')).text();
    expect(text).toContain('sqlenv_calls_total{method="ListTasks",status="OK",reason=""} 1\n');
  });
});

describe('a collector that fails', () => {
  test.each([
    ['is not there', 'http://127.0.0.1:1'],
    ['has an address that is none', 'http://nowhere.invalid:4318'],
  ])('because it %s costs a line of the log, and no call', async (_name, url) => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '500' };
    const { client, child, exit, stderr } = await serve(env);
    const lines = () => stderr().split('spans do not reach the collector').length - 1;
    await until(async () => {
      await client.getInfo({});
      return lines() > 0;
    });
    for (let i = 0; i < 100; i += 1) await client.getInfo({});
    client.disconnect();
    const began = Date.now();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(Date.now() - began).toBeLessThan(10_000);
    expect(lines()).toBe(1);
    expect(stderr()).not.toContain('nobody noticed');
  });

  test('because it never answers does not hold the shutdown up', async () => {
    const collector = await collect(() => {});
    const { client, child, exit } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await client.getInfo({});
    await until(() => collector.requests.length === 1);
    for (let i = 0; i < 10; i += 1) await client.getInfo({});
    client.disconnect();
    const began = Date.now();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    expect(Date.now() - began).toBeLessThan(8_000);
  });

  test('and comes back gets spans again, and the log says so', async () => {
    let healthy = false;
    const collector = await collect((response) => {
      response.statusCode = healthy ? 200 : 400;
      response.end('{}');
    });
    const { client, stderr } = await serve({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
    await client.getInfo({});
    await until(() => stderr().includes('spans do not reach the collector'));
    healthy = true;
    await client.getInfo({});
    await until(() => stderr().includes('spans reach the collector again'));
  });

  test('settings that are wrong are said, and the server serves', async () => {
    const { client, stderr } = await serve({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost',
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'sometimes',
    });
    expect((await client.getInfo({})).taskCount).toBe(114);
    // The log comes through a pipe, and a reply through a socket can overtake it.
    for (const said of [
      'OTEL_EXPORTER_OTLP_ENDPOINT: an endpoint starts with http',
      'OTLP protocol grpc: spans are sent as http/json all the same',
      'OTEL_TRACES_SAMPLER value \\"sometimes\\" invalid',
    ]) {
      await until(() => stderr().includes(said));
    }
  });
});

describe('what is off', () => {
  /** Addresses of all that a server loaded, main thread and workers, as V8 itself tells it. */
  async function loadedFiles(
    env: Readonly<Record<string, string>>,
    ...args: string[]
  ): Promise<string> {
    const coverage = mkdtempSync(path.join(folder, 'v8-'));
    // Every thread writes down what it has loaded, which takes its time.
    const few = ['--threads', '1', '--slow-threads', '1'];
    const { client, welcome, child, exit } = await serve(
      { NODE_V8_COVERAGE: coverage, ...env },
      ...few,
      ...args,
    );
    client.disconnect();
    const own = connectClient(welcome.address, 20_000);
    await own.getInfo({});
    own.disconnect();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    const urls = readdirSync(coverage).flatMap((name) => {
      const text = readFileSync(path.join(coverage, name), 'utf8');
      const { result } = JSON.parse(text) as { result: readonly { readonly url: string }[] };
      return result.map(({ url }) => url);
    });
    const text = urls.filter((url) => url.startsWith('file:')).join('\n');
    expect(text).toContain('@grpc/grpc-js');
    return text;
  }

  test('is not loaded: neither OpenTelemetry nor the client of Prometheus', async () => {
    const files = await loadedFiles({});
    expect(files).not.toContain('@opentelemetry');
    expect(files).not.toContain('prom-client');
    expect(files).not.toContain('/src/metrics/');
    expect(files).not.toContain('/src/tracing/tracing');
    const on = await loadedFiles({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1' });
    expect(on).toContain('@opentelemetry/sdk-trace-node');
    expect(on).not.toContain('prom-client');
    const metrics = await loadedFiles({}, '--metrics', '0');
    expect(metrics).toContain('prom-client');
    expect(metrics).not.toContain('@opentelemetry/sdk-trace');
  });

  test.each<[string, Record<string, string>, boolean]>([
    ['no variable', {}, false],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }, false],
    ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x' }, true],
    ['an endpoint of traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://x' }, true],
    [
      'a disabled SDK',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'TRUE' },
      false,
    ],
    [
      'no exporter',
      { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_TRACES_EXPORTER: 'none' },
      false,
    ],
    ['only the endpoint of metrics', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://x' }, false],
  ])('%s: %j', (_name, environment, on) => {
    expect(tracingSettings(environment)).toEqual(on ? { warnings: [] } : undefined);
  });
});
