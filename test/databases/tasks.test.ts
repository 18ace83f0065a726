import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDemoDatabases } from '../../dist/databases/build.js';
import { HARDNESS_LEVELS, spiderHardness } from '../../env/spider/hardness.ts';
import { spiderSchema } from '../../env/spider/schema.ts';
import { openDemo, readDemoTasks, sourceDirectory, tableNames } from './demo-files.ts';
import type { DemoTask } from './demo-files.ts';

const EMPTY_GOLDS = [
  'demo/choir_festival/06',
  'demo/lighthouse_service/06',
  'demo/seed_library/03',
];
const GOLD_MS_MAX = 50;

const tasks = readDemoTasks();
const databaseIds = [...new Set(tasks.map((task) => task.database_id))];

let directory: string;
const databases = new Map<string, Database.Database>();

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sqlenv-tasks-'));
  buildDemoDatabases(directory);
  for (const id of databaseIds) databases.set(id, openDemo(directory, id));
});

afterAll(() => {
  for (const database of databases.values()) database.close();
  rmSync(directory, { recursive: true, force: true });
});

function databaseOf(task: DemoTask): Database.Database {
  const database = databases.get(task.database_id);
  if (database === undefined) throw new Error(`${task.task_id}: no such database`);
  return database;
}

/** All rows of a query. better-sqlite3 takes "x" for a name only, so Spider's "x" literals become 'x'. */
function rowsOf(task: DemoTask, sql: string): unknown[][] {
  const statement = databaseOf(task).prepare(sql.replaceAll('"', "'"));
  return statement.raw().safeIntegers().all() as unknown[][];
}

describe('the list of demo tasks', () => {
  test('ids are unique, in order, and name the database', () => {
    const ids = tasks.map((task) => task.task_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toEqual(ids.toSorted());
    for (const task of tasks) expect(task.task_id).toContain(`/${task.database_id}/`);
    expect(new Set(tasks.map((task) => task.question)).size).toBe(tasks.length);
  });

  test('there are at least 96, at least 20 of each difficulty', () => {
    expect(tasks.length).toBeGreaterThanOrEqual(96);
    for (const level of HARDNESS_LEVELS) {
      const count = tasks.filter((task) => task.difficulty === level).length;
      expect(count).toBeGreaterThanOrEqual(20);
    }
  });

  test('the splits share no database, both have every difficulty, and train fills a batch of 64', () => {
    const idsOf = (split: string): Set<string> =>
      new Set(tasks.filter((task) => task.split === split).map((task) => task.database_id));
    expect([...idsOf('dev')].filter((id) => idsOf('train').has(id))).toEqual([]);
    for (const split of ['train', 'dev']) {
      const levels = tasks.filter((task) => task.split === split).map((task) => task.difficulty);
      expect(new Set(levels).size).toBe(HARDNESS_LEVELS.length);
    }
    expect(tasks.filter((task) => task.split === 'train').length).toBeGreaterThanOrEqual(64);
    expect(tasks.filter((task) => task.split === 'dev').length).toBeGreaterThanOrEqual(24);
  });

  test('some golds have double-quoted literals, most have single-quoted ones or none', () => {
    const doubleQuoted = tasks.filter((task) => task.gold_sql.includes('"'));
    expect(doubleQuoted.length).toBeGreaterThanOrEqual(6);
    expect(doubleQuoted.length).toBeLessThan(tasks.length / 4);
  });

  test('no gold has the word that the official metric replaces by 1', () => {
    expect(tasks.filter((task) => task.gold_sql.includes('value'))).toEqual([]);
  });
});

describe.each(tasks)('$task_id', (task) => {
  test('its difficulty is what the official rule says', () => {
    const database = databaseOf(task);
    const tables = tableNames(database).map((name) => ({
      name,
      columns: database
        .prepare('SELECT name FROM pragma_table_info(?)')
        .pluck()
        .all(name) as string[],
    }));
    expect(spiderHardness(task.gold_sql, spiderSchema(tables))).toBe(task.difficulty);
  });

  test('its gold runs fast and has rows', () => {
    const rows = rowsOf(task, task.gold_sql);
    expect(rows.length === 0).toBe(EMPTY_GOLDS.includes(task.task_id));
    // The best of three, so that another process on the machine can't fail the test.
    const times = [1, 2, 3].map(() => {
      const start = performance.now();
      rowsOf(task, task.gold_sql);
      return performance.now() - start;
    });
    expect(Math.min(...times)).toBeLessThan(GOLD_MS_MAX);
  });

  test('its gold gives the same rows when SQLite scans tables backwards', () => {
    const database = databaseOf(task);
    const inOrder = task.gold_sql.includes(' ORDER BY ');
    const forwards = rowsOf(task, task.gold_sql).map(rowText);
    database.pragma('reverse_unordered_selects = ON');
    const backwards = rowsOf(task, task.gold_sql).map(rowText);
    database.pragma('reverse_unordered_selects = OFF');
    const sorted = (rows: string[]): string[] => (inOrder ? rows : rows.toSorted());
    expect(sorted(backwards)).toEqual(sorted(forwards));
  });

  test('no tie decides its order or its LIMIT', () => {
    const match = /^SELECT .*? (FROM .*) ORDER BY (.*?)(?: DESC)?(?: LIMIT (\d+))?$/.exec(
      task.gold_sql,
    );
    expect(match !== null).toBe(task.gold_sql.includes(' ORDER BY '));
    if (match === null) return;
    const [, source, key, limit] = match;
    const direction = task.gold_sql.includes(' DESC') ? 'DESC' : 'ASC';
    const keys = rowsOf(task, `SELECT ${key} ${source} ORDER BY ${key} ${direction}`).map(rowText);
    // With a LIMIT, the first row that is cut off must differ from the last one that is kept.
    const considered = limit === undefined ? keys : keys.slice(0, Number(limit) + 1);
    expect(new Set(considered).size).toBe(considered.length);
  });
});

function rowText(row: unknown[]): string {
  return row
    .map((cell) =>
      Buffer.isBuffer(cell) ? cell.toString('hex') : `${typeof cell} ${String(cell)}`,
    )
    .join('|');
}

const COUNT_ROWS_IN_PYTHON = `
import json, sqlite3, sys
for line in sys.stdin:
    task = json.loads(line)
    path = "{0}/{1}/{1}.sqlite".format(sys.argv[1], task["database_id"])
    connection = sqlite3.connect("file:" + path + "?mode=ro", uri=True)
    print(task["task_id"], len(connection.execute(task["gold_sql"]).fetchall()))
    connection.close()
`;

const hasPython = spawnSync('python3', ['-c', 'import sqlite3']).status === 0;

test.skipIf(!hasPython)('golds as written run in the SQLite that official evaluators use', () => {
  const python = spawnSync('python3', ['-c', COUNT_ROWS_IN_PYTHON, directory], {
    input: readFileSync(join(sourceDirectory, 'tasks.jsonl')),
    encoding: 'utf8',
  });
  expect(python.stderr).toBe('');
  expect(python.stdout.trimEnd().split('\n')).toEqual(
    tasks.map((task) => `${task.task_id} ${String(rowsOf(task, task.gold_sql).length)}`),
  );
});
