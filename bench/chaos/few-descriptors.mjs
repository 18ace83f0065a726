import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeFailures } from './support/chaos.mjs';
import { Caller, runawaySql } from './support/play.mjs';

const DESCRIPTOR_COUNT_MAX = 256;

/** How a query may end that would never end by itself, on a server that can open nothing. */
const ENDS = [
  'QUERY_STATUS_TIME_LIMIT',
  'INTERNAL/INTERNAL',
  'INTERNAL/WORKER_LOST',
  'RESOURCE_EXHAUSTED/OVERLOADED',
];

/** A server that may open 256 files (`ulimit -n 256`), and more clients than that leaves room for. */
export const fewDescriptors = {
  name: 'few-descriptors',
  title: '`ulimit -n 256` with 512 episodes on 64 connections',
  secondsMax: 120,

  async run(chaos) {
    const server = await chaos.startServer([], { shell: `ulimit -n ${DESCRIPTOR_COUNT_MAX}` });
    const clients = chaos.connect(server, chaos.quick ? 32 : 64);
    const rolloutCount = chaos.quick ? 2 : 8;
    await chaos.playHonest(clients, {
      taskCount: 64,
      rolloutCount,
      prefix: 'many',
      promised: 'all episodes are served, with their right rewards',
      caller: new Caller({ retryMs: 60_000 }),
    });
    chaos.figure('descriptors in use', server.descriptorCount());

    // Far more connections than descriptors: the kernel takes them, and the server can't.
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connectSocket(server.port, '127.0.0.1');
      socket.on('error', () => {});
      return socket;
    });
    await sleep(1_000);
    const taken = server.descriptorCount();
    const [spare] = chaos.connect(server);
    const refused = await spare.getInfo({}, { deadlineMs: 2_000 }).then(
      () => 'served',
      (error) => error.key ?? String(error),
    );
    chaos.promise(
      'with all descriptors taken a new client is served, or refused as UNAVAILABLE or by its deadline',
      ['served', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(refused),
      `${taken} of ${DESCRIPTOR_COUNT_MAX} descriptors taken, a new client: ${refused}`,
    );
    const wild = runSlow(clients[4], chaos.quick ? 8 : 24);
    await chaos.playHonest(clients.slice(0, 4), {
      taskCount: 20,
      rolloutCount: 4,
      prefix: 'beside',
      promised: 'clients that are connected are served all the same',
      caller: new Caller({ retryMs: 30_000 }),
    });
    const counts = await wild;
    chaos.promise(
      'slow queries that need threads of their own then are stopped in time, or fail; none is taken for an answer',
      Object.keys(counts).every((key) => ENDS.includes(key)),
      describeFailures(counts).replace('; on the way: ', ''),
    );
    for (const socket of sockets) socket.destroy();
    for (const client of clients) client.disconnect();
    await sleep(500);
    await chaos.promiseHealthy(server);
  },
};

async function runSlow(client, count) {
  const { tasks } = await client.listTasks({ pageSize: 1 });
  const counts = {};
  const limits = { queryCpuMsMax: 300, queryWallMsMax: 3_000 };
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const query = runawaySql(`few ${index}`);
      const end = await client.runSql({ databaseId: tasks[0].databaseId, query, limits }).then(
        (reply) => reply.query.status,
        (error) => error.key ?? String(error),
      );
      counts[end] = (counts[end] ?? 0) + 1;
    }),
  );
  return counts;
}
