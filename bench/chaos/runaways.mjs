import { setTimeout as sleep } from 'node:timers/promises';
import {
  Caller,
  answer,
  honestBatch,
  playAll,
  quantile,
  runawaySql,
  toolCall,
} from './support/play.mjs';

/** Limits of the batch: 2 s of CPU and of wall time. */
const LIMIT_MS = 2_000;

/** One of twenty episodes runs queries that never end by themselves. */
export const runaways = {
  name: 'runaways',
  title: '5 % runaway episodes in a batch',
  secondsMax: 180,

  async run(chaos) {
    const size = chaos.quick ? { taskCount: 16, count: 6 } : { taskCount: 64, count: 26 };
    const limitMs = chaos.quick ? 500 : LIMIT_MS;
    const server = await chaos.startServer();
    const [caller] = chaos.connect(server);
    const tasks = await chaos.tasks(caller, size.taskCount);
    const clients = [chaos.openStream(server)];
    // The golds and the threads are warm before anything is measured.
    await playBatch(clients, tasks, 'warm-up', 0, limitMs);
    // The first batch with runaways starts threads for them, which then are kept for ten minutes: later ones are faster.
    const first = await playBatch(clients, tasks, 'first', size.count, limitMs);
    chaos.figure('the first such batch, ms', Math.round(first.wallMs));
    const alone = await playBatch(clients, tasks, 'alone', 0, limitMs);
    const mixed = await playBatch(clients, tasks, 'mixed', size.count, limitMs);
    await sleep(1_000);
    const cpu = await server.cpuSecondsDuring(1_000);
    const next = await playBatch(clients, tasks, 'next', 0, limitMs);

    promiseOfHonest(chaos, alone, mixed);
    const boundMs = limitMs + 500;
    chaos.promiseOfSpeed(
      `the batch ends within the limit and 0.5 s more (${boundMs} ms)`,
      mixed.wallMs <= boundMs,
      `${Math.round(mixed.wallMs)} ms`,
    );
    chaos.promiseOfSpeed('no core burns a second later', cpu < 0.1, `${cpu.toFixed(2)} s of CPU`);
    chaos.promiseOfSpeed(
      'the next batch is as fast as the one before',
      next.wallMs <= alone.wallMs * 1.5,
      `${Math.round(next.wallMs)} ms, ${Math.round(alone.wallMs)} ms before`,
    );
    chaos.promise(
      'the next batch gets the same rewards',
      next.rightCount === next.honestCount,
      `${next.rightCount} of ${next.honestCount}`,
    );
    await chaos.promiseHealthy(server);
  },
};

function promiseOfHonest(chaos, alone, mixed) {
  chaos.promise(
    'every honest episode gets its reward, and none is timed out',
    mixed.rightCount === mixed.honestCount && mixed.timedOutCount === 0,
    `${mixed.rightCount} of ${mixed.honestCount} right, ${mixed.timedOutCount} timed out`,
  );
  chaos.promise(
    'every runaway is told that it took too long',
    mixed.stoppedCount === mixed.runawayCount,
    `${mixed.stoppedCount} of ${mixed.runawayCount}`,
  );
  const before = quantile(alone.latencies, 0.99);
  const beside = quantile(mixed.latencies, 0.99);
  chaos.promiseOfSpeed(
    "the honest calls' p99 is at most twice what it is without them",
    beside <= before * 2,
    `${beside.toFixed(1)} ms beside them, ${before.toFixed(1)} ms without`,
  );
}

/** Eight rollouts of each task at once; the last ones of some tasks are runaways. */
async function playBatch(clients, tasks, prefix, runawayCount, limitMs) {
  const all = honestBatch(tasks, { rolloutCount: 8, prefix });
  const limits = { queryCpuMsMax: limitMs, queryWallMsMax: limitMs };
  const stride = runawayCount === 0 ? Infinity : Math.floor(all.length / runawayCount);
  const isRunaway = (index) => index % stride === stride - 1 && index / stride < runawayCount;
  const honest = all.filter((_, index) => !isRunaway(index));
  const wild = all
    .filter((_, index) => isRunaway(index))
    .map((episode) => ({
      ...episode,
      limits,
      turns: [toolCall(runawaySql(episode.episodeId)), answer(episode.task.goldSql)],
    }));
  const caller = new Caller();
  const startMs = performance.now();
  // Both at once, the runaways first: they take what threads there are.
  const running = playAll(clients, wild, new Caller());
  const honestPlayed = await playAll(clients, honest, caller);
  const wildPlayed = await running;
  return {
    wallMs: performance.now() - startMs,
    latencies: caller.latencies,
    honestCount: honest.length,
    rightCount: honestPlayed.filter(({ reward }, index) => reward === honest[index].reward).length,
    timedOutCount: honestPlayed.filter(isTimedOut).length,
    runawayCount: wild.length,
    stoppedCount: wildPlayed.filter(isTimedOut).length,
  };
}

function isTimedOut({ texts }) {
  return texts?.some((text) => text.includes('took too long')) ?? false;
}
