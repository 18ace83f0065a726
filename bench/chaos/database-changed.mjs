import {
  closeSync,
  copyFileSync,
  cpSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PACKAGE_ROOT } from '../../dist/src/package-root.js';
import { describeFailures, until } from './support/chaos.mjs';
import { Caller, answer, playEpisode, toolCall } from './support/play.mjs';

/** For so long a file is trusted that was looked at, and a little more. */
const TRUST_MS = 400;

const CHANGES = {
  truncated: (file) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4_096) * 4_096),
  emptied: (file) => truncateSync(file, 0),
  deleted: (file) => rmSync(file),
  replaced: (file) => {
    copyFileSync(file, `${file}.new`);
    renameSync(`${file}.new`, file);
  },
  'overwritten with zeros': (file) => overwrite(file, 0x00),
  'overwritten with ones': (file) => overwrite(file, 0xff),
};

/** Database files change under the server while answers to them are scored. */
export const databaseChanged = {
  name: 'database-changed',
  title: 'a database file replaced, truncated, overwritten or deleted while open',
  secondsMax: 120,

  async run(chaos) {
    const folder = path.join(chaos.folder(), 'databases');
    cpSync(path.join(PACKAGE_ROOT, 'databases/build'), folder, { recursive: true });
    const tasksFile = path.join(PACKAGE_ROOT, 'databases/tasks.jsonl');
    const server = await chaos.startServer(['--databases', folder, '--tasks', tasksFile]);
    const clients = chaos.connect(server, 2);
    const tasks = groupByDatabase(await chaos.tasks(clients[0], 1_000));
    const databases = [...tasks.keys()];
    const changes = Object.entries(CHANGES);
    const untouched = databases.slice(changes.length);

    const others = new Asking(
      clients[1],
      untouched.flatMap((id) => tasks.get(id)),
      'others',
    );
    for (const [index, [name, change]] of changes.entries()) {
      const databaseId = databases[index];
      const asking = new Asking(clients[0], tasks.get(databaseId), name);
      await until(
        () => asking.rightCount,
        (count) => count >= 10,
        10_000,
      );
      const rightBefore = asking.rightCount;
      change(path.join(folder, databaseId, `${databaseId}.sqlite`));
      asking.caller.failures = {};
      await sleep(TRUST_MS);
      const rightAtOnce = asking.rightCount;
      await sleep(300);
      await asking.stop();
      const keys = Object.keys(asking.caller.failures);
      chaos.promise(
        `${name}: answers are scored rightly or fail as DATABASE_BROKEN, and none is scored wrongly`,
        asking.wrongCount === 0 &&
          rightBefore > 0 &&
          asking.rightCount === rightAtOnce &&
          keys.join() === 'FAILED_PRECONDITION/DATABASE_BROKEN',
        `${asking.wrongCount} wrong, ${rightAtOnce - rightBefore} right just after, ` +
          `${asking.rightCount - rightAtOnce} right later${describeFailures(asking.caller.failures)}`,
      );
    }
    await others.stop();
    chaos.promise(
      'the other databases are served all the time',
      others.wrongCount === 0 && Object.keys(others.caller.failures).length === 0,
      `${others.rightCount} right, ${others.wrongCount} wrong${describeFailures(others.caller.failures)}`,
    );
    const { lostWorkerCount } = await clients[0].getInfo({});
    chaos.promise('no thread dies of it', lostWorkerCount === 0, `${lostWorkerCount} lost`);
    await promiseStillUp(
      chaos,
      server,
      clients[0],
      untouched.flatMap((id) => tasks.get(id)),
    );
  },
};

/** Episodes that look at a gold's rows and answer with it, several at a time, until it is stopped. */
class Asking {
  constructor(client, tasks, prefix) {
    this.client = client;
    this.tasks = tasks;
    this.prefix = prefix;
    this.caller = new Caller();
    this.rightCount = 0;
    this.wrongCount = 0;
    this.asking = true;
    this.expected = new Map();
    this.loops = Array.from({ length: 4 }, (_, index) => this.loop(index));
  }

  async loop(start) {
    for (let index = start; this.asking; index += 4) {
      const task = this.tasks[index % this.tasks.length];
      const turns = [toolCall(task.goldSql), answer(task.goldSql)];
      const episode = { episodeId: `${this.prefix}/${index}`, task, turns };
      try {
        this.take(task, await playEpisode(this.client, episode, this.caller));
      } catch (error) {
        if (error.key === undefined) throw error;
        await sleep(5);
      }
    }
  }

  /** Right is: the reward of the gold, and the rows that were read the first time. */
  take(task, { reward, texts }) {
    const text = texts.join('\0');
    const expected = this.expected.get(task.taskId) ?? text;
    this.expected.set(task.taskId, expected);
    if (reward === 1 && text === expected) this.rightCount += 1;
    else this.wrongCount += 1;
  }

  async stop() {
    this.asking = false;
    await Promise.all(this.loops);
  }
}

async function promiseStillUp(chaos, server, client, tasks) {
  const asking = new Asking(client, tasks, 'afterwards');
  await until(
    () => asking.rightCount,
    (count) => count >= 10,
    10_000,
  );
  await asking.stop();
  chaos.promise(
    'afterwards the server is up, and the databases that are whole are served',
    server.running && asking.wrongCount === 0 && asking.rightCount > 0,
    `${asking.rightCount} right, ${asking.wrongCount} wrong`,
  );
  const how = await server.stop();
  chaos.promise('SIGTERM ends it with exit code 0', how === 0, `it ended with ${how}`);
}

function groupByDatabase(tasks) {
  const groups = new Map();
  for (const task of tasks) {
    groups.set(task.databaseId, [...(groups.get(task.databaseId) ?? []), task]);
  }
  return groups;
}

/** All but the first page. */
function overwrite(file, byte) {
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(statSync(file).size - 4_096, byte), 0, undefined, 4_096);
  closeSync(descriptor);
}
