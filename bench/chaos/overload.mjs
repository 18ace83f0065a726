import { Caller, compareRewards, honestBatch, playAll } from './support/play.mjs';
import { describeFailures } from './support/chaos.mjs';

const OVERLOADED = 'RESOURCE_EXHAUSTED/OVERLOADED';

/** Ten times as many episodes and queries at once as there is room for. */
export const overload = {
  name: 'overload',
  title: '10 times the capacity at once',
  secondsMax: 180,

  async run(chaos) {
    const capacity = chaos.quick ? 32 : 256;
    const server = await chaos.startServer([
      ...['--episode-count-max', String(capacity)],
      ...['--queue-count-max', String(capacity / 4)],
    ]);
    const clients = chaos.connect(server, 8);
    const tasks = await chaos.tasks(clients[0], 64);
    const rolloutCount = (10 * capacity) / 64;

    // Without a second try first: what there is no room for is refused at once, and what has room is played.
    const impatient = new Caller({ retryMs: 0 });
    const once = honestBatch(tasks, { rolloutCount, prefix: 'once' });
    const openedCount = await openAll(clients, once, impatient);
    chaos.promise(
      'what there is no room for is refused as OVERLOADED, and nothing else happens to it',
      openedCount <= capacity &&
        openedCount > 0 &&
        Object.keys(impatient.failures).join() === OVERLOADED,
      `${openedCount} of ${once.length} opened${describeFailures(impatient.failures)}`,
    );
    await closeAll(clients, once);

    const patient = new Caller({ retryMs: 120_000 });
    const episodes = honestBatch(tasks, { rolloutCount, prefix: 'retried' });
    const startMs = performance.now();
    const played = await playAll(clients, episodes, patient);
    chaos.figure('seconds', ((performance.now() - startMs) / 1_000).toFixed(1));
    const { rightCount, wrongCount, failedCount } = compareRewards(episodes, played);
    chaos.promise(
      'with retries every honest episode ends with its right reward',
      rightCount === episodes.length,
      `${rightCount} of ${episodes.length} right, ${wrongCount} wrong, ${failedCount} failed` +
        describeFailures(patient.failures),
    );
    chaos.promise(
      'the only failure on the way is OVERLOADED',
      Object.keys(patient.failures).join() === OVERLOADED,
      describeFailures(patient.failures),
    );
    chaos.promiseMemory(server, 800);
    await chaos.promiseHealthy(server);
  },
};

async function openAll(clients, episodes, caller) {
  const opened = await Promise.all(
    episodes.map(async ({ episodeId, task }, index) => {
      const request = { episodeId, taskId: task.taskId };
      try {
        await caller.call(clients[index % clients.length], 'reset', request);
        return 1;
      } catch {
        return 0;
      }
    }),
  );
  return opened.reduce((sum, each) => sum + each, 0);
}

async function closeAll(clients, episodes) {
  await Promise.all(episodes.map(({ episodeId }) => clients[0].end({ episodeId })));
}
