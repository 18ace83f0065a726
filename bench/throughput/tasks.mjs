// The tasks of the benchmark: 64 golds of Spider's dev set, evenly spread over it, or the demo's where Spider isn't there.
import { existsSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { databasePath } from '../../dist/src/tasks/database-path.js';
import { loadTasks } from '../../dist/src/tasks/load-tasks.js';
import { ROOT } from './root.mjs';

const TASK_COUNT = 64;

/** Tasks with the paths of their databases, and the flags with which a server serves them. */
export function benchTasks() {
  const spider = path.resolve(
    process.env.SQLENV_SPIDER_DIR ?? path.join(ROOT, '../shared/data/spider'),
  );
  if (existsSync(path.join(spider, 'dev.json'))) {
    const set = loadTasks({ kind: 'spider', folder: spider }, 'dev');
    const flags = ['--spider', spider, '--split', 'dev'];
    return { name: 'Spider dev', flags, ...chosenTasks(set) };
  }
  const taskFile = path.join(ROOT, 'databases/tasks.jsonl');
  const databaseFolder = path.join(ROOT, 'databases/build');
  const set = loadTasks({ kind: 'files', databaseFolder, taskFile }, 'train');
  return { name: 'the demo', flags: ['--demo'], ...chosenTasks(set) };
}

/** Evenly spread, and only such as plain better-sqlite3 runs: it takes no string in double quotes, the server does. */
function chosenTasks({ tasks, databaseFolder }) {
  const runnable = tasks
    .map(({ task }) => ({ ...task, file: databasePath(databaseFolder, task.databaseId) }))
    .filter(runsPlainly);
  const chosen = Array.from(
    { length: Math.min(TASK_COUNT, runnable.length) },
    (_, index) => runnable[Math.floor((index * runnable.length) / TASK_COUNT)],
  );
  return { tasks: chosen, allTasks: runnable };
}

function runsPlainly({ file, goldSql }) {
  const database = new Database(file, { readonly: true });
  try {
    database.prepare(goldSql);
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}
