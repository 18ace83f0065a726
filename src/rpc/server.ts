import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials, setLogger, type ChannelOptions } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { bindError } from '../bind-error.ts';
import { ServerError } from '../errors.ts';
import type { EnvironmentService } from '../episodes/service.ts';
import { NO_CALL_TELEMETRY, type CallTelemetry } from '../episodes/telemetry.ts';
import type { Log } from '../logger.ts';
import { createHandlers, serviceOfBytes } from './handlers.ts';
import { REFLECTED_PACKAGE, SERVICE_NAME } from './load-proto.ts';
import { MESSAGE_BYTES_MAX } from './message-size.ts';
import { RunningCalls } from './running-calls.ts';
import { UnreadResponses } from './unread-responses.ts';

/** How a server is started. */
export interface ServerOptions {
  readonly service: EnvironmentService;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly log: Log;
  /** How often a connection is asked whether its client is there; undefined never asks. */
  readonly keepaliveMs?: number | undefined;
  /** Runs a real query; the health check says SERVING only after it. Its failure fails the start. */
  readonly selfTest: () => Promise<void>;
  /** Is told of every call; undefined where nobody measures. */
  readonly telemetry?: CallTelemetry | undefined;
}

/** How long a shutdown waits. */
export interface DrainOptions {
  /** At the latest after this, running steps are stopped and open episodes abandoned. */
  readonly drainMs: number;
  /** Open episodes are waited for only while calls come: after so long without one they are abandoned. */
  readonly quietMs?: number;
}

/** A server that runs. */
export interface RunningServer {
  readonly host: string;
  readonly port: number;
  /** Takes no new episodes, lets steps and episodes end, then stops. Idempotent; never rejects. */
  drain(options: DrainOptions): Promise<void>;
}

const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  // One connection may carry a whole batch, 512 episodes and more at once; clients keep what is over this back by themselves.
  // Each open call takes about 12 kB, so a client that never reads costs 100 MB at the most, and large responses on top.
  'grpc.max_concurrent_streams': 8_192,
};

/** How long a client may take to say that it is there. */
const KEEPALIVE_ANSWER_MS = 20_000;

const QUIET_MS = 5_000;
const POLL_MS = 10;
/** Time for stopped calls to send their status, and for connections to close. */
const GRACE_MS = 1_000;

/** Starts a server: it listens at once, and is healthy once the self-test has passed. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { service, host, log } = options;
  routeGrpcLog(log);
  const server = new Server({ ...CHANNEL_OPTIONS, ...keepaliveOptions(options.keepaliveMs) });
  const calls = new RunningCalls();
  const unread = new UnreadResponses();
  const telemetry = options.telemetry ?? NO_CALL_TELEMETRY;
  const health = new HealthImplementation({ '': 'NOT_SERVING', [SERVICE_NAME]: 'NOT_SERVING' });
  const setHealth = (status: 'SERVING' | 'NOT_SERVING'): void => {
    for (const name of ['', SERVICE_NAME]) health.setStatus(name, status);
  };
  server.addService(serviceOfBytes(), createHandlers({ service, calls, unread, log, telemetry }));
  health.addToServer(server);
  new ReflectionService(REFLECTED_PACKAGE).addToServer(server);
  const port = await bind(server, host, options.port);
  try {
    await options.selfTest();
  } catch (error) {
    server.forceShutdown();
    throw error;
  }
  setHealth('SERVING');
  let draining: Promise<void> | undefined;
  const drain = async (drainOptions: DrainOptions): Promise<void> => {
    setHealth('NOT_SERVING');
    service.beginDrain();
    await waitForQuiet(service, calls, drainOptions);
    if (calls.count > 0) {
      log.warn({ count: calls.count }, 'calls are stopped: the time for draining is over');
      calls.abortAll(new ServerError('DRAINING', 'the server is shutting down'));
      await waitUntil(() => calls.count === 0, GRACE_MS);
    }
    service.abandonAll();
    calls.endStreams();
    await shutDown(server);
  };
  return { host, port, drain: (drainOptions) => (draining ??= drain(drainOptions)) };
}

/**
 * Closes connections that nobody is behind: their machine has vanished, or Node has given their session up without closing it
 * (after a frame of an impossible length it stays open for good, also when the other side closes it).
 */
function keepaliveOptions(keepaliveMs: number | undefined): ChannelOptions {
  if (keepaliveMs === undefined) return {};
  return {
    'grpc.keepalive_time_ms': keepaliveMs,
    'grpc.keepalive_timeout_ms': Math.min(keepaliveMs, KEEPALIVE_ANSWER_MS),
  };
}

/** Waits for running calls, and for open episodes as long as somebody works on them. */
async function waitForQuiet(
  service: EnvironmentService,
  calls: RunningCalls,
  { drainMs, quietMs = QUIET_MS }: DrainOptions,
): Promise<void> {
  await waitUntil(
    () => calls.count === 0 && (service.episodeCount === 0 || calls.quietMs >= quietMs),
    drainMs,
  );
}

async function waitUntil(holds: () => boolean, msMax: number): Promise<void> {
  const end = performance.now() + msMax;
  while (!holds() && performance.now() < end) await sleep(POLL_MS);
}

async function shutDown(server: Server): Promise<void> {
  const graceful = new Promise<void>((resolve) => server.tryShutdown(() => resolve()));
  // Streams that only their client ends (health watches, reflection) must not hold the shutdown up.
  const timer = setTimeout(() => server.forceShutdown(), GRACE_MS);
  await graceful;
  clearTimeout(timer);
}

/** What grpc-js has to say goes where our lines go, and not as plain text to stderr. */
function routeGrpcLog(log: Log): void {
  const say = (...words: unknown[]): void => log.warn({}, `grpc: ${words.map(String).join(' ')}`);
  setLogger({ error: say, info: say, debug: say });
}

async function bind(server: Server, host: string, port: number): Promise<number> {
  const address = `${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return await new Promise<number>((resolve, reject) => {
    server.bindAsync(address, ServerCredentials.createInsecure(), (error, bound) => {
      if (error === null) resolve(bound);
      else reject(bindError(error, host, port, '--port'));
    });
  });
}
