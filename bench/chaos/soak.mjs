import { Caller, answer, quantile, toolCall } from './support/play.mjs';

const CONCURRENT_COUNT = 256;
const PART_COUNT = 10;
const WARM_EPISODE_COUNT = 20_000;
/** How far a figure may move after the warm-up. */
const DRIFT_MAX = 0.05;

/** So many episodes that whatever grows shows. */
export const soak = {
  name: 'soak',
  title: 'a long run: memory, descriptors, threads and latencies stay as they are',
  named: true,
  secondsMaxOf: ({ seconds = 900 }) => seconds + 120,

  async run(chaos) {
    const { episodeCount = 300_000, seconds = 900 } = chaos.options;
    const folder = chaos.folder();
    const server = await chaos.startServer(['--log-level', 'warn', '--record', folder]);
    const clients = chaos.connect(server, 8);
    const tasks = await chaos.tasks(clients[0], 64);
    const run = new Soak(chaos, { server, clients, tasks, episodeCount, seconds });
    const parts = await run.play();
    const playedCount = parts.reduce((sum, part) => sum + part.episodeCount, 0);
    chaos.figure('episodes', `${playedCount} of ${episodeCount}, in at most ${seconds} s`);
    chaos.figure('memory of each tenth, MB', parts.map(({ mb }) => Math.round(mb)).join(', '));
    chaos.figure('p99 of each tenth, ms', parts.map(({ p99 }) => p99.toFixed(1)).join(', '));
    chaos.promise(
      'every episode gets its reward, and no call fails',
      run.wrongCount === 0 && run.failedCount === 0,
      `${playedCount - run.wrongCount - run.failedCount} right, ${run.wrongCount} wrong, ${run.failedCount} failed`,
    );
    promiseOfDrift(chaos, parts);
    await chaos.promiseHealthy(server);
  },
};

function promiseOfDrift(chaos, parts) {
  let playedCount = 0;
  // Warm is a server that has had a tenth of them, and as many as it keeps of ended ones, a few times over.
  const first =
    parts.find((part, index) => {
      const warm = index > 0 && playedCount >= WARM_EPISODE_COUNT;
      playedCount += part.episodeCount;
      return warm;
    }) ?? parts.at(-2);
  const last = parts.at(-1);
  const flat = (name, key, digits = 0) =>
    chaos.promise(
      `${name} flat after the warm-up (within ${DRIFT_MAX * 100} %)`,
      last[key] <= first[key] * (1 + DRIFT_MAX),
      `${first[key].toFixed(digits)} after the warm-up, ${last[key].toFixed(digits)} in the last`,
    );
  flat('memory (MB) is', 'mb');
  flat('descriptors are', 'descriptorCount');
  flat('threads are', 'threadCount');
  chaos.promiseOfSpeed(
    'p99 of the last tenth is at most 1.2 x that of the first',
    last.p99 <= parts[0].p99 * 1.2,
    `${parts[0].p99.toFixed(1)} ms, ${last.p99.toFixed(1)} ms`,
  );
}

/** Plays episodes, so many at once, until there were enough or the time is over. */
class Soak {
  constructor(chaos, settings) {
    Object.assign(this, settings);
    this.chaos = chaos;
    this.nextIndex = 0;
    this.wrongCount = 0;
    this.failedCount = 0;
  }

  async play() {
    const parts = [];
    const endMs = performance.now() + this.seconds * 1_000;
    for (let part = 0; part < PART_COUNT; part += 1) {
      // Each part has its share of the episodes, and of the time that is left, so that a slow machine has ten parts too.
      const partEndMs = performance.now() + (endMs - performance.now()) / (PART_COUNT - part);
      const endIndex = Math.ceil((this.episodeCount * (part + 1)) / PART_COUNT);
      parts.push(await this.playPart(endIndex, partEndMs));
    }
    return parts;
  }

  async playPart(endIndex, endMs) {
    const caller = new Caller();
    const samples = [];
    const sampling = setInterval(() => samples.push(this.sample()), 250);
    const startIndex = this.nextIndex;
    const lanes = Array.from({ length: CONCURRENT_COUNT }, async (_, lane) => {
      while (this.nextIndex < endIndex && performance.now() < endMs) {
        await this.playOne(this.clients[lane % this.clients.length], caller);
        this.chaos.progress(this.nextIndex, this.episodeCount);
      }
    });
    await Promise.all(lanes);
    clearInterval(sampling);
    samples.push(this.sample());
    const mean = (key) => samples.reduce((sum, each) => sum + each[key], 0) / samples.length;
    return {
      episodeCount: this.nextIndex - startIndex,
      p99: quantile(caller.latencies, 0.99),
      mb: mean('mb'),
      descriptorCount: mean('descriptorCount'),
      threadCount: mean('threadCount'),
    };
  }

  async playOne(client, caller) {
    const index = this.nextIndex;
    this.nextIndex += 1;
    const task = this.tasks[index % this.tasks.length];
    const episodeId = `soak/${index}`;
    try {
      await caller.call(client, 'reset', { episodeId, taskId: task.taskId });
      const first = { episodeId, stepIndex: 0, assistantText: toolCall(task.goldSql) };
      await caller.call(client, 'step', first);
      const second = { episodeId, stepIndex: 1, assistantText: answer(task.goldSql) };
      const last = await caller.call(client, 'step', second);
      if (last.reward !== 1) this.wrongCount += 1;
    } catch {
      this.failedCount += 1;
    }
  }

  sample() {
    const { bytes, threadCount } = this.server.memory();
    return {
      mb: bytes / 1024 ** 2,
      threadCount,
      descriptorCount: this.server.descriptorCount(),
    };
  }
}
