import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, honestBatch, playAll, compareRewards } from './support/play.mjs';
import { describeFailures, until } from './support/chaos.mjs';
import { ATTACKS } from './support/attacks.mjs';

/** Short, so that a scenario can wait for it. */
const KEEPALIVE_MS = 2_000;
const LEASE_MS = 8_000;

/** Whatever can come over a socket that is no honest gRPC. */
export const garbage = {
  name: 'garbage',
  title: 'malformed frames, floods and random bytes on the port',
  secondsMax: 180,

  async run(chaos) {
    const server = await chaos.startServer([
      ...['--keepalive-ms', String(KEEPALIVE_MS)],
      // Episodes that cut streams have opened go with their leases; honest ones are quicker.
      ...['--lease-ms', String(LEASE_MS)],
    ]);
    const clients = chaos.connect(server, 2);
    const tasks = await chaos.tasks(clients[0], chaos.quick ? 8 : 20);
    const warmUp = honestBatch(tasks, { rolloutCount: 2, prefix: 'warm-up' });
    await playAll(clients, warmUp, new Caller());
    const socketsBefore = server.socketCount();
    for (const [name, attack] of Object.entries(ATTACKS)) {
      await promiseOf(chaos, { server, clients, tasks, name, attack });
      if (!server.running) break;
    }
    const left = await until(
      () => server.socketCount() - socketsBefore,
      (count) => count <= 0,
      5 * KEEPALIVE_MS + 10_000,
    );
    chaos.promise(
      'connections that nobody is behind are closed',
      left <= 0,
      `${left} sockets more than before`,
    );
    chaos.promiseMemory(server, 1_000);
    await chaos.promiseHealthy(server);
  },
};

/** During one attack honest episodes go on, on connections that are open and on a new one. */
async function promiseOf(chaos, { server, clients, tasks, name, attack }) {
  const caller = new Caller({ retryMs: 0 });
  const [fresh] = chaos.connect(server);
  const episodes = honestBatch(tasks, { rolloutCount: 2, prefix: name });
  const attacking = attack({
    port: server.port,
    task: tasks[0],
    scale: chaos.quick ? 0.2 : 1,
  });
  await sleep(20);
  const played = await playAll([...clients, fresh], episodes, caller);
  const said = await attacking;
  fresh.disconnect();
  const { rightCount } = compareRewards(episodes, played);
  chaos.promise(
    `${name}: the server stays up, and honest episodes notice nothing`,
    server.running && rightCount === episodes.length,
    `${rightCount} of ${episodes.length} right${describeFailures(caller.failures)}${said ? `; ${said}` : ''}` +
      (server.running ? '' : `; the server has ended: ${server.logText()}`),
  );
}
