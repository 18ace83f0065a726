import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, readdirSync, writeFileSync, writeSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Skipped, until } from './support/chaos.mjs';
import { runawaySql } from './support/play.mjs';

const SOURCE = fileURLToPath(new URL('support/shifted-clock.c', import.meta.url));
const HOUR_S = 3_600;
const YEAR_S = 365 * 24 * HOUR_S;
const JUMPS = { '1 hour on': HOUR_S, '2 hours back': -HOUR_S, '10 years on': 10 * YEAR_S };
const LEASE_MS = 3_000;
const LIMIT_MS = 400;

/** The machine's clock is set while the server works: by hand, by NTP, or after the machine slept. */
export const clockJumps = {
  name: 'clock-jumps',
  title: 'jumps of the wall clock',
  secondsMax: 90,

  async run(chaos) {
    const folder = chaos.folder();
    const clock = shiftedClock(folder);
    const record = path.join(folder, 'trajectories');
    const flags = ['--record', record, '--lease-ms', String(LEASE_MS)];
    const server = await chaos.startServer(flags, { env: clock.env });
    const clients = chaos.connect(server, 2);
    const [task] = await chaos.tasks(clients[0], 1);
    for (const [name, seconds] of Object.entries(JUMPS)) {
      const openedMs = performance.now();
      await clients[0].reset({ episodeId: `idle/${name}`, taskId: task.taskId });
      const runaway = runLimited(clients[1], task.databaseId, name);
      const honest = chaos.playHonest(clients, {
        taskCount: 20,
        rolloutCount: 2,
        prefix: name,
        promised: `${name}: episodes under way get the reward of their script`,
        options: { thinkMs: 50 },
      });
      await sleep(100);
      clock.set(seconds);
      const { status, tookMs } = await runaway;
      chaos.promise(
        `${name}: a query's limits (${LIMIT_MS} ms) hold`,
        status === 'QUERY_STATUS_TIME_LIMIT' && tookMs < LIMIT_MS + 5_000,
        `${status} after ${tookMs} ms`,
      );
      await honest;
      await promiseOfLease(chaos, clients[0], { task, name, openedMs });
    }
    // The last ones are written a moment after their end.
    const years = await until(
      () => startYears(record),
      (found) => found.length > 1,
      5_000,
    );
    chaos.promise(
      'only the record shows the jumps: its times are those of the clock',
      years.length > 1,
      `episodes began in ${years.join(', ')}`,
    );
    await chaos.promiseHealthy(server);
  },
};

/** Builds the library that shifts the clock of one process, and gives what moves it. */
function shiftedClock(folder) {
  const library = path.join(folder, 'shifted-clock.so');
  const file = path.join(folder, 'shift');
  try {
    const args = ['-shared', '-fPIC', '-O1', '-o', library, SOURCE, '-ldl'];
    execFileSync('cc', args, { stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Skipped(`the clock's library can't be built with cc: ${error.message}`);
  }
  writeFileSync(file, Buffer.alloc(8));
  const set = (seconds) => {
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds) * 1_000_000_000n);
    const descriptor = openSync(file, 'r+');
    writeSync(descriptor, bytes, 0, 8, 0);
    closeSync(descriptor);
  };
  return { set, env: { LD_PRELOAD: library, CHAOS_CLOCK_FILE: file } };
}

async function runLimited(client, databaseId, mark) {
  const startMs = performance.now();
  const { query } = await client.runSql({
    databaseId,
    query: runawaySql(mark),
    limits: { queryCpuMsMax: LIMIT_MS, queryWallMsMax: LIMIT_MS },
  });
  return { status: query.status, tookMs: Math.round(performance.now() - startMs) };
}

/** An idle episode outlives the jump, and ends when its lease does. */
async function promiseOfLease(chaos, client, { task, name, openedMs }) {
  const step = { episodeId: `idle/${name}`, stepIndex: 0, finalText: 'SELECT 1' };
  const alive = await client.step(step).then(
    () => 'answered',
    (error) => error.key,
  );
  const idleMs = Math.round(performance.now() - openedMs);
  // On a busy machine the batch before this can have taken longer than the lease.
  const tooLate = idleMs >= LEASE_MS;
  const happened = `${alive} after ${idleMs} ms`;
  chaos.promise(`${name}: no lease ends early`, alive === 'answered' || tooLate, happened);
  const episodeId = `left/${name}`;
  await client.reset({ episodeId, taskId: task.taskId });
  const startMs = performance.now();
  const { episodeCount } = await until(
    () => client.getInfo({}),
    (info) => info.episodeCount === 0,
    LEASE_MS + 10_000,
  );
  const tookMs = Math.round(performance.now() - startMs);
  chaos.promise(
    `${name}: a lease (${LEASE_MS} ms) ends when it is over`,
    episodeCount === 0 && tookMs >= LEASE_MS - 100,
    `after ${tookMs} ms`,
  );
}

function startYears(folder) {
  const years = readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl'))
    .flatMap((name) => readFileSync(path.join(folder, name), 'utf8').split('\n').slice(0, -1))
    .map((line) => JSON.parse(line).started_at.slice(0, 4));
  return [...new Set(years)];
}
