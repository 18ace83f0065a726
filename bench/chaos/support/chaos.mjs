// What a scenario gets to work with, and what is made of what it says.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { connectClient } from '../../../dist/src/rpc/client.js';
import { connect } from './client.mjs';
import { Caller, compareRewards, honestBatch, playAll } from './play.mjs';
import { startServer } from './server-process.mjs';

const CLIENT_PROGRAM = fileURLToPath(new URL('client-process.mjs', import.meta.url));

/** Thrown by a scenario that this machine can't run; the reason is for the user. */
export class Skipped extends Error {}

/** Runs one scenario within its time, ends everything that it started, and says which promises were kept. */
export async function runScenario(scenario, options = {}) {
  const chaos = new Chaos(options);
  const startMs = performance.now();
  let skipped;
  const secondsMax = scenario.secondsMaxOf?.(options) ?? scenario.secondsMax;
  const timer = sleep(secondsMax * 1_000, undefined, { ref: false }).then(() => {
    throw new Error(`not over after ${secondsMax} s`);
  });
  try {
    await Promise.race([scenario.run(chaos), timer]);
  } catch (error) {
    if (error instanceof Skipped) skipped = error.message;
    else chaos.promise('the scenario comes to its end', false, error.stack ?? String(error));
  } finally {
    timer.catch(() => {});
    await chaos.cleanUp();
  }
  const { promises, figures } = chaos;
  const kept = promises.every(({ verdict }) => verdict !== 'broken');
  const verdict = skipped === undefined ? (kept ? 'kept' : 'broken') : 'skipped';
  const seconds = Number(((performance.now() - startMs) / 1_000).toFixed(1));
  const { name, title } = scenario;
  return { name, title, verdict, seconds, promises, figures, ...(skipped && { skipped }) };
}

/** The hands of a scenario. */
export class Chaos {
  #cleanUps = [];

  constructor(options) {
    /** Smaller counts, and promises about time are measured only. */
    this.quick = options.quick === true;
    this.options = options;
    this.promises = [];
    this.figures = {};
  }

  /** Says whether a promise was kept. */
  promise(promised, kept, happened) {
    this.promises.push({ promised, happened: String(happened), verdict: kept ? 'kept' : 'broken' });
  }

  /** The same for a promise about time or memory that a busy machine can break: with `quick` it is measured only. */
  promiseOfSpeed(promised, kept, happened) {
    if (this.quick) {
      this.promises.push({ promised, happened: String(happened), verdict: 'measured' });
    } else this.promise(promised, kept, happened);
  }

  /** A figure for the report. */
  figure(name, value) {
    this.figures[name] = value;
  }

  /** Tells whoever watches how far a long scenario is. */
  progress(count, totalCount) {
    this.options.onProgress?.(count, totalCount);
  }

  /** Runs when the scenario is over, last one first. */
  onEnd(cleanUp) {
    this.#cleanUps.push(cleanUp);
  }

  async cleanUp() {
    for (const cleanUp of this.#cleanUps.splice(0).toReversed()) {
      try {
        await cleanUp();
      } catch (error) {
        this.promise('everything that was started can be ended', false, error.message);
      }
    }
  }

  /** A folder that goes when the scenario is over. */
  folder() {
    const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-chaos-'));
    this.onEnd(() => rmSync(folder, { recursive: true, force: true }));
    return folder;
  }

  /** Starts a server of the demo tasks (unless the flags name others), which does not outlive the scenario. */
  async startServer(flags = [], options = {}) {
    const given = flags.includes('--databases') ? flags : ['--demo', ...flags];
    const recorded = flags.includes('--record') ? given : [...given, '--no-record'];
    // Many threads take longer to start than a quick scenario to run.
    const few = this.quick && !flags.includes('--slow-threads') ? ['--slow-threads', '4'] : [];
    const server = await startServer(['--log-level', 'info', ...few, ...recorded], options);
    this.onEnd(() => server.kill());
    return server;
  }

  /** So many clients, each with a connection of its own. */
  connect(server, count = 1) {
    const clients = Array.from({ length: count }, () => connect(server.address));
    this.onEnd(() => clients.forEach((client) => client.disconnect()));
    return clients;
  }

  /** The product's client with the calls of episodes on one stream, as trainers make them: it shares the cores with the server. */
  openStream(server) {
    const client = connectClient(server.address);
    this.onEnd(() => client.disconnect());
    return client.openStream();
  }

  /** Starts a client in a process of its own; see `client-process.mjs`. */
  async startClientProcess(server) {
    const child = fork(CLIENT_PROGRAM, [server.address], { stdio: ['ignore', 2, 2, 'ipc'] });
    this.onEnd(() => child.kill('SIGKILL'));
    const ask = async (request) => {
      const reply = this.#nextMessage(child);
      child.send(request);
      return await reply;
    };
    await this.#nextMessage(child);
    return { child, ask, kill: (signal) => child.kill(signal) };
  }

  async #nextMessage(child) {
    const ended = once(child, 'exit').then(([code, signal]) => {
      throw new Error(`a client process ended with ${signal ?? code}`);
    });
    ended.catch(() => {});
    const [message] = await Promise.race([once(child, 'message'), ended]);
    if (message.failed !== undefined) throw new Error(`in a client process: ${message.failed}`);
    return message;
  }

  /** The first tasks, with their golds. */
  async tasks(client, count) {
    const { tasks } = await client.listTasks({ pageSize: count, includeGold: true });
    return tasks;
  }

  /** Plays an honest batch and promises that every episode gets what its script deserves. */
  async playHonest(clients, { taskCount, rolloutCount, prefix, promised, options, caller }) {
    const tasks = await this.tasks(clients[0], taskCount);
    const episodes = honestBatch(tasks, { rolloutCount, prefix });
    const used = caller ?? new Caller();
    const played = await playAll(clients, episodes, used, options);
    const { failedCount, wrongCount, rightCount } = compareRewards(episodes, played);
    this.promise(
      promised ?? 'honest episodes get the reward of their script',
      rightCount === episodes.length,
      `${rightCount} of ${episodes.length} right, ${wrongCount} wrong, ${failedCount} failed` +
        describeFailures(used.failures),
    );
    return { episodes, played, caller: used };
  }

  /** After the fault: the server is as it was, and ends when it is told to. */
  async promiseHealthy(server, { episodeCountMax = 0 } = {}) {
    this.promise('the server is up', server.running, server.running ? 'it is' : server.logText());
    if (!server.running) return;
    const [client] = this.connect(server);
    await this.playHonest([client], {
      taskCount: 20,
      rolloutCount: 2,
      prefix: 'afterwards',
      promised: 'afterwards a batch is played as if nothing had been',
      caller: new Caller({ retryMs: 20_000 }),
    });
    const info = await until(
      () => client.getInfo({}),
      ({ runningQueryCount, queuedQueryCount, episodeCount }) =>
        runningQueryCount + queuedQueryCount === 0 && episodeCount <= episodeCountMax,
      10_000,
    );
    const { runningQueryCount, queuedQueryCount, episodeCount } = info;
    this.promise(
      'nothing is left running, waiting or open',
      runningQueryCount + queuedQueryCount === 0 && episodeCount <= episodeCountMax,
      `${runningQueryCount} running, ${queuedQueryCount} waiting, ${episodeCount} episodes open`,
    );
    if (!this.quick) {
      await sleep(1_000);
      const cpu = await server.cpuSecondsDuring(1_000);
      this.promise('no core burns', cpu < 0.2, `${cpu.toFixed(2)} s of CPU in a second`);
    }
    const errors = server.logLines('a promise was rejected');
    this.promise('no error goes unnoticed', errors.length === 0, `${errors.length} in the log`);
    const how = await server.stop();
    this.promise('SIGTERM ends it with exit code 0', how === 0, `it ended with ${how}`);
  }

  /** The most memory that a server took, against a bound in MB. */
  promiseMemory(server, mbMax, what = 'memory is bounded') {
    const mb = Math.round(server.peakBytes / 1024 ** 2);
    const kept = mb <= mbMax && !server.outgrown;
    this.promise(`${what}: at most ${mbMax} MB`, kept, `${mb} MB at the most`);
  }
}

/** Asks again until it is right, or the time is over; gives the last answer. */
export async function until(ask, isRight, msMax) {
  const giveUpMs = performance.now() + msMax;
  for (;;) {
    const value = await ask();
    if (isRight(value) || performance.now() > giveUpMs) return value;
    await sleep(50);
  }
}

/** `; OVERLOADED 12, UNAVAILABLE 3`, or nothing. */
export function describeFailures(failures) {
  const parts = Object.entries(failures).map(([key, count]) => `${key} ${count}`);
  return parts.length === 0 ? '' : `; on the way: ${parts.join(', ')}`;
}
