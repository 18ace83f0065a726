import { Caller, answer, quantile, toolCall } from './support/play.mjs';

const KB_AN_EPISODE_MAX = 20;

/** Of so many passes the median counts. */
const PASS_COUNT = 3;
const ROUND_EPISODE_COUNT = 1_024;

/** More and more episodes at once. */
export const growth = {
  name: 'growth',
  title: '64, 512 and 4,096 episodes at once',
  secondsMax: 300,

  async run(chaos) {
    const counts = chaos.quick ? [64, 512] : [64, 512, 4_096];
    const server = await chaos.startServer(['--log-level', 'warn']);
    const [caller] = chaos.connect(server);
    const tasks = await chaos.tasks(caller, 64);
    const clients = [chaos.openStream(server)];
    // Golds, threads and compiled code are there before anything is measured.
    for (const count of [64, 512]) {
      await play(server, clients, tasks, { count, prefix: `warm-${count}` });
    }
    // What open episodes take, apart from what many calls at once take: as with think times, few are under way.
    const held = [];
    for (const count of counts) {
      const prefix = `held-${count}`;
      held.push(await play(server, clients, tasks, { count, prefix, inFlightMax: 64 }));
    }
    const passes = [];
    for (let pass = 0; pass < PASS_COUNT; pass += 1) {
      for (const count of counts) {
        const prefix = `pass-${pass}-${count}`;
        passes.push(await playOften(server, clients, tasks, { count, prefix }));
      }
    }
    const rounds = counts.map((count) => medianOf(passes.filter((each) => each.count === count)));
    for (const round of rounds) {
      const { count } = round;
      chaos.promise(
        `${count} at once: all get their reward`,
        round.rightCount === round.episodeCount && round.failureCount === 0,
        `${round.rightCount} of ${round.episodeCount}; ${Math.round(round.stepsPerSecond)} steps/s, ` +
          `p99 ${round.p99.toFixed(0)} ms, ${Math.round(round.bytes / 1024 ** 2)} MB`,
      );
    }
    promiseOfMemory(chaos, held);
    promiseOfGrowth(chaos, rounds);
    await chaos.promiseHealthy(server);
  },
};

function promiseOfMemory(chaos, held) {
  const [first, last] = [held[0], held.at(-1)];
  const kb = (last.bytes - first.bytes) / 1024 / (last.count - first.count);
  const mbs = held.map(({ bytes }) => Math.round(bytes / 1024 ** 2)).join(', ');
  chaos.promiseOfSpeed(
    `memory grows by less than ${KB_AN_EPISODE_MAX} kB an open episode`,
    kb < KB_AN_EPISODE_MAX,
    `${kb.toFixed(1)} kB (${mbs} MB)`,
  );
}

function promiseOfGrowth(chaos, rounds) {
  const first = rounds[0];
  const last = rounds.at(-1);
  chaos.promiseOfSpeed(
    'steps/s do not fall',
    last.stepsPerSecond >= first.stepsPerSecond * 0.9,
    rounds.map(({ stepsPerSecond }) => Math.round(stepsPerSecond)).join(', '),
  );
  const before = rounds.at(-2);
  const factor = last.p99 / before.p99;
  chaos.promiseOfSpeed(
    'p99 grows no faster than the number of episodes',
    factor <= (last.count / before.count) * 1.2,
    `${last.count / before.count} x the episodes, ${factor.toFixed(1)} x the p99`,
  );
}

/** The same again until it has been long enough to be measured: 64 episodes are over in a tenth of a second. */
async function playOften(server, clients, tasks, { count, prefix }) {
  const rounds = [];
  for (let index = 0; index < Math.max(1, ROUND_EPISODE_COUNT / count); index += 1) {
    rounds.push(await play(server, clients, tasks, { count, prefix: `${prefix}-${index}` }));
  }
  const sum = (key) => rounds.reduce((total, each) => total + each[key], 0);
  return {
    count,
    bytes: rounds.at(-1).bytes,
    episodeCount: count * rounds.length,
    failureCount: sum('failureCount'),
    rightCount: sum('rightCount'),
    stepsPerSecond: (3 * count * rounds.length) / (sum('busyMs') / 1_000),
    p99: quantile(
      rounds.flatMap(({ latencies }) => latencies),
      0.99,
    ),
  };
}

/** Of each figure the one in the middle; of the counts the sum. */
function medianOf(passes) {
  const median = (key) =>
    quantile(
      passes.map((each) => each[key]),
      0.5,
    );
  const sum = (key) => passes.reduce((total, each) => total + each[key], 0);
  return {
    count: passes[0].count,
    bytes: median('bytes'),
    stepsPerSecond: median('stepsPerSecond'),
    p99: median('p99'),
    episodeCount: sum('episodeCount'),
    rightCount: sum('rightCount'),
    failureCount: sum('failureCount'),
  };
}

/** Opens so many episodes, takes two steps of each, looks at the memory while all are open, and answers. */
async function play(server, clients, tasks, { count, prefix, inFlightMax = Infinity }) {
  const caller = new Caller();
  const episodes = Array.from({ length: count }, (_, index) => ({
    client: clients[index % clients.length],
    task: tasks[index % tasks.length],
    episodeId: `${prefix}/${index}`,
  }));
  const step = (stepIndex, textOf) =>
    concurrently(episodes, inFlightMax, ({ client, task, episodeId }) => {
      const request = { episodeId, stepIndex, assistantText: textOf(task) };
      return caller.call(client, 'step', request);
    });
  await concurrently(episodes, inFlightMax, ({ client, task, episodeId }) =>
    caller.call(client, 'reset', { episodeId, taskId: task.taskId }),
  );
  caller.latencies = [];
  const startMs = performance.now();
  await step(0, ({ goldSql }) => toolCall(goldSql));
  await step(1, () => toolCall("SELECT sql FROM sqlite_master WHERE type = 'table'"));
  const { bytes } = server.memory();
  const last = await step(2, ({ goldSql }) => answer(goldSql));
  return {
    count,
    bytes,
    busyMs: performance.now() - startMs,
    latencies: caller.latencies,
    failureCount: Object.values(caller.failures).reduce((sum, each) => sum + each, 0),
    rightCount: last.filter(({ reward }) => reward === 1).length,
  };
}

/** Runs something for every item, so many at once; gives the values in the items' order. */
async function concurrently(items, countMax, run) {
  const values = [];
  let next = 0;
  const lane = async () => {
    while (next < items.length) {
      const index = next;
      next += 1;
      values[index] = await run(items[index]);
    }
  };
  await Promise.all(Array.from({ length: Math.min(countMax, items.length) }, lane));
  return values;
}
