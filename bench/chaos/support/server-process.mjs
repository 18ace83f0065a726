// The built server in a process of its own, as its users run it, and the ways to hurt it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../../dist/src/package-root.js';
import { cpuSecondsOf, descriptorCountOf, memoryOf, socketCountOf } from './process-facts.mjs';

const START_MS = 60_000;
const STOP_MS = 30_000;
const LOG_LINE_COUNT_MAX = 20_000;
const LOOK_MS = 50;

/** Bytes over which a server is killed: a broken promise must not take the machine along. */
const MEMORY_BYTES_MAX = 3 * 1024 ** 3;

/**
 * Starts `sqlenv serve` on 127.0.0.1 and waits until it serves.
 * `shell` runs before it in the same process (`ulimit -n 256`), `program` in place of the built main file.
 */
export async function startServer(flags, { shell, env = {}, program, port = 0 } = {}) {
  const main = program ?? path.join(PACKAGE_ROOT, 'dist', 'src', 'main.js');
  const node = [process.execPath, main];
  const args = ['serve', '--json', '--host', '127.0.0.1', '--port', String(port), ...flags];
  const command =
    shell === undefined
      ? [...node, ...args]
      : ['bash', '-c', `${shell}; exec "$0" "$@"`, ...node, ...args];
  const child = spawn(command[0], command.slice(1), {
    env: { ...withoutSettings(process.env), NO_COLOR: '1', ...env },
    stdio: program === undefined ? ['ignore', 'pipe', 'pipe'] : ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const server = new ServerProcess(child);
  await server.started();
  return server;
}

/** A server that runs, and what is known of it. */
export class ServerProcess {
  constructor(child) {
    this.child = child;
    this.processId = child.pid;
    this.log = [];
    this.peakBytes = 0;
    this.outgrown = false;
    this.ended = once(child, 'exit').then(([code, signal]) => {
      clearInterval(this.look);
      return signal ?? code;
    });
    createInterface({ input: child.stderr }).on('line', (line) => this.#takeLine(line));
    this.look = setInterval(() => this.#lookAtMemory(), LOOK_MS).unref();
  }

  async started() {
    const lines = createInterface({ input: this.child.stdout });
    const welcome = once(lines, 'line').then(([line]) => JSON.parse(line));
    const failed = this.ended.then((how) => {
      throw new Error(`the server ended with ${how} at its start: ${this.logText()}`);
    });
    const late = sleep(START_MS, undefined, { ref: false }).then(() => {
      throw new Error(`the server did not start within ${START_MS} ms`);
    });
    this.welcome = await Promise.race([welcome, failed, late]);
    failed.catch(() => {});
    late.catch(() => {});
    this.address = this.welcome.address;
    this.port = this.welcome.port;
  }

  #takeLine(line) {
    if (this.log.length >= LOG_LINE_COUNT_MAX) return;
    try {
      this.log.push(JSON.parse(line));
    } catch {
      this.log.push({ level: 'text', msg: line });
    }
  }

  #lookAtMemory() {
    const memory = memoryOf(this.processId);
    if (memory === undefined) return;
    this.peakBytes = Math.max(this.peakBytes, memory.bytes);
    if (memory.bytes > MEMORY_BYTES_MAX) {
      this.outgrown = true;
      this.child.kill('SIGKILL');
    }
  }

  get running() {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** Lines of the log that hold a text, or are of a level. */
  logLines(filter) {
    return this.log.filter((line) => line.level === filter || line.msg?.includes(filter));
  }

  logText() {
    return this.log
      .map((line) => line.msg ?? JSON.stringify(line))
      .slice(-10)
      .join(' | ');
  }

  memory() {
    return memoryOf(this.processId) ?? { bytes: 0, peakBytes: 0, threadCount: 0 };
  }

  descriptorCount() {
    return descriptorCountOf(this.processId);
  }

  socketCount() {
    return this.running ? socketCountOf(this.processId) : 0;
  }

  cpuSeconds() {
    return cpuSecondsOf(this.processId);
  }

  /** CPU time that it uses within some milliseconds, seconds. */
  async cpuSecondsDuring(ms) {
    const before = this.cpuSeconds();
    await sleep(ms);
    return this.cpuSeconds() - before;
  }

  /** Sends a signal and waits for the end. */
  async kill(signal = 'SIGKILL') {
    if (this.running) this.child.kill(signal);
    return await this.ended;
  }

  /** Asks it to stop; resolves with the exit code, or the signal that it took in the end. */
  async stop() {
    if (!this.running) return await this.ended;
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    const how = await this.ended;
    clearTimeout(timer);
    return how;
  }
}

/** Settings of whoever runs this are not the server's. */
function withoutSettings(environment) {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('SQLENV_')),
  );
}
