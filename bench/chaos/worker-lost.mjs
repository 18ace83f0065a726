import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Caller, compareRewards, honestBatch, playAll, toolCall } from './support/play.mjs';
import { describeFailures } from './support/chaos.mjs';

const PROGRAM = fileURLToPath(new URL('support/server-with-faults.mjs', import.meta.url));

/** Worker threads die under their queries; then the whole process dies as a crash in native code would end it. */
export const workerLost = {
  name: 'worker-lost',
  title: 'death of worker threads under their work, and a native crash',
  secondsMax: 120,

  async run(chaos) {
    const size = chaos.quick
      ? { taskCount: 16, rolloutCount: 4 }
      : { taskCount: 64, rolloutCount: 8 };
    const server = await chaos.startServer([], { program: PROGRAM });
    const clients = chaos.connect(server, 4);
    const tasks = await chaos.tasks(clients[0], size.taskCount);
    const expected = await playAll(
      clients,
      busyBatch(tasks, { rolloutCount: size.rolloutCount, prefix: 'before' }),
      new Caller(),
    );

    const caller = new Caller();
    let killedCount = 0;
    let lostWorkerCount = 0;
    // A thread dies under a query only if one runs there just then, so it goes on until that has happened often enough.
    for (let round = 0; round < 20 && lostWorkerCount < 10; round += 1) {
      const prefix = `killed/${round}`;
      const episodes = busyBatch(tasks, { rolloutCount: size.rolloutCount, prefix });
      let playing = true;
      const batch = playAll(clients, episodes, caller).finally(() => (playing = false));
      while (playing) {
        killedCount = await killThread(server, killedCount % 4);
        await sleep(20);
      }
      promiseSame(chaos, episodes, await batch, expected);
      ({ lostWorkerCount } = await clients[0].getInfo({}));
    }
    const lostCount = caller.failures[LOST] ?? 0;
    chaos.figure('threads ended', killedCount);
    // Queries that travelled together with the one that ran are run again, and their calls notice nothing.
    chaos.promise(
      'a call whose thread died fails as WORKER_LOST or is run again, and the same step can be repeated',
      lostWorkerCount > 0 && Object.keys(caller.failures).every((key) => key === LOST),
      `${killedCount} threads ended, ${lostWorkerCount} of them under queries` +
        describeFailures(caller.failures),
    );
    chaos.promise(
      'the server counts every lost thread',
      lostWorkerCount >= lostCount,
      `${lostWorkerCount} counted, ${lostCount} calls failed`,
    );
    await chaos.promiseHealthy(server);
    await crash(chaos);
  },
};

const LOST = 'INTERNAL/WORKER_LOST';

/** Honest episodes whose first query takes some milliseconds, so that threads have something to die under. */
function busyBatch(tasks, options) {
  return honestBatch(tasks, options).map((episode, index) => ({
    ...episode,
    turns: [toolCall(busySql(index)), ...episode.turns],
  }));
}

function busySql(index) {
  return (
    `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 15000) ` +
    `SELECT ${index}, count(*) FROM c`
  );
}

async function killThread(server, index) {
  const killed = once(server.child, 'message');
  server.child.send({ killThread: index });
  const [message] = await killed;
  return message.killedCount;
}

function promiseSame(chaos, episodes, played, expected) {
  const { rightCount } = compareRewards(episodes, played);
  const same = played.filter(
    ({ texts }, index) => texts?.join('\0') === expected[index].texts.join('\0'),
  ).length;
  if (rightCount === episodes.length && same === episodes.length && chaos.promises.length > 0)
    return;
  chaos.promise(
    'all episodes read the same bytes and get the same rewards as without lost threads',
    rightCount === episodes.length && same === episodes.length,
    `${rightCount} of ${episodes.length} rewards right, ${same} with the same bytes`,
  );
}

/** SQLite or the guard crashing takes the process with it: nothing in between, and never a reward. */
async function crash(chaos) {
  const server = await chaos.startServer();
  const clients = chaos.connect(server, 2);
  const tasks = await chaos.tasks(clients[0], 20);
  const episodes = honestBatch(tasks, { rolloutCount: 4, prefix: 'crash' });
  const caller = new Caller({ retryMs: 0 });
  const playing = playAll(clients, episodes, caller, { thinkMs: 50 });
  await sleep(100);
  const how = await server.kill('SIGSEGV');
  const played = await playing;
  const { wrongCount, failedCount } = compareRewards(episodes, played);
  const keys = Object.keys(caller.failures);
  chaos.promise(
    'calls under way when native code crashes fail as UNAVAILABLE, and none is scored',
    wrongCount === 0 && failedCount > 0 && keys.every((key) => key === 'UNAVAILABLE'),
    `ended by ${how}, ${failedCount} episodes failed, ${wrongCount} scored wrongly` +
      describeFailures(caller.failures),
  );
}
