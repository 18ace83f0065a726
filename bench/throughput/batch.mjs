// The standard batch, 64 tasks x 8 rollouts, each two tool calls and an answer, in units of the same work without a server.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { startChildServer } from '../../dist/src/cli/child-server.js';
import { connectClient } from '../../dist/src/rpc/client.js';
import { cpuMsOf, median, WARM_ROUND_COUNT } from './cpu.mjs';
import { ROOT } from './root.mjs';

const ROLLOUT_COUNT = 8;
const STEPS_OF_EPISODE = 3;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));

/** A Python that has the client's dependencies: the tests' own, or what PYTHON says; undefined if there is none. */
export function findPython() {
  const own = path.join(ROOT, 'python/.venv-test/bin/python');
  return process.env.PYTHON ?? (existsSync(own) ? own : undefined);
}

/** Writes the tasks for the Python side; `remove` deletes them. */
export function writeTasks(tasks) {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-bench-'));
  const file = path.join(folder, 'tasks.json');
  const kept = tasks.map(({ taskId, file: database, goldSql }) => ({
    taskId,
    goldSql,
    file: database,
  }));
  writeFileSync(file, JSON.stringify(kept));
  return { folder, file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** A Python script that does a round and prints a line for each line that it is given. */
class Rounds {
  #process;
  #lines;

  constructor(args) {
    this.#process = spawn(findPython() ?? 'python3', args, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#lines = createInterface({ input: this.#process.stdout })[Symbol.asyncIterator]();
  }

  /** The next line, as JSON. */
  async read() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the Python process has ended');
    return JSON.parse(value);
  }

  async play() {
    this.#process.stdin.write('\n');
    return await this.read();
  }

  end() {
    this.#process.stdin.end();
  }
}

/** The batch in one Python process without a server, a round at a time. */
export class InProcess {
  #rounds;

  constructor(tasksFile) {
    this.#rounds = new Rounds([here('in_process.py'), tasksFile]);
  }

  /** Seconds of a round. */
  play() {
    return this.#rounds.play();
  }

  end() {
    this.#rounds.end();
  }
}

/** Starts a server that records, hands it to `play`, and adds the CPU that it used there. */
async function withServer({ flags, cache, folder }, play) {
  const server = await startChildServer(
    [
      ...flags,
      ...['--log-level', 'info', '--episode-count-max', '100000'],
      ...['--record', path.join(folder, 'trajectories')],
      ...(cache ? [] : ['--result-cache-bytes-max', '0']),
    ],
    'ignore',
  );
  try {
    return await play(server);
  } finally {
    await server.stop();
  }
}

/**
 * Seconds of the batch with the Python client, by round, each beside a round without a server; seconds of the first one of the server's
 * life; the client's and the server's CPU seconds per 1,000 steps.
 */
export async function pythonBatch({ tasksFile, transport, ...options }) {
  if (findPython() === undefined) return undefined;
  return await withServer(options, async ({ address, processId }) => {
    const warm = String(WARM_ROUND_COUNT);
    const client = new Rounds([here('batch_client.py'), address, tasksFile, warm, transport]);
    const { first } = await client.read();
    const clientCpu = [];
    const played = await measured(options, processId, async () => {
      const { seconds, cpu_seconds: cpu } = await client.play();
      clientCpu.push(cpu);
      return seconds;
    });
    client.end();
    const clientCpuSeconds = clientCpu.reduce((sum, cpu) => sum + cpu, 0);
    const clientCpuPerThousand = (clientCpuSeconds * 1_000) / stepCountOf(options);
    return { first, ...played, clientCpuPerThousand };
  });
}

/** The same with the TypeScript client in this process. */
export async function nodeBatch({ transport, ...options }) {
  return await withServer(options, async ({ address, processId }) => {
    const client = connectClient(address);
    const calls = transport === 'stream' ? client.openStream() : client;
    let round = 0;
    const play = async () => {
      const start = performance.now();
      await playBatch(calls, options.tasks, (round += 1));
      return (performance.now() - start) / 1_000;
    };
    const first = await play();
    while (round < WARM_ROUND_COUNT) await play();
    const played = await measured(options, processId, play);
    client.disconnect();
    return { first, ...played };
  });
}

/** Rounds of a batch, each right after one without a server: what a shared machine does in a minute hits both alike. */
async function measured({ tasks, roundCount, inProcess }, processId, play) {
  const seconds = [];
  const floors = [];
  let serverCpuMs = 0;
  for (let round = 0; round < roundCount; round += 1) {
    floors.push(await inProcess.play());
    const before = cpuMsOf(processId);
    seconds.push(await play());
    serverCpuMs += cpuMsOf(processId) - before;
  }
  const serverCpuPerThousand = serverCpuMs / stepCountOf({ tasks, roundCount });
  const ratio = median(seconds.map((each, round) => each / floors[round]));
  return { seconds, floors, ratio, serverCpuPerThousand };
}

/** Steps of all measured rounds. */
function stepCountOf({ tasks, roundCount }) {
  return tasks.length * ROLLOUT_COUNT * STEPS_OF_EPISODE * roundCount;
}

async function playBatch(calls, tasks, round) {
  const rewards = await Promise.all(
    tasks.flatMap((task) =>
      Array.from({ length: ROLLOUT_COUNT }, (_, rollout) =>
        playEpisode(calls, task, round, rollout),
      ),
    ),
  );
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  if (sum !== rewards.length) throw new Error(`${sum} of ${rewards.length} were rewarded`);
}

async function playEpisode(calls, { taskId, goldSql }, round, rollout) {
  const episodeId = `${taskId}/${round}/${rollout}`;
  await calls.reset({ episodeId, taskId, groupId: taskId });
  for (let stepIndex = 0; stepIndex < 2; stepIndex += 1) {
    const query = `${goldSql} -- node ${round} ${stepIndex} ${rollout % 2}`;
    const toolCall = { name: 'run_sql', argumentsJson: JSON.stringify({ query }) };
    await calls.step({ episodeId, stepIndex, toolCall });
  }
  const finalText = `\`\`\`sql\n${goldSql}\n\`\`\``;
  return (await calls.step({ episodeId, stepIndex: 2, finalText })).reward;
}
