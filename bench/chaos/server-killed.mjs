import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Caller, compareRewards, honestBatch, playAll } from './support/play.mjs';
import { describeFailures } from './support/chaos.mjs';

/** A trajectory is written within moments of its episode's end; one that ended longer ago must be in the file. */
const WRITTEN_MS = 1_000;

/** SIGKILL of the server in the middle of a batch, and a restart on the same port and folder. */
export const serverKilled = {
  name: 'server-killed',
  title: 'SIGKILL of the server in mid-batch',
  secondsMax: 120,

  async run(chaos) {
    const size = chaos.quick
      ? { taskCount: 16, rolloutCount: 4, first: 4 }
      : { taskCount: 64, rolloutCount: 8, first: 16 };
    const expected = await undisturbed(chaos, size);
    const folder = chaos.folder();
    const flags = ['--record', folder];
    const server = await chaos.startServer(flags);
    const clients = chaos.connect(server, 4);
    const tasks = await chaos.tasks(clients[0], size.taskCount);
    const episodes = honestBatch(tasks, { rolloutCount: size.rolloutCount, prefix: 'batch' });
    const caller = new Caller({ retryMs: 60_000 });
    const options = { replay: true, thinkMs: 100 };

    // A first part that ended well before, then the rest, of which a part is under way when the server dies.
    const first = await playAll(clients, episodes.slice(0, size.first), caller, options);
    await sleep(WRITTEN_MS + 200);
    let endedCount = 0;
    const rest = playAll(clients, episodes.slice(size.first), caller, {
      ...options,
      onEnd: () => (endedCount += 1),
    });
    while (endedCount < (episodes.length - size.first) / 3) await sleep(5);
    const killedMs = performance.now();
    await server.kill('SIGKILL');
    const before = readRecord(folder);
    chaos.figure('episodes ended when it died', endedCount + size.first);
    await sleep(500);
    // Whatever has ended by now ended on the server that is dead.
    const restartedMs = performance.now();
    const next = await chaos.startServer(flags, { port: server.port });
    const played = [...first, ...(await rest)];

    promiseOfBatch(chaos, episodes, { played, expected, caller });
    await sleep(WRITTEN_MS);
    const times = { killedMs, restartedMs };
    promiseOfRecord(chaos, episodes, { played, before, after: readRecord(folder), ...times });
    await chaos.promiseHealthy(next);
  },
};

/** The same batch on a server that nobody kills. */
async function undisturbed(chaos, { taskCount, rolloutCount }) {
  const server = await chaos.startServer();
  const [client] = chaos.connect(server);
  const tasks = await chaos.tasks(client, taskCount);
  const episodes = honestBatch(tasks, { rolloutCount, prefix: 'batch' });
  const played = await playAll([client], episodes, new Caller());
  await server.stop();
  return played;
}

function promiseOfBatch(chaos, episodes, { played, expected, caller }) {
  const { rightCount, wrongCount, failedCount } = compareRewards(episodes, played);
  chaos.promise(
    'every episode is played to its right reward, with the ids it had',
    rightCount === episodes.length,
    `${rightCount} of ${episodes.length} right, ${wrongCount} wrong, ${failedCount} failed`,
  );
  const foreign = Object.keys(caller.failures).filter(
    (key) => key !== 'UNAVAILABLE' && key !== 'NOT_FOUND/EPISODE_NOT_FOUND',
  );
  chaos.promise(
    'calls that it took along fail as UNAVAILABLE, and as EPISODE_NOT_FOUND after the restart',
    foreign.length === 0 && (caller.failures['UNAVAILABLE'] ?? 0) > 0,
    describeFailures(caller.failures).replace('; on the way: ', ''),
  );
  const different = played.filter(
    ({ texts, reward }, index) =>
      reward !== expected[index].reward || texts?.join('\0') !== expected[index].texts.join('\0'),
  );
  chaos.promise(
    'a replay reads the same bytes and gets the same rewards as without the kill',
    different.length === 0,
    `${different.length} of ${episodes.length} differ`,
  );
}

function promiseOfRecord(chaos, episodes, { played, before, after, killedMs, restartedMs }) {
  chaos.promise(
    'the trajectory file of the killed server is readable: at most its last line is torn',
    before.tornCount <= 1 && before.tornInside === 0,
    `${before.lines.length} whole lines, ${before.tornCount} torn`,
  );
  const recorded = new Set(before.lines.map(({ episode_id: id }) => id));
  const old = played.filter(({ endedMs }) => endedMs < killedMs - WRITTEN_MS);
  const lost = old.filter(({ episodeId }) => !recorded.has(episodeId));
  chaos.promise(
    'an episode that ended a second before is in the file',
    lost.length === 0 && old.length > 0,
    `${old.length - lost.length} of ${old.length}`,
  );
  const recent = played.filter(({ endedMs }) => endedMs < restartedMs);
  const missing = recent.filter(({ episodeId }) => !recorded.has(episodeId));
  chaos.figure('ended and not yet written when it died', missing.length);

  const returns = new Map();
  let contradictions = 0;
  for (const { episode_id: id, return: value } of after.lines) {
    if (returns.has(id) && returns.get(id) !== value) contradictions += 1;
    returns.set(id, value);
  }
  const lostAfter = episodes.filter(({ episodeId }) => !returns.has(episodeId));
  chaos.promise(
    'after the restart the record holds every episode, but those of the last moment, with one return each',
    contradictions === 0 && lostAfter.every(({ episodeId }) => isIn(missing, episodeId)),
    `${returns.size} of ${episodes.length}, ${contradictions} with two returns`,
  );
}

function isIn(played, episodeId) {
  return played.some((each) => each.episodeId === episodeId);
}

/** All lines of a folder's files, and how many are torn: the last one of a file, or others. */
function readRecord(folder) {
  const record = { lines: [], tornCount: 0, tornInside: 0 };
  for (const name of readdirSync(folder).toSorted()) {
    if (!name.endsWith('.jsonl')) continue;
    const texts = readFileSync(path.join(folder, name), 'utf8').split('\n');
    texts.forEach((text, index) => {
      if (text === '') return;
      try {
        record.lines.push(JSON.parse(text));
      } catch {
        record.tornCount += 1;
        if (index < texts.length - 2) record.tornInside += 1;
      }
    });
  }
  return record;
}
