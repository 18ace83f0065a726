import { connect as connectHttp2 } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeRequest, frame } from './support/client.mjs';
import { describeFailures } from './support/chaos.mjs';
import { Caller, quantile } from './support/play.mjs';

const PATH = '/sqlenv.v1.EnvironmentService/RunSql';
/** About the most that one response holds: 2.9 MB. */
const LARGE_SQL = 'SELECT hex(zeroblob(480000)), hex(zeroblob(480000)), hex(zeroblob(480000))';
const LARGE_BYTES = 2_880_000;
/** 128 MB for each of them, what the server takes anyway, and what its threads keep of large texts. */
const MEMORY_MB_MAX = 1_000;

/** Clients that ask for much and read nothing. */
export const slowReader = {
  name: 'slow-reader',
  title: 'clients that do not read their responses',
  secondsMax: 120,

  async run(chaos) {
    const callCount = chaos.quick ? 60 : 500;
    // A thread that has made many large texts keeps about 60 MB for the next ones. Few threads, so that what is measured here
    // is what waits for readers.
    const server = await chaos.startServer(['--slow-threads', '2']);
    const clients = chaos.connect(server, 4);
    const [task] = await chaos.tasks(clients[0], 1);
    const request = largeRequest(task.databaseId);
    const alone = new Caller();
    await playBeside(chaos, clients, 'before', new Caller());
    await playBeside(chaos, clients, 'without them', alone);

    // Two kinds: one whose streams have no window, and one that leaves everything in the socket.
    const slow = [
      openSlow(chaos, server, { settings: { initialWindowSize: 0 } }),
      openSlow(chaos, server, { reads: false }),
    ];
    for (const reader of slow) reader.ask(request, callCount);
    await playBeside(chaos, clients, 'while they ask', new Caller());
    await settled(clients[0]);
    const beside = new Caller();
    await playBeside(chaos, clients, 'while they do not read', beside);
    const askedMb = Math.round((2 * callCount * LARGE_BYTES) / 1024 ** 2);
    chaos.promise(
      'what they ask for over a bound is refused as OVERLOADED',
      slow[0].refusedCount() > 0,
      `${slow[0].refusedCount()} of ${callCount} on one connection (${askedMb} MB on both)`,
    );
    const [before, after] = [alone, beside].map(({ latencies }) => quantile(latencies, 0.99));
    chaos.promiseOfSpeed(
      'the others are not slowed: their p99 is at most twice what it was',
      after <= before * 2,
      `${after.toFixed(1)} ms, ${before.toFixed(1)} ms before`,
    );
    chaos.promiseMemory(server, MEMORY_MB_MAX);
    for (const reader of slow) reader.close();
    await promiseOfLarge(chaos, clients, request);
    await chaos.promiseHealthy(server);
    chaos.promiseMemory(server, MEMORY_MB_MAX, 'at the end too, memory is bounded');
  },
};

function largeRequest(databaseId) {
  return { databaseId, query: LARGE_SQL, observation: { textSizeMax: 0 } };
}

async function playBeside(chaos, clients, prefix, caller) {
  await chaos.playHonest(clients, {
    taskCount: 20,
    rolloutCount: 4,
    prefix,
    promised: `${prefix}, all others get the reward of their script`,
    caller,
  });
}

/** A connection that asks and does not read. */
function openSlow(chaos, server, { settings, reads = true }) {
  const socket = connectSocket(server.port, '127.0.0.1');
  const session = connectHttp2(`http://${server.address}`, {
    settings,
    createConnection: () => socket,
  });
  session.on('error', () => {});
  chaos.onEnd(() => session.destroy());
  let refusedCount = 0;
  const ask = (request, count) => {
    const body = frame(encodeRequest('RunSql', request));
    const headers = {
      ':method': 'POST',
      ':path': PATH,
      'content-type': 'application/grpc',
      te: 'trailers',
    };
    for (let index = 0; index < count; index += 1) {
      const stream = session.request(headers);
      stream.on('error', () => {});
      // A refusal has no body, so that it passes where nothing else does.
      stream.on('response', (head) => {
        if (head['sqlenv-error-reason'] === 'OVERLOADED') refusedCount += 1;
      });
      stream.pause();
      stream.end(body);
    }
    // What has been asked for is on its way; from here on nothing more is taken from the socket.
    if (!reads) setTimeout(() => socket.pause(), 300);
  };
  return { ask, refusedCount: () => refusedCount, close: () => session.destroy() };
}

async function settled(client) {
  for (let round = 0; round < 200; round += 1) {
    const { runningQueryCount, queuedQueryCount } = await client.getInfo({});
    if (runningQueryCount + queuedQueryCount === 0) break;
    await sleep(100);
  }
  await sleep(500);
}

/** Large responses are no fault in themselves: whoever reads gets them all, in the end. */
async function promiseOfLarge(chaos, clients, request) {
  const caller = new Caller();
  const count = chaos.quick ? 64 : 256;
  const replies = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      caller.call(clients[index % clients.length], 'runSql', request).catch(() => undefined),
    ),
  );
  const whole = replies.filter((reply) => reply?.message.content.length > LARGE_BYTES).length;
  chaos.promise(
    'whoever reads gets large responses whole, if need be with retries',
    whole === count,
    `${whole} of ${count}${describeFailures(caller.failures)}`,
  );
}
