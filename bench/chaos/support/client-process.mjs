// A trainer's client in a process of its own, so that it can be stopped or killed as one. It is told what to do over IPC:
//   { do: 'hold', prefix, count, thinkMs }   opens episodes and steps each until told to finish
//   { do: 'finish' }                         answers all of them, and reports rewards and failures
//   { do: 'runaway', prefix, count }         opens episodes whose first step never ends by itself
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from './client.mjs';
import { Caller, answer, runawaySql, toolCall } from './play.mjs';

const client = connect(process.argv[2]);
const caller = new Caller({ retryMs: 5_000 });
const held = [];

const actions = { hold, finish, runaway };

process.on('message', (request) => {
  actions[request.do](request).then(
    (reply) => process.send(reply),
    (error) => process.send({ failed: error.stack ?? String(error) }),
  );
});
// Whoever started it has gone.
process.on('disconnect', () => process.exit());
process.send({ ready: true });

async function openEpisodes({ prefix, count, limits }) {
  const { tasks } = await client.listTasks({ pageSize: 64, includeGold: true });
  return await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const task = tasks[index % tasks.length];
      const episodeId = `${prefix}/${index}`;
      await caller.call(client, 'reset', { episodeId, taskId: task.taskId, limits });
      return { episodeId, task };
    }),
  );
}

async function hold({ prefix, count, thinkMs }) {
  const limits = { stepCountMax: 1_000, completionTokenCountMax: 10_000_000 };
  const episodes = await openEpisodes({ prefix, count, limits });
  let holding = true;
  const playing = episodes.map(async ({ episodeId, task }) => {
    let stepIndex = 0;
    try {
      while (holding) {
        const assistantText = toolCall(`${task.goldSql} -- ${stepIndex}`);
        await caller.call(client, 'step', { episodeId, stepIndex, assistantText });
        stepIndex += 1;
        await sleep(thinkMs * (0.5 + Math.random()));
      }
      const assistantText = answer(task.goldSql);
      const last = await caller.call(client, 'step', { episodeId, stepIndex, assistantText });
      return { reward: last.episodeReturn };
    } catch (error) {
      return { error: error.key ?? String(error) };
    }
  });
  held.push({ playing, release: () => (holding = false) });
  return { opened: episodes.length };
}

async function finish() {
  for (const each of held) each.release();
  const ends = await Promise.all(held.flatMap(({ playing }) => playing));
  return { ends, failures: caller.failures };
}

async function runaway({ prefix, count }) {
  const limits = { queryCpuMsMax: 60_000, queryWallMsMax: 60_000 };
  const episodes = await openEpisodes({ prefix, count, limits });
  for (const { episodeId } of episodes) {
    const assistantText = toolCall(runawaySql(episodeId));
    // Nobody waits for it: this process is about to be killed.
    client.step({ episodeId, stepIndex: 0, assistantText }).catch(() => {});
  }
  return { opened: episodes.length };
}
