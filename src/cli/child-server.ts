import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { InputProblem } from '../tasks/task-set.ts';

/** A server in a process of its own, so that it and its client don't share an event loop. */
export interface ChildServer {
  readonly address: string;
  /** Where its metrics are scraped; undefined without `--metrics-port`. */
  readonly metricsUrl: string | undefined;
  readonly processId: number;
  /** Broken inputs that it does not serve. */
  readonly skipped: readonly InputProblem[];
  /** Tells it to stop and waits for its end; killed if it takes too long. Idempotent. */
  stop(): Promise<void>;
}

/** The server refused to start; it has said why on stderr. */
export class ChildServerError extends Error {
  override readonly name = 'ChildServerError';
  readonly exitCode: number;

  constructor(exitCode: number) {
    super('the server did not start');
    this.exitCode = exitCode;
  }
}

const STOP_MS = 10_000;

/**
 * A larger young generation than Node's 16 MB, for a tenth of the main thread's time: an episode's objects live longer than most, and
 * are copied at each of its collections.
 */
const SEMI_SPACE = '--max-semi-space-size=64';

/** Starts `sqlenv serve` on a free port of this machine, with further flags. Its log goes to our stderr, or nowhere. */
export async function startChildServer(
  flags: readonly string[],
  log: 'inherit' | 'ignore' = 'inherit',
): Promise<ChildServer> {
  const main = path.join(PACKAGE_ROOT, 'dist', 'src', 'main.js');
  const args = [
    main,
    'serve',
    '--json',
    '--host',
    '127.0.0.1',
    '--port',
    '0',
    '--no-record',
    ...flags,
  ];
  const child = spawn(process.execPath, [SEMI_SPACE, ...args], { stdio: ['ignore', 'pipe', log] });
  // Whatever ends this process ends the server too.
  const kill = (): void => void child.kill('SIGKILL');
  process.once('exit', kill);
  const welcome = await firstLine(child);
  if (welcome === undefined) {
    process.off('exit', kill);
    throw new ChildServerError(child.exitCode ?? 1);
  }
  const { address, skipped, metrics_url } = JSON.parse(welcome) as Pick<
    ChildServer,
    'address' | 'skipped'
  > & { readonly metrics_url?: string | null };
  const stop = async (): Promise<void> => {
    process.off('exit', kill);
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await Promise.race([ended, sleep(STOP_MS, undefined, { ref: false })]);
    kill();
  };
  let stopping: Promise<void> | undefined;
  const processId = child.pid ?? 0;
  const metricsUrl = metrics_url ?? undefined;
  return { address, metricsUrl, processId, skipped, stop: () => (stopping ??= stop()) };
}

/** The first line of its output; undefined if it ends before. */
async function firstLine(child: ChildProcess): Promise<string | undefined> {
  if (!child.stdout) return undefined;
  const ended = once(child, 'close').then(() => undefined);
  const lines = createInterface({ input: child.stdout });
  const line = once(lines, 'line').then(([text]) => String(text));
  return await Promise.race([line, ended]);
}
