import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { connectClient, type SqlenvClient } from '../../src/rpc/client.ts';

/** What `serve --json` says when it is up. */
export interface Welcome {
  readonly address: string;
  readonly port: number;
  /** Null without --metrics. */
  readonly metrics_port: number | null;
  readonly metrics_url: string | null;
  readonly task_count: number;
  readonly database_count: number;
  readonly skipped: readonly { readonly location: string; readonly message: string }[];
}

/** A process of the command line. */
export interface CommandProcess {
  readonly child: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Resolves with the exit code. */
  readonly exit: Promise<number | null>;
}

/** A server in a process of its own. */
export interface ServerProcess extends CommandProcess {
  readonly welcome: Welcome;
  readonly client: SqlenvClient;
}

/** Runs the built command line. */
export function runCommand(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): CommandProcess {
  const main = path.join(PACKAGE_ROOT, 'dist/src/main.js');
  const child = spawn(process.execPath, [main, ...args], {
    cwd: options.cwd,
    env: { ...process.env, NO_COLOR: '1', ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  }
  const exit = once(child, 'close').then(([code]) => code as number | null);
  return { child, stdout: () => texts.stdout, stderr: () => texts.stderr, exit };
}

/** Starts `serve --json --port 0` and waits until it is up. Fails with its stderr if it ends instead. */
export async function spawnServer(
  args: readonly string[],
  options: { readonly cwd?: string; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ServerProcess> {
  const command = runCommand(['serve', '--json', '--port', '0', ...args], options);
  const up = new Promise<void>((resolve) => {
    command.child.stdout?.on('data', () => {
      if (command.stdout().includes('\n')) resolve();
    });
  });
  const ended = await Promise.race([up, command.exit]);
  if (ended !== undefined) throw new Error(`serve ended with ${ended}: ${command.stderr()}`);
  const welcome = JSON.parse(command.stdout()) as Welcome;
  return { ...command, welcome, client: connectClient(welcome.address, 20_000) };
}
