// How long the official metrics take on files of predictions: test-suite execution, exact and partial match, and the older
// script's execution, as `sqlenv evaluate` scores them. Needs a build (`npm run build`) and a Spider release:
//
//   node bench/evaluate.mjs SPIDER_DIR PREDICTIONS...
//
// Each file is scored three times over threads that are up: the first figure has the compilation of the code in it.
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { pairRows } from '../dist/src/evaluate/answer-rows.js';
import { findDatabaseFiles } from '../dist/src/evaluate/database-files.js';
import { readPredictions } from '../dist/src/evaluate/read-predictions.js';
import { evaluateRows } from '../dist/src/evaluate/score-tasks.js';
import { readTablesFile } from '../dist/src/evaluate/spider-schemas.js';
import { createExecutor } from '../dist/src/sqlite/executor.js';
import { loadTasks } from '../dist/src/tasks/load-tasks.js';

const [spider, ...files] = process.argv.slice(2);
if (spider === undefined || files.length === 0) {
  console.error('usage: node bench/evaluate.mjs SPIDER_DIR PREDICTIONS...');
  process.exit(2);
}

const threads = availableParallelism();
const tasks = loadTasks({ kind: 'spider', folder: spider }, 'dev').tasks.map(({ task }) => task);
const databases = findDatabaseFiles(
  path.join(spider, 'database'),
  new Set(tasks.map((task) => task.databaseId)),
);
const keys = readTablesFile(path.join(spider, 'tables.json'));
const executor = await createExecutor({
  databases: databases.files,
  queueCountMax: 10_000,
  fastThreadCount: threads,
  slowThreadCountMax: threads,
  slowThreadCountMin: 0,
});
console.log(`${threads} threads, ${tasks.length} rows a file`);
for (const file of files) {
  const { rows } = pairRows(tasks, readPredictions(file), { allowMissing: false });
  const figures = [];
  for (let run = 0; run < 3; run += 1) {
    const startMs = performance.now();
    const cpu = process.cpuUsage();
    await evaluateRows(executor, databases, keys, rows, {
      execution: { keepDistinct: false, plugValue: false },
      clocks: { cpuMs: 10_000, wallMs: 30_000 },
      concurrency: threads * 32,
    });
    const { user, system } = process.cpuUsage(cpu);
    const wallMs = performance.now() - startMs;
    figures.push(`${(wallMs / 1_000).toFixed(2)} s (CPU ${((user + system) / 1e6).toFixed(2)} s)`);
  }
  console.log(`${path.basename(file)}: ${figures.join(', ')}`);
}
await executor.close();
