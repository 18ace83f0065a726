import { spawnSync } from 'node:child_process';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { inspectDatabase } from '../../src/sqlite/catalog.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';
import { databasesOf, NEVER, WHOLE } from '../support/executor.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-files-'));
const original = path.join(folder, 'original.sqlite');

beforeAll(() => {
  const database = new Database(original);
  database.exec(`
    CREATE TABLE t (id INTEGER PRIMARY KEY, z TEXT);
    WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 500)
    INSERT INTO t SELECT i, hex(zeroblob(300)) FROM c;
  `);
  database.close();
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const QUERY = 'SELECT count(*), sum(length(z)) FROM t';
const ANSWER = '{"columns": ["count(*)", "sum(length(z))"], "rows": [[500, 300000]]}';

function copies(prefix: string, count: number): Record<string, string> {
  const paths: Record<string, string> = {};
  for (let index = 0; index < count; index += 1) {
    const file = path.join(folder, `${prefix}-${index}.sqlite`);
    copyFileSync(original, file);
    paths[`${prefix}-${index}`] = file;
  }
  return paths;
}

function ask(executor: SqliteExecutor, databaseId: string, sql = QUERY) {
  return executor.runQuery({ databaseId, sql, limits: DEFAULT_LIMITS, observation: WHOLE }, NEVER);
}

describe('a database file that changes while it is served', () => {
  const cases: readonly (readonly [string, (file: string) => void, RegExp])[] = [
    ['truncated', (file) => truncateSync(file, 8_192), /corrupt|changed since the start/],
    ['emptied', (file) => truncateSync(file, 0), /corrupt|changed since the start/],
    ['deleted', (file) => rmSync(file), /missing/],
    [
      'replaced',
      (file) => {
        copyFileSync(original, `${file}.new`);
        renameSync(`${file}.new`, file);
      },
      /changed since the start/,
    ],
    [
      'overwritten',
      (file) => {
        const descriptor = openSync(file, 'r+');
        writeSync(descriptor, Buffer.alloc(statSync(file).size - 4_096, 0xff), 0, undefined, 4_096);
        closeSync(descriptor);
      },
      /corrupt|changed since the start/,
    ],
    [
      'written to',
      (file) => {
        const database = new Database(file);
        database.exec('DELETE FROM t WHERE id > 100');
        database.close();
      },
      /changed since the start/,
    ],
    [
      'put into WAL mode',
      (file) => {
        const database = new Database(file);
        database.pragma('journal_mode = WAL');
        database.close();
      },
      /changed since the start/,
    ],
    [
      'replaced by a folder',
      (file) => {
        rmSync(file);
        mkdirSync(file);
      },
      /changed since the start/,
    ],
    [
      'left with a half-done transaction',
      (file) => {
        writeFileSync(
          `${file}-journal`,
          Buffer.concat([Buffer.from('d9d505f920a163d7', 'hex'), Buffer.alloc(2_048, 1)]),
        );
      },
      /cannot be opened/,
    ],
  ];
  const paths: Record<string, string> = {};
  let executor: SqliteExecutor;

  beforeAll(async () => {
    const files = Object.values(copies('changing', cases.length));
    cases.forEach(([name], index) => {
      paths[name] = files[index] ?? '';
    });
    paths['locked'] = copies('locked', 1)['locked-0'] ?? '';
    paths['emptied a moment ago'] = copies('emptied', 1)['emptied-0'] ?? '';
    executor = await createExecutor({
      databases: databasesOf(paths),
      queueCountMax: 64,
      fastThreadCount: 2,
      slowThreadCountMax: 1,
    });
  });
  afterAll(() => executor.close());

  it.each(cases)('%s', async (name, change, message) => {
    const file = paths[name] ?? '';
    expect(await ask(executor, name)).toMatchObject({ kind: 'ran', text: ANSWER });
    change(file);
    await sleep(300); // for so long a file is trusted that was looked at
    for (let round = 0; round < 3; round += 1) {
      const reply = await ask(executor, name);
      expect(reply).toEqual({ kind: 'database_broken', message: expect.stringMatching(message) });
      expect(JSON.stringify(reply)).not.toContain(folder);
    }
  });

  it('emptied a moment ago: broken at once, and not read as a database without tables', async () => {
    const file = paths['emptied a moment ago'] ?? '';
    // On each of the threads, so that whichever runs the next one has just looked at the file and trusts it.
    const before = await Promise.all(
      Array.from({ length: 8 }, () => ask(executor, 'emptied a moment ago')),
    );
    for (const reply of before) expect(reply).toMatchObject({ kind: 'ran', text: ANSWER });
    truncateSync(file, 0);
    for (let round = 0; round < 8; round += 1) {
      const reply = await ask(executor, 'emptied a moment ago');
      expect(reply).toMatchObject({ kind: 'database_broken' });
    }
  });

  it('locked by another program: said at once, never waited for, and over when the lock is', async () => {
    const writer = new Database(paths['locked']);
    writer.exec('BEGIN EXCLUSIVE');
    for (let round = 0; round < 3; round += 1) {
      const startedMs = performance.now();
      expect(await ask(executor, 'locked')).toEqual({
        kind: 'database_broken',
        message: 'the database is locked by another program',
      });
      expect(performance.now() - startedMs).toBeLessThan(1_000);
      await sleep(150);
    }
    writer.exec('ROLLBACK');
    writer.close();
    expect(await ask(executor, 'locked')).toMatchObject({ kind: 'ran', text: ANSWER });
  });
});

describe('a file that is no database of ours', () => {
  it.each([
    ['missing', () => undefined, 'the database file is missing'],
    ['empty', (file: string) => writeFileSync(file, ''), 'the database file is empty'],
    [
      'short',
      (file: string) => writeFileSync(file, 'SQLite format 3\0'),
      'the file is not a SQLite 3 database',
    ],
    [
      'text',
      (file: string) => writeFileSync(file, 'x'.repeat(5_000)),
      'the file is not a SQLite 3 database',
    ],
    ['folder', (file: string) => mkdirSync(file), 'the database file cannot be read'],
    [
      'WAL',
      (file: string) => {
        const database = new Database(file);
        database.pragma('journal_mode = WAL');
        database.exec('CREATE TABLE t (a)');
        database.close();
      },
      "the database is in WAL mode; convert it with 'PRAGMA journal_mode = DELETE'",
    ],
  ] as const)('%s: a problem without a path', (name, make, message) => {
    const file = path.join(folder, `no-${name}.sqlite`);
    make(file);
    expect(inspectDatabase(name, file)).toEqual({ databaseId: name, message });
  });
});

describe('descriptors', () => {
  const openFiles = (suffix: string) =>
    readdirSync('/proc/self/fd').filter((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`).endsWith(suffix);
      } catch {
        return false;
      }
    }).length;

  it('of 60 databases stay within what each thread may keep, however often all are used', async () => {
    const paths = copies('many', 60);
    const executor = await createExecutor({
      databases: databasesOf(paths),
      queueCountMax: 1_024,
      fastThreadCount: 2,
      slowThreadCountMax: 1,
    });
    const counts: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const replies = await Promise.all(
        Object.keys(paths).map((databaseId) => ask(executor, databaseId)),
      );
      for (const reply of replies) expect(reply).toMatchObject({ kind: 'ran', text: ANSWER });
      counts.push(readdirSync('/proc/self/fd').length);
      expect(openFiles('.sqlite')).toBeLessThanOrEqual(2 * 32);
    }
    expect(Math.max(...counts.slice(1)) - Math.min(...counts.slice(1))).toBeLessThanOrEqual(34);
    await executor.close();
    expect(openFiles('.sqlite')).toBe(0);
  });

  it('of closed connections come back, though statements were prepared on them', async () => {
    const paths = copies('few', 3);
    const executor = await createExecutor({
      databases: databasesOf(paths),
      queueCountMax: 1_024,
      fastThreadCount: 1,
      slowThreadCountMax: 1,
    });
    for (let index = 0; index < 600; index += 1) {
      const sql = index % 3 ? `SELECT ${index} FROM t` : `SELECT nope FROM t`;
      expect(await ask(executor, `few-${index % 3}`, sql)).toMatchObject({ kind: 'ran' });
    }
    expect(openFiles('.sqlite')).toBe(3);
    await executor.close();
  });

  it('of which none is left: an error of ours that goes, and no database is called broken', () => {
    const paths = copies('starved', 2);
    const code = `
      import { closeSync, openSync } from 'node:fs';
      import { DEFAULT_LIMITS } from './dist/env/limits.js';
      import { inspectDatabase } from './dist/src/sqlite/catalog.js';
      import { createExecutor } from './dist/src/sqlite/executor.js';
      const paths = ${JSON.stringify(paths)};
      const databases = new Map(Object.entries(paths).map(([id, file]) => [id, inspectDatabase(id, file)]));
      const executor = await createExecutor({ databases, queueCountMax: 64, fastThreadCount: 1, slowThreadCountMax: 1 });
      const ask = (databaseId) => executor.runQuery(
        { databaseId, sql: 'SELECT count(*) FROM t', limits: DEFAULT_LIMITS, observation: { textSizeMax: 0, truncateSide: 'middle' } },
        new AbortController().signal,
      );
      await ask('starved-0');
      const taken = [];
      try {
        for (;;) taken.push(openSync('/dev/null', 'r'));
      } catch {}
      const kinds = [(await ask('starved-0')).kind, (await ask('starved-1')).kind];
      for (const descriptor of taken) closeSync(descriptor);
      kinds.push((await ask('starved-1')).kind);
      console.log(JSON.stringify(kinds));
      await executor.close();`;
    const child = spawnSync(
      'bash',
      ['-c', 'ulimit -n 256 && exec "$0" --input-type=module -e "$1"', process.execPath, code],
      { cwd: ROOT, encoding: 'utf8', timeout: 50_000 },
    );
    expect(child.stderr).toBe('');
    expect(JSON.parse(child.stdout)).toEqual(['ran', 'overloaded', 'ran']);
  });

  it.each([1_024, 256])(
    'with %i of them, 166 databases and 40 runaways, everything is answered',
    (descriptorCountMax) => {
      const paths = copies('limited', 166);
      const code = `
      import { readdirSync } from 'node:fs';
      import { DEFAULT_LIMITS } from './dist/env/limits.js';
      import { inspectDatabase } from './dist/src/sqlite/catalog.js';
      import { createExecutor } from './dist/src/sqlite/executor.js';
      const paths = ${JSON.stringify(paths)};
      const databases = new Map(Object.entries(paths).map(([id, file]) => [id, inspectDatabase(id, file)]));
      const executor = await createExecutor({ databases, queueCountMax: 4096 });
      const ask = (databaseId, sql, limits = {}) => executor.runQuery(
        { databaseId, sql, limits: { ...DEFAULT_LIMITS, ...limits }, observation: { textSizeMax: 0, truncateSide: 'middle' } },
        new AbortController().signal,
      );
      const counts = {};
      const count = (reply) => {
        const key = reply.kind === 'ran' ? reply.query.status : reply.kind + ' ' + reply.message;
        counts[key] = (counts[key] ?? 0) + 1;
      };
      const ids = Object.keys(paths);
      const runaways = Array.from({ length: 40 }, (_, i) =>
        ask(ids[i], 'SELECT ' + i + ', a.z FROM t AS a, t AS b, t AS c ORDER BY hex(randomblob(9)), 2', { queryCpuMsMax: 60, queryWallMsMax: 800 }));
      for (let round = 0; round < 3; round += 1) {
        for (const reply of await Promise.all(ids.map((id) => ask(id, ${JSON.stringify(QUERY)})))) count(reply);
      }
      for (const reply of await Promise.all(runaways)) count(reply);
      console.log(JSON.stringify({ counts, descriptors: readdirSync('/proc/self/fd').length }));
      await executor.close();`;
      const child = spawnSync(
        'bash',
        [
          '-c',
          `ulimit -n ${descriptorCountMax} && exec "$0" --input-type=module -e "$1"`,
          process.execPath,
          code,
        ],
        { cwd: ROOT, encoding: 'utf8', timeout: 50_000 },
      );
      expect(child.stderr).toBe('');
      const { counts, descriptors } = JSON.parse(child.stdout) as {
        counts: unknown;
        descriptors: number;
      };
      expect(counts).toEqual({ ok: 498, time_limit: 40 });
      expect(descriptors).toBeLessThan(descriptorCountMax);
    },
  );
});
