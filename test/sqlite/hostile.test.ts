import { createHash } from 'node:crypto';
import { copyFileSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { createTestBed, NEVER, WHOLE, type TestBed } from '../support/executor.ts';
import { hostilePack } from '../support/hostile-pack.ts';

let bed: TestBed;
let pack: string[];
let other: string;

beforeAll(async () => {
  bed = await createTestBed(
    `
    CREATE TABLE schools (name TEXT, county TEXT);
    INSERT INTO schools VALUES ('Elm', 'X'), ('Oak', 'X'), ('Ash', 'Y');
    CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT);
    INSERT INTO t VALUES (1, 'a'), (2, 'B'), (3, NULL);
    CREATE INDEX t_name ON t(name);
  `,
    { fastThreadCount: 2, slowThreadCountMax: 2 },
  );
  other = path.join(bed.folder, 'other.db');
  copyFileSync(bed.file, other);
  const secret = new Database(other);
  secret.exec("CREATE TABLE secret (word TEXT); INSERT INTO secret VALUES ('xyzzy')");
  secret.close();
  writeFileSync(path.join(bed.folder, 'evil.so'), 'no library');
  pack = [...hostilePack('schools', bed.folder), ...MORE(bed.folder)];
});

afterAll(() => bed.close());

const MORE = (folder: string): string[] => [
  'CREATE TEMP TABLE schools AS SELECT * FROM main.schools WHERE 0',
  "CREATE TEMP VIEW schools AS SELECT 'pwn' AS name, 'X' AS county",
  "REPLACE INTO schools VALUES ('pwn', 'X')",
  "UPDATE schools SET county = 'Z' RETURNING name",
  "WITH x AS (SELECT 1) UPDATE schools SET county = 'Z'",
  "WITH x AS (SELECT 1) INSERT INTO schools SELECT 'pwn', 'X'",
  `VACUUM main INTO '${folder}/steal2.db'`,
  `ATTACH '${folder}/new.db' AS n; CREATE TABLE n.x AS SELECT * FROM schools`,
  "ATTACH 'file:other.db?mode=rw' AS o",
  'SELECT * FROM other.secret',
  'SELECT * FROM o.secret',
  `SELECT readfile('${folder}/other.db')`,
  `SELECT writefile('${folder}/loot', 'x')`,
  "SELECT edit('x', 'vi')",
  "SELECT load_extension('evil', 'init')",
  "SELECT load_extension('evil.so')",
  'PRAGMA temp_store_directory = "/tmp"',
  'PRAGMA schema_version = 7',
  'PRAGMA user_version = 7',
  'PRAGMA journal_mode = WAL',
  'PRAGMA journal_mode = OFF',
  'PRAGMA locking_mode = EXCLUSIVE',
  'PRAGMA mmap_size = 1000000000',
  'PRAGMA cache_size = 1000000',
  'PRAGMA soft_heap_limit = 1',
  'PRAGMA trusted_schema = ON',
  'PRAGMA encoding = "UTF-16"',
  'PRAGMA foreign_keys = OFF',
  'PRAGMA integrity_check',
  'PRAGMA optimize',
  'PRAGMA wal_checkpoint',
  'PRAGMA function_list',
  'PRAGMA compile_options',
  'SELECT * FROM pragma_function_list',
  'SELECT * FROM pragma_compile_options',
  'SELECT sqlite_source_id(), sqlite_compileoption_used(0)',
  'SELECT last_insert_rowid(), changes(), total_changes()',
  'SELECT sqlenv_guard_number()',
  "SELECT sqlite_log(1, 'x')",
  'SELECT * FROM sqlite_dbpage',
  "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 3, 'CREATE TABLE x (a)')",
  "SELECT * FROM schools; ATTACH ':memory:' AS x",
  "EXPLAIN SELECT * FROM json_each('[1]')",
  '/**/ -- \n ; DROP TABLE schools',
  '\uFEFFDROP TABLE schools',
  'SELECT 1 /* ; */; DROP TABLE schools; --',
  "SELECT ':'; DELETE FROM schools",
  'SELECT "x;y"; DELETE FROM schools',
  'BEGIN; DELETE FROM schools; COMMIT',
  'END TRANSACTION',
  'ROLLBACK',
  'DROP INDEX t_name',
  'DROP TABLE sqlite_schema',
  'ALTER TABLE schools ADD COLUMN x',
  'CREATE UNIQUE INDEX i ON t(id)',
  'CREATE VIEW schools2 AS SELECT * FROM schools',
  'SELECT * FROM schools FOR UPDATE',
  'SELECT name INTO loot FROM schools',
  'COPY schools TO STDOUT',
  '.shell ls',
  '.open other.db',
  'SELECT $1, ?2, :three, @four',
  'SELECT ' + '('.repeat(5_000),
  'SELECT ' + 'a'.repeat(60_000),
  "SELECT '" + '\u{1F4A3}'.repeat(9_000),
];

/** What honest episodes ask, before, between and after. */
const CONTROLS = [
  'SELECT * FROM schools',
  "SELECT name FROM t WHERE name LIKE 'b'",
  'SELECT * FROM t ORDER BY name',
  'SELECT name, sql FROM sqlite_master ORDER BY name',
  'SELECT count(*) FROM schools WHERE county = "X"',
  'SELECT id FROM t',
  'PRAGMA table_info(schools)',
  'SELECT * FROM temp.sqlite_master',
];

const controls = async () => {
  const texts = await Promise.all(CONTROLS.map((sql) => bed.run(sql)));
  return texts.map(({ text }) => text);
};

function folderState(): unknown {
  return readdirSync(bed.folder).map((name) => {
    const bytes = readFileSync(path.join(bed.folder, name));
    return [name, createHash('sha256').update(bytes).digest('hex')];
  });
}

const descriptors = () =>
  readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      const target = readlinkSync(`/proc/self/fd/${descriptor}`);
      // Threads that start read our own files at any time.
      return target.startsWith(bed.folder) || target.includes('etilqs') ? [target] : [];
    } catch {
      return [];
    }
  });

describe('a hostile query', () => {
  it('writes nothing, opens nothing, changes no other answer, and tells no path', async () => {
    for (let round = 0; round < 3; round += 1) await controls();
    const before = await controls();
    const state = folderState();
    const open = descriptors().toSorted();
    for (const sql of pack) {
      const { text, query } = await bed.run(sql, { queryCpuMsMax: 500 });
      expect({ sql: sql.slice(0, 80), status: query.status }).not.toEqual({
        sql: sql.slice(0, 80),
        status: 'time_limit',
      });
      expect(text.replaceAll(sql, '')).not.toContain(bed.folder);
      expect(text).not.toMatch(/xyzzy|pwn"/);
      expect({ sql: sql.slice(0, 80), controls: await controls() }).toEqual({
        sql: sql.slice(0, 80),
        controls: before,
      });
    }
    expect(folderState()).toEqual(state);
    // A thread may see the file for the first time; nothing else is open, and no temporary file.
    expect(descriptors().filter((file) => !open.includes(file))).toEqual([]);
    expect(descriptors().length - open.length).toBeLessThanOrEqual(4);
    expect(bed.executor.stats()).toMatchObject({
      lostWorkerCount: 0,
      runningCount: 0,
      queuedCount: 0,
    });
  });

  it('is told what it is: forbidden, unless SQLite finds that it is no SQL at all', async () => {
    const statuses = new Map<string, string[]>();
    for (const sql of pack) {
      const { query } = await bed.run(sql, { queryCpuMsMax: 500 });
      statuses.set(query.status, [...(statuses.get(query.status) ?? []), sql]);
    }
    expect(statuses.get('ok')).toEqual([
      '',
      "SELECT x'DEAD', CAST(x'636166e9' AS TEXT), 9007199254740993, 9e999",
    ]);
    expect([...statuses.keys()].toSorted()).toEqual(['forbidden', 'ok', 'sql_error', 'too_big']);
    expect(statuses.get('forbidden')?.length).toBeGreaterThan(70);
  });

  it('as an answer earns nothing, and leaves the gold as it was', async () => {
    const goldSql = "SELECT name FROM schools WHERE county = 'X'";
    const grade = (answerSql: string) =>
      bed.executor.gradeAnswer(
        {
          databaseId: 'db',
          goldSql,
          answerSql,
          comparisonModes: ['bag@1', 'set@1', 'rows@1'],
          limits: DEFAULT_LIMITS,
        },
        NEVER,
      );
    const state = folderState();
    for (const answerSql of pack) {
      const reply = await grade(answerSql);
      expect(reply).toMatchObject({ kind: 'graded' });
      if (reply.kind !== 'graded') continue;
      for (const { verdict, goldRowCount } of reply.judgements) {
        expect({ answerSql, verdict }).not.toEqual({ answerSql, verdict: 'match' });
        expect(goldRowCount).toBe(2);
      }
    }
    expect(await grade(goldSql)).toMatchObject({
      judgements: [{ verdict: 'match' }, { verdict: 'match' }, { verdict: 'match' }],
    });
    expect(folderState()).toEqual(state);
  });

  it('as a gold is a broken task', async () => {
    for (const sql of [
      'DELETE FROM schools',
      'DROP TABLE t',
      'VACUUM',
      'PRAGMA writable_schema = ON',
      'SELECT 1; SELECT 2',
    ]) {
      expect(await bed.executor.describeGold('db', sql, NEVER)).toMatchObject({
        kind: 'gold_broken',
      });
    }
  });
});

it('32 hostile callers beside 480 honest ones change none of their bytes', async () => {
  const honest = Array.from(
    { length: 480 },
    (_, i) => `SELECT id, name, ${i} FROM t WHERE id <> ${i % 4} ORDER BY name`,
  );
  const ask = (sql: string) =>
    bed.executor.runQuery(
      { databaseId: 'db', sql, limits: DEFAULT_LIMITS, observation: WHOLE },
      NEVER,
    );
  const text = async (sql: string) => {
    const reply = await ask(sql);
    return reply.kind === 'ran' ? reply.text : reply.kind;
  };
  const alone = await Promise.all(honest.map(text));
  const state = folderState();
  const hostile = Array.from({ length: 32 }, async (_, caller) => {
    for (let turn = 0; turn < 12; turn += 1)
      await ask(pack[(caller * 5 + turn * 7) % pack.length] ?? '');
  });
  const beside = await Promise.all(honest.map(text));
  await Promise.all(hostile);
  expect(beside).toEqual(alone);
  expect(folderState()).toEqual(state);
});
