import { setTimeout as sleep } from 'node:timers/promises';
import { until } from './support/chaos.mjs';

const LEASE_MS = 4_000;

/** Client processes are killed while their queries run. */
export const clientsVanish = {
  name: 'clients-vanish',
  title: 'clients that vanish without closing',
  secondsMax: 60,

  async run(chaos) {
    const count = chaos.quick ? 8 : 32;
    const server = await chaos.startServer(['--lease-ms', String(LEASE_MS)]);
    const clients = chaos.connect(server, 2);
    const players = await Promise.all(
      Array.from({ length: 4 }, () => chaos.startClientProcess(server)),
    );
    await Promise.all(
      players.map(({ ask }, index) => ask({ do: 'runaway', prefix: `gone-${index}`, count })),
    );
    const busy = await until(
      () => clients[0].getInfo({}),
      ({ runningQueryCount, queuedQueryCount }) =>
        runningQueryCount + queuedQueryCount >= 4 * count,
      15_000,
    );
    const honest = chaos.playHonest(clients, {
      taskCount: 20,
      rolloutCount: chaos.quick ? 2 : 8,
      prefix: 'honest',
      promised: 'honest episodes beside them get the reward of their script',
      // On a busy machine an honest episode can outlast its short lease, too.
      options: { replay: true },
    });
    await sleep(200);
    for (const player of players) player.kill('SIGKILL');
    const begun = performance.now();
    const idle = await until(
      () => clients[0].getInfo({}),
      ({ runningQueryCount, queuedQueryCount }) => runningQueryCount + queuedQueryCount === 0,
      10_000,
    );
    const tookMs = Math.round(performance.now() - begun);
    chaos.promise(
      'their running and waiting queries (60 s each) are stopped',
      idle.runningQueryCount + idle.queuedQueryCount === 0 &&
        busy.runningQueryCount + busy.queuedQueryCount >= 4 * count,
      `${busy.runningQueryCount} running and ${busy.queuedQueryCount} waiting before, ` +
        `${idle.runningQueryCount} and ${idle.queuedQueryCount} after ${tookMs} ms`,
    );
    chaos.promiseOfSpeed('that takes at most a second', tookMs <= 1_000, `${tookMs} ms`);
    await honest;
    const { episodeCount } = await until(
      () => clients[0].getInfo({}),
      (info) => info.episodeCount === 0,
      LEASE_MS + 10_000,
    );
    chaos.promise(
      `their places are free when the leases (${LEASE_MS} ms) end`,
      episodeCount === 0,
      `${episodeCount} episodes open`,
    );
    await chaos.promiseHealthy(server);
  },
};
