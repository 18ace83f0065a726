// CPU of the server a step: unary and streamed, with and without the result cache.
import { startChildServer } from '../../dist/src/cli/child-server.js';
import { connectClient } from '../../dist/src/rpc/client.js';
import { cpuMsOf, median, WARM_ROUND_COUNT } from './cpu.mjs';
import { PlainQueries } from './floors.mjs';

/** Steps of each episode in one measurement. */
const STEP_COUNT = 24;

const ROLLOUT_COUNT = 8;

/**
 * Starts a server and measures it `roundCount` times, each right after the floor: what a shared machine does in a minute hits both alike.
 * Gives the medians of microseconds of its CPU a step, and of its ratio to the floor. `group`: eight rollouts of each prompt,
 * three quarters of them running a query that a sibling runs, and new ones in every step.
 */
export async function serverStepUs({ flags, tasks, transport, cache, group, roundCount }) {
  const server = await startChildServer(
    [
      ...flags,
      ...['--log-level', 'info', '--episode-count-max', '100000'],
      ...(cache ? [] : ['--result-cache-bytes-max', '0']),
    ],
    'ignore',
  );
  const client = connectClient(server.address);
  const calls = transport === 'stream' ? client.openStream() : client;
  const floor = new PlainQueries(tasks);
  const figures = [];
  const ratios = [];
  try {
    for (let round = -WARM_ROUND_COUNT; round < roundCount; round += 1) {
      const floorUs = round < 0 ? 0 : await floor.measure();
      const us = await measure(server.processId, calls, tasks, group, round);
      if (round < 0) continue;
      figures.push(us);
      ratios.push(us / floorUs);
    }
  } finally {
    floor.close();
    client.disconnect();
    await server.stop();
  }
  return { us: median(figures), ratio: median(ratios) };
}

async function measure(processId, calls, tasks, group, round) {
  const rollouts = group ? ROLLOUT_COUNT : 1;
  const episodes = await Promise.all(
    tasks.flatMap((task) =>
      Array.from({ length: rollouts }, async (_, rollout) => {
        const episodeId = `${task.taskId}/${round}/${rollout}`;
        const limits = { stepCountMax: STEP_COUNT + 1 };
        await calls.reset({ episodeId, taskId: task.taskId, limits });
        return { episodeId, task, rollout };
      }),
    ),
  );
  const stepCount = group ? Math.ceil(STEP_COUNT / 4) : STEP_COUNT;
  const before = cpuMsOf(processId);
  await Promise.all(
    episodes.map(async ({ episodeId, task, rollout }) => {
      for (let stepIndex = 0; stepIndex < stepCount; stepIndex += 1) {
        // Two queries for eight rollouts: six of them run what another one runs.
        const query = group
          ? `${task.goldSql} -- ${round} ${stepIndex} ${rollout % 2}`
          : task.goldSql;
        const argumentsJson = JSON.stringify({ query });
        await calls.step({ episodeId, stepIndex, toolCall: { name: 'run_sql', argumentsJson } });
      }
    }),
  );
  const us = ((cpuMsOf(processId) - before) * 1_000) / (episodes.length * stepCount);
  await Promise.all(episodes.map(({ episodeId }) => calls.close({ episodeId })));
  return us;
}
