import { until } from './support/chaos.mjs';

const LEASE_MS = 4_000;

/** Half of the clients stop (SIGSTOP: a suspended job, a machine that hangs) and go on later. */
export const clientsStopped = {
  name: 'clients-stopped',
  title: 'SIGSTOP of half the clients',
  secondsMax: 60,

  async run(chaos) {
    const count = chaos.quick ? 16 : 64;
    const server = await chaos.startServer(['--lease-ms', String(LEASE_MS)]);
    const [watcher] = chaos.connect(server);
    const players = await Promise.all(
      Array.from({ length: 4 }, () => chaos.startClientProcess(server)),
    );
    await Promise.all(
      players.map(({ ask }, index) =>
        ask({ do: 'hold', prefix: `client-${index}`, count, thinkMs: 200 }),
      ),
    );
    const stopped = players.slice(0, 2);
    const alive = players.slice(2);
    for (const player of stopped) player.kill('SIGSTOP');
    const begun = performance.now();
    const { episodeCount } = await until(
      () => watcher.getInfo({}),
      (info) => info.episodeCount <= 2 * count,
      LEASE_MS + 10_000,
    );
    const tookMs = Math.round(performance.now() - begun);
    chaos.promise(
      `the leases (${LEASE_MS} ms) of the stopped clients' episodes end, and their places are free`,
      episodeCount === 2 * count,
      `${episodeCount} of ${4 * count} episodes open after ${tookMs} ms, ${2 * count} of them alive`,
    );
    const expired = server
      .logLines('episode ended')
      .filter(({ end, episodeId }) => end === 'expired' && !/^client-[01]\//.test(episodeId));
    chaos.promise(
      'no episode of a living client is ended',
      expired.length === 0,
      `${expired.length} were`,
    );

    for (const player of stopped) player.kill('SIGCONT');
    const [late, well] = await Promise.all(
      [stopped, alive].map(async (group) =>
        (await Promise.all(group.map(({ ask }) => ask({ do: 'finish' })))).flatMap(
          ({ ends }) => ends,
        ),
      ),
    );
    const notFound = late.filter(({ error }) => error === 'NOT_FOUND/EPISODE_NOT_FOUND');
    chaos.promise(
      'clients that go on read EPISODE_NOT_FOUND, never a reward',
      notFound.length === late.length,
      describeEnds(late),
    );
    const right = well.filter(({ reward }) => reward === 1);
    chaos.promise(
      'the other clients notice nothing: all their answers are rewarded',
      right.length === well.length,
      describeEnds(well),
    );
    await chaos.promiseHealthy(server);
  },
};

function describeEnds(ends) {
  const counts = {};
  for (const { reward, error } of ends) {
    const key = error ?? `reward ${reward}`;
    counts[key] = (counts[key] ?? 0) + 1;
  }
  return Object.entries(counts)
    .map(([key, count]) => `${count} ${key}`)
    .join(', ');
}
