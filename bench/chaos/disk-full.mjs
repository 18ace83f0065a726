import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { until } from './support/chaos.mjs';
import { Caller, answer, playAll, toolCall } from './support/play.mjs';

const SMALL_BYTES = 1024 * 1024;
/** What may wait in memory for the disk: see `src/episodes/recorder.ts`. */
const PENDING_MB = 64;

/** The disk that the trajectories go to is full, and later is not. */
export const diskFull = {
  name: 'disk-full',
  title: 'a full disk under the recorder',
  secondsMax: 180,

  async run(chaos) {
    const disk = smallDisk(chaos);
    chaos.figure('the full disk is', disk.what);
    const server = await chaos.startServer(['--record', disk.folder], { shell: disk.shell });
    const clients = chaos.connect(server, 4);
    const tasks = await chaos.tasks(clients[0], 20);

    // Each trajectory holds 900 kB: the disk takes one, memory about 70, and the rest has no place.
    const texts = [
      ...Array.from({ length: 10 }, (_, index) => `small ${index}`),
      ...Array.from({ length: 100 }, (_, index) => `large ${index} ${'x'.repeat(900_000)}`),
    ];
    const caller = new Caller();
    const episodes = longEpisodes(tasks, texts, 'full');
    const played = [];
    for (let at = 0; at < episodes.length; at += 10) {
      played.push(...(await playAll(clients, episodes.slice(at, at + 10), caller)));
    }
    const right = played.filter(({ reward }) => reward === 1).length;
    chaos.promise(
      'no episode fails, and every reward is right',
      right === episodes.length && Object.keys(caller.failures).length === 0,
      `${right} of ${episodes.length} right`,
    );
    const failures = server.logLines('trajectories cannot be written');
    chaos.promise('the log says so once', failures.length === 1, `${failures.length} lines`);
    const drops = server.logLines('a trajectory is dropped');
    chaos.promise('of dropped ones too', drops.length === 1, `${drops.length} lines`);
    chaos.promiseMemory(server, 700, `what waits is bounded (${PENDING_MB} MB)`);

    disk.grow(server);
    const written = await until(
      () => server.logLines('trajectories are written again'),
      (lines) => lines.length > 0,
      60_000,
    );
    chaos.promise('when there is room again, writing goes on', written.length > 0, written.length);
    const droppedCount = written[0]?.droppedCount;
    const lines = () => readLines(disk.folder);
    const found = await until(
      lines,
      ({ ids }) => ids.size + droppedCount >= episodes.length,
      15_000,
    );
    chaos.promise(
      'what was dropped is counted, and all the rest is in the files',
      droppedCount > 0 && found.ids.size + droppedCount === episodes.length,
      `${found.ids.size} written and ${droppedCount} dropped of ${episodes.length}; ${found.tornCount} torn lines`,
    );
    await chaos.promiseHealthy(server);
    const end = readLines(disk.folder);
    const later = [...end.ids].filter((id) => id.startsWith('afterwards')).length;
    chaos.promise('later episodes are recorded', later === 40, `${later} of 40`);
  },
};

function longEpisodes(tasks, texts, prefix) {
  return texts.map((text, index) => {
    const task = tasks[index % tasks.length];
    const turns = [toolCall(task.goldSql), `${text}\n${answer(task.goldSql)}`];
    return { episodeId: `${prefix}/${index}`, task, turns, reward: 1 };
  });
}

/** A disk of 1 MB in memory where this user may mount one, else a bound on the size of files. */
function smallDisk(chaos) {
  const folder = path.join(chaos.folder(), 'disk');
  mkdirSync(folder);
  const mount = ['-t', 'tmpfs', '-o', `size=${SMALL_BYTES}`, 'tmpfs', folder];
  try {
    execFileSync('mount', mount, { stdio: 'ignore' });
  } catch {
    return limitedFiles(folder);
  }
  chaos.onEnd(() => execFileSync('umount', [folder]));
  return {
    what: 'a tmpfs of 1 MB',
    folder,
    grow: () => execFileSync('mount', ['-o', 'remount,size=256m', folder]),
  };
}

/** The soft limit of this process and its children ends writes with EFBIG in place of ENOSPC; prlimit(1) lifts it. */
function limitedFiles(folder) {
  return {
    what: 'RLIMIT_FSIZE of 1 MB (no right to mount a tmpfs)',
    folder,
    shell: `ulimit -S -f ${SMALL_BYTES / 1024}`,
    grow: ({ processId }) => execFileSync('prlimit', ['--pid', processId, '--fsize=unlimited:']),
  };
}

function readLines(folder) {
  const ids = new Set();
  let tornCount = 0;
  for (const name of readdirSync(folder)) {
    if (!name.endsWith('.jsonl')) continue;
    for (const text of readFileSync(path.join(folder, name), 'utf8').split('\n')) {
      if (text === '') continue;
      try {
        ids.add(JSON.parse(text).episode_id);
      } catch {
        tornCount += 1;
      }
    }
  }
  return { ids, tornCount };
}
