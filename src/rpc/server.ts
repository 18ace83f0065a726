import { isIPv6 } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Server, ServerCredentials, setLogger, type ChannelOptions } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';
import { HealthImplementation } from 'grpc-health-check';
import { ServerError } from '../errors.ts';
import type { EnvironmentService } from '../episodes/service.ts';
import type { Log } from '../logger.ts';
import { createHandlers, MESSAGE_BYTES_MAX, serviceOfBytes } from './handlers.ts';
import { REFLECTED_PACKAGE, SERVICE_NAME } from './load-proto.ts';
import { RunningCalls } from './running-calls.ts';

/** How a server is started. */
export interface ServerOptions {
  readonly service: EnvironmentService;
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly log: Log;
  /** Runs a real query; the health check says SERVING only after it. Its failure fails the start. */
  readonly selfTest: () => Promise<void>;
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

/** The address can't be listened on; its message is for the user. */
export class BindError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = 'BindError';
  }
}

const CHANNEL_OPTIONS: ChannelOptions = {
  'grpc.max_receive_message_length': MESSAGE_BYTES_MAX,
  'grpc.max_send_message_length': MESSAGE_BYTES_MAX,
  // One connection may carry a whole batch: 512 episodes and more at once.
  'grpc.max_concurrent_streams': 2 ** 31 - 1,
};

const QUIET_MS = 5_000;
const POLL_MS = 10;
/** Time for stopped calls to send their status, and for connections to close. */
const GRACE_MS = 1_000;

/** Starts a server: it listens at once, and is healthy once the self-test has passed. */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { service, host, log } = options;
  routeGrpcLog(log);
  const server = new Server(CHANNEL_OPTIONS);
  const calls = new RunningCalls();
  const health = new HealthImplementation({ '': 'NOT_SERVING', [SERVICE_NAME]: 'NOT_SERVING' });
  const setHealth = (status: 'SERVING' | 'NOT_SERVING'): void => {
    for (const name of ['', SERVICE_NAME]) health.setStatus(name, status);
  };
  server.addService(serviceOfBytes(), createHandlers({ service, calls, log }));
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
    await shutDown(server);
  };
  return { host, port, drain: (drainOptions) => (draining ??= drain(drainOptions)) };
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
      else reject(new BindError(describeBindError(error, host, port), error));
    });
  });
}

function describeBindError(error: Error, host: string, port: number): string {
  if (/EADDRINUSE/.test(error.message)) {
    return `port ${port} of ${host} is in use: another server may be running; choose one with --port, or --port 0`;
  }
  if (/EACCES/.test(error.message)) {
    return `port ${port} of ${host} is not allowed to this user; choose one over 1023 with --port`;
  }
  return `${host}:${port} can't be listened on: ${error.message}`;
}
