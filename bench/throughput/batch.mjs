// The standard batch, 64 tasks x 8 rollouts, each two tool calls and an answer, in units of the same work without a server.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startChildServer } from '../../dist/src/cli/child-server.js';
import { connectClient } from '../../dist/src/rpc/client.js';
import { cpuMsOf, WARM_ROUND_COUNT } from './cpu.mjs';
import { ROOT } from './root.mjs';

const ROLLOUT_COUNT = 8;
const STEPS_OF_EPISODE = 3;

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const run = promisify(execFile);

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

/** Seconds of the batch in one Python process, by round. */
export async function inProcessSeconds(tasksFile, roundCount) {
  const python = findPython() ?? 'python3';
  const { stdout } = await run(python, [here('in_process.py'), tasksFile, String(roundCount)]);
  return JSON.parse(stdout);
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
 * Seconds of the batch with the Python client, by round, and of the first one of the server's life; the client's and the server's CPU
 * seconds per 1,000 steps.
 */
export async function pythonBatch({ tasksFile, tasks, transport, roundCount, ...options }) {
  const python = findPython();
  if (python === undefined) return undefined;
  return await withServer(options, async ({ address, processId }) => {
    const counts = [String(WARM_ROUND_COUNT), String(roundCount)];
    const args = [here('batch_client.py'), address, tasksFile, ...counts, transport];
    const client = spawn(python, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = [];
    let before = 0;
    for await (const line of createInterface({ input: client.stdout })) {
      if (lines.length === 0) before = cpuMsOf(processId);
      lines.push(JSON.parse(line));
    }
    const [{ first }, last] = lines;
    if (last === undefined) throw new Error('the Python client failed');
    const steps = tasks.length * ROLLOUT_COUNT * STEPS_OF_EPISODE;
    const { seconds, cpu_seconds: clientCpu } = last;
    return {
      first,
      seconds,
      serverCpuPerThousand: (cpuMsOf(processId) - before) / (steps * roundCount),
      clientCpuPerThousand:
        (clientCpu.reduce((sum, cpu) => sum + cpu, 0) * 1_000) / (steps * roundCount),
    };
  });
}

/** The same with the TypeScript client in this process. */
export async function nodeBatch({ tasks, transport, roundCount, ...options }) {
  return await withServer(options, async ({ address, processId }) => {
    const client = connectClient(address);
    const calls = transport === 'stream' ? client.openStream() : client;
    const seconds = [];
    let before = 0;
    let first;
    for (let round = -WARM_ROUND_COUNT; round < roundCount; round += 1) {
      if (round === 0) before = cpuMsOf(processId);
      const start = performance.now();
      await playBatch(calls, tasks, round);
      const took = (performance.now() - start) / 1_000;
      first ??= took;
      if (round >= 0) seconds.push(took);
    }
    const steps = tasks.length * ROLLOUT_COUNT * STEPS_OF_EPISODE * roundCount;
    const serverCpuPerThousand = (cpuMsOf(processId) - before) / steps;
    client.disconnect();
    return { first, seconds, serverCpuPerThousand };
  });
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
