// `npm run bench`: what a step costs, beside what nothing can be cheaper than, all in one run. See docs/performance.md.
//
//   npm run bench [-- --rounds 5] [--json FILE] [--fast]
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { findPython, InProcess, nodeBatch, pythonBatch, writeTasks } from './throughput/batch.mjs';
import { median } from './throughput/cpu.mjs';
import { echoUs, guardedQueryUs, piscinaTaskUs, plainQueryUs } from './throughput/floors.mjs';
import { serverStepUs } from './throughput/server-steps.mjs';
import { benchTasks } from './throughput/tasks.mjs';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    json: { type: 'string' },
    fast: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log('usage: npm run bench [-- --rounds N (5)] [--json FILE] [--fast: one round of each]');
  process.exit(0);
}
const roundCount = values.fast ? 1 : Number(values.rounds);
if (!Number.isInteger(roundCount) || roundCount < 1) {
  console.error('--rounds takes a whole number from 1');
  process.exit(2);
}

const { name, flags, tasks, allTasks } = benchTasks();
const processor = cpus()[0]?.model ?? 'unknown processor';
console.log(`${tasks.length} golds of ${name}, ${roundCount} rounds, medians`);
console.log(`${cpus().length} x ${processor}, Node ${process.versions.node}\n`);
const report = { tasks: name, rounds: roundCount, processor, node: process.versions.node };

await cpuOfSteps();
await standardBatch();
if (values.json !== undefined) {
  writeFileSync(values.json, `${JSON.stringify(report, undefined, 2)}\n`);
}

async function cpuOfSteps() {
  const floors = {
    'plain better-sqlite3 + JSON, in-process': () => plainQueryUs(tasks),
    'the same, with the guard': () => guardedQueryUs(tasks),
    'piscina alone, one task a message': () => piscinaTaskUs(1),
    'piscina alone, 16 tasks a message': () => piscinaTaskUs(16),
    'gRPC echo alone, unary': () => echoUs('unary'),
    'gRPC echo alone, on a stream': () => echoUs('stream'),
  };
  const rows = [];
  for (const [what, measure] of Object.entries(floors)) {
    const figures = [];
    for (let round = 0; round < roundCount; round += 1) figures.push(await measure());
    rows.push({ what, us: median(figures) });
  }
  const all = await plainQueryUs(allTasks);
  const servers = [
    { transport: 'unary', cache: false, group: false, goal: 3 },
    { transport: 'stream', cache: false, group: false, goal: 1.7 },
    { transport: 'unary', cache: true, group: true },
    { transport: 'stream', cache: true, group: true, goal: 0.8 },
  ];
  for (const server of servers) {
    const { us, ratio } = await serverStepUs({ ...server, flags, tasks, roundCount });
    const queries = server.group ? 'groups, result cache' : 'every query run';
    rows.push({
      what: `server, ${server.transport}, ${queries}`,
      us,
      ratio,
      goal: server.goal,
    });
  }
  const [floor] = rows;
  const table = new Table({
    head: ['CPU of a step or query', 'us', 'x floor', 'goal'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const { what, us, ratio = us / floor.us, goal } of rows) {
    table.push([what, us.toFixed(1), ratio.toFixed(2), goal ? `<= ${goal}` : '']);
  }
  console.log(table.toString());
  console.log(`the floor over all ${allTasks.length} golds: ${all.toFixed(1)} us`);
  console.log(
    'a server is held against the floor that was measured right before each of its rounds\n',
  );
  report.cpu_us = Object.fromEntries(rows.map(({ what, us }) => [what, us]));
  report.x_floor = Object.fromEntries(
    rows.map(({ what, us, ratio = us / floor.us }) => [what, ratio]),
  );
  report.floor_all_us = all;
}

async function standardBatch() {
  const { file: tasksFile, folder, remove } = writeTasks(tasks);
  try {
    const table = new Table({
      head: ['standard batch', 'seconds', 'x in-process', 'goal', 'first', 'server', 'client'],
      colAligns: ['left', 'right', 'right', 'right', 'right', 'right', 'right'],
      style: { head: [], border: [] },
    });
    report.batch_seconds = {};
    const batches = await playedBatches(tasksFile, folder);
    const floor = median(batches.flatMap(([, played]) => played?.floors ?? []));
    table.push(['in one Python process, no server', floor.toFixed(3), '1.00', '', '', '', '']);
    report.batch_seconds['in-process'] = floor;
    for (const [what, played, goal] of batches) {
      if (played === undefined) continue;
      const seconds = median(played.seconds);
      const perThousand = (cpu) => (cpu === undefined ? '' : `${cpu.toFixed(3)} s`);
      table.push([
        what,
        seconds.toFixed(3),
        played.ratio.toFixed(2),
        goal ? `<= ${goal}` : '',
        played.first.toFixed(3),
        perThousand(played.serverCpuPerThousand),
        perThousand(played.clientCpuPerThousand),
      ]);
      report.batch_seconds[what] = { ...played, seconds };
    }
    console.log(table.toString());
    console.log(
      'first: the first batch of the server; server, client: their CPU seconds per 1,000 steps',
    );
    if (findPython() === undefined) {
      console.log('no Python client was measured: set PYTHON, or run python/scripts/run_tests.sh');
    }
  } finally {
    remove();
  }
}

async function playedBatches(tasksFile, folder) {
  const inProcess = new InProcess(tasksFile);
  const common = { tasksFile, tasks, flags, folder, roundCount, inProcess };
  const cases = [
    ['Python client, unary, no cache', pythonBatch, { transport: 'unary', cache: false }],
    ['Python client, unary', pythonBatch, { transport: 'unary', cache: true }, 2.4],
    ['Python client, stream, no cache', pythonBatch, { transport: 'stream', cache: false }],
    ['Python client, stream', pythonBatch, { transport: 'stream', cache: true }, 1.2],
    ['TypeScript client, unary', nodeBatch, { transport: 'unary', cache: true }],
    ['TypeScript client, stream', nodeBatch, { transport: 'stream', cache: true }],
  ];
  const played = [];
  for (const [what, play, choice, goal] of cases) {
    const options = Object.assign({}, common, choice);
    played.push([what, await play(options), goal]);
  }
  inProcess.end();
  return played;
}
