import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, answer, quantile, toolCall } from './support/play.mjs';

const KB_AN_EPISODE_MAX = 20;

/** More and more episodes at once. */
export const growth = {
  name: 'growth',
  title: '64, 512 and 4,096 episodes at once',
  secondsMax: 300,

  async run(chaos) {
    const counts = chaos.quick ? [64, 512] : [64, 512, 4_096];
    const server = await chaos.startServer(['--log-level', 'warn']);
    const clients = chaos.connect(server, 8);
    const tasks = await chaos.tasks(clients[0], 64);
    // Golds, threads and compiled code are there before anything is measured.
    for (const warm of [64, 512]) await play(server, clients, tasks, warm, `warm-${warm}`);
    const rounds = [];
    for (const count of counts) {
      const round = await play(server, clients, tasks, count, `growth-${count}`);
      rounds.push(round);
      chaos.promise(
        `${count} at once: all get their reward`,
        round.rightCount === count && Object.keys(round.failures).length === 0,
        `${round.rightCount} of ${count}; ${Math.round(round.stepsPerSecond)} steps/s, ` +
          `p99 ${round.p99.toFixed(0)} ms, ${Math.round(round.bytes / 1024 ** 2)} MB`,
      );
    }
    promiseOfGrowth(chaos, rounds);
    await chaos.promiseHealthy(server);
  },
};

function promiseOfGrowth(chaos, rounds) {
  const first = rounds[0];
  const last = rounds.at(-1);
  chaos.promiseOfSpeed(
    'steps/s do not fall',
    last.stepsPerSecond >= first.stepsPerSecond * 0.9,
    rounds.map(({ stepsPerSecond }) => Math.round(stepsPerSecond)).join(', '),
  );
  const kb = (last.bytes - first.bytes) / 1024 / (last.count - first.count);
  chaos.promiseOfSpeed(
    `memory grows by less than ${KB_AN_EPISODE_MAX} kB an episode`,
    kb < KB_AN_EPISODE_MAX,
    `${kb.toFixed(1)} kB`,
  );
  const before = rounds.at(-2);
  const factor = last.p99 / before.p99;
  chaos.promiseOfSpeed(
    'p99 grows no faster than the number of episodes',
    factor <= (last.count / before.count) * 1.2,
    `${last.count / before.count} x the episodes, ${factor.toFixed(1)} x the p99`,
  );
}

/** Opens so many episodes, takes two steps of each, looks at the memory while all are open, and answers. */
async function play(server, clients, tasks, count, prefix) {
  const caller = new Caller();
  const episodes = Array.from({ length: count }, (_, index) => ({
    client: clients[index % clients.length],
    task: tasks[index % tasks.length],
    episodeId: `${prefix}/${index}`,
  }));
  const step = (stepIndex, textOf) =>
    Promise.all(
      episodes.map(({ client, task, episodeId }) => {
        const request = { episodeId, stepIndex, assistantText: textOf(task) };
        return caller.call(client, 'step', request);
      }),
    );
  await Promise.all(
    episodes.map(({ client, task, episodeId }) =>
      caller.call(client, 'reset', { episodeId, taskId: task.taskId }),
    ),
  );
  caller.latencies = [];
  let busyMs = 0;
  const timed = async (run) => {
    const startMs = performance.now();
    const value = await run();
    busyMs += performance.now() - startMs;
    return value;
  };
  await timed(() => step(0, ({ goldSql }) => toolCall(goldSql)));
  await timed(() => step(1, () => toolCall("SELECT sql FROM sqlite_master WHERE type = 'table'")));
  await sleep(1_000);
  const { bytes } = server.memory();
  const last = await timed(() => step(2, ({ goldSql }) => answer(goldSql)));
  return {
    count,
    bytes,
    failures: caller.failures,
    rightCount: last.filter(({ reward }) => reward === 1).length,
    stepsPerSecond: (3 * count) / (busyMs / 1_000),
    p99: quantile(caller.latencies, 0.99),
  };
}
