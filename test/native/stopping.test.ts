import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { loadGuard } from '../../src/sqlite/native-guard.ts';
import { openGuarded, repeat } from '../support/guarded.ts';
import { nestedCtes } from '../support/hostile-pack.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

const guarded = openGuarded(`
  CREATE TABLE t (id INTEGER PRIMARY KEY, name TEXT, b BLOB);
  INSERT INTO t VALUES (1, 'one', x'00ff'), (2, 'é漢', NULL), (3, NULL, x'');
  CREATE TABLE u (id INTEGER PRIMARY KEY, v TEXT);
  WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 2000)
  INSERT INTO u SELECT i, 'v' || (i % 50) FROM c;
  CREATE INDEX u_v ON u(v);
  CREATE VIEW w AS SELECT t.name, u.v FROM t JOIN u ON u.id = t.id;
`);

afterAll(() => {
  guarded.close();
});

const ENDLESS =
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c';

const CONTROLS = [
  'SELECT count(*), sum(id), min(v) FROM u',
  'SELECT * FROM t ORDER BY id',
  'SELECT name, sql FROM sqlite_master ORDER BY name',
  'SELECT v, count(*) FROM u GROUP BY v ORDER BY 2 DESC, 1 LIMIT 5',
  "SELECT 'é' || name, typeof(b), hex(b), \"dq\", name LIKE '%n%' FROM t",
  'SELECT * FROM w ORDER BY v, name LIMIT 7',
];

/** Queries that are stopped in all kinds of places: parser, planner, loops, sorts, aggregates, fetched cells. */
const VICTIMS = [
  ENDLESS,
  nestedCtes(20),
  'SELECT * FROM u ORDER BY v DESC, id',
  "SELECT group_concat(v, ',') FROM u",
  'SELECT v, group_concat(DISTINCT id) FROM u GROUP BY v',
  'SELECT sum(id) OVER (PARTITION BY v ORDER BY id ROWS 5 PRECEDING) FROM u',
  'SELECT json_group_array(v) FROM u',
  'SELECT * FROM u AS a, u AS b WHERE a.v = b.v ORDER BY a.id || b.id',
  'SELECT zeroblob(10000 + id), substr(v, 1, 2), hex(randomblob(50)) FROM u',
  "SELECT * FROM pragma_table_info('u'), pragma_index_list('u')",
  "SELECT upper(v), replace(v, 'v', 'xyz'), trim(v, 'v'), instr(v, '1'), printf('%20s', v), v LIKE '%1' FROM u",
  'SELECT id FROM u GROUP BY id % 7 UNION SELECT id FROM u EXCEPT SELECT 5',
  `SELECT count(*) FROM ${repeat(30, (i) => `u AS u${i}`)} WHERE ${repeat(29, (i) => `u${i}.id = u${i + 1}.v`, ' AND ')}`,
  `SELECT ${repeat(100, (i) => `sum(id) OVER (PARTITION BY v || ${i})`)} FROM u`,
  'SELECT (SELECT max(b.id) FROM u AS b WHERE b.v = a.v) FROM u AS a',
  'DELETE FROM u',
  'SELEC',
];

describe('a query that is stopped', () => {
  it('leaves no interrupt for the next one', () => {
    for (let round = 0; round < 1_000; round += 1) {
      const stopped = guarded.run(ENDLESS, { cpuMs: 0.2 + (round % 8) / 10, wallMs: 10_000 });
      expect(stopped).toMatchObject({ kind: 'time_limit', message: 'cpu' });
      const next = guarded.run('SELECT count(*) FROM u WHERE id > 1000');
      expect({ round, kind: next.kind, rows: next.rows }).toEqual({
        round,
        kind: 'ok',
        rows: [[1000n]],
      });
    }
  });

  it('leaves nothing else, wherever it was when it was stopped', () => {
    const before = CONTROLS.map((sql) => guarded.run(sql).rows);
    const kinds = new Set<string>();
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
      return (seed >>> 8) % below;
    };
    const until = performance.now() + 3_000;
    while (performance.now() < until) {
      const sql = VICTIMS[random(VICTIMS.length)] ?? '';
      const cpuMs = 0.02 * 1.7 ** random(12);
      kinds.add(guarded.run(sql, { cpuMs, wallMs: 10_000 }).kind);
      const control = random(CONTROLS.length);
      expect(guarded.run(CONTROLS[control] ?? '').rows).toEqual(before[control]);
    }
    expect([...kinds].toSorted()).toEqual(['forbidden', 'ok', 'sql_error', 'time_limit']);
  });

  it('ends no process when the memory of a cell is refused while the cell is fetched', () => {
    // better-sqlite3 copies from a null pointer then; the row must be whole before it comes to that.
    for (const sql of [
      'SELECT zeroblob(10000 + a.id) FROM u AS a, u AS b',
      "SELECT substr(x, 3, 50000 + a.id) FROM (SELECT printf('%.200000c', 'x') AS x LIMIT 1), u AS a, u AS b",
      'SELECT CAST(zeroblob(20000 + a.id) AS TEXT), randomblob(9000) FROM u AS a, u AS b',
    ]) {
      for (let round = 0; round < 60; round += 1) {
        const { kind } = guarded.run(
          sql,
          { cpuMs: 1 + round / 15, wallMs: 10_000 },
          () => undefined,
        );
        expect(kind).toBe('time_limit');
      }
    }
  });

  it('may use LIKE again afterwards', () => {
    const like = `SELECT ${repeat(300, () => "v LIKE '%1%'")} FROM u`;
    expect(guarded.run(like, { cpuMs: 5, wallMs: 10_000 }).kind).toBe('time_limit');
    expect(guarded.run(`SELECT count(*) FROM u WHERE v LIKE '${'%'.repeat(120)}1'`).rows).toEqual([
      [200n],
    ]);
  });

  it('is told apart by which clock it was', () => {
    expect(guarded.run(ENDLESS, { cpuMs: 60_000, wallMs: 50 }).message).toBe('wall');
    expect(guarded.run(ENDLESS, { cpuMs: 20, wallMs: 60_000 }).message).toBe('cpu');
  });

  it('is counted by the CPU time of its own thread', () => {
    const { times } = guarded.run(ENDLESS, { cpuMs: 100, wallMs: 60_000 });
    expect(times.cpuUs).toBeGreaterThanOrEqual(100_000);
    expect(times.cpuUs).toBeLessThan(400_000);
    expect(times.wallUs).toBeGreaterThanOrEqual(times.cpuUs - 1_000);
  });
});

describe('cancellation by number', () => {
  const guard = loadGuard();
  const facts = new Float64Array(8);

  it('stops a query that is armed later, until it is forgotten', () => {
    const { number } = guarded.connection;
    guard.cancel(1_000_001);
    guard.arm(number, 1_000_001, 1_000, 1_000);
    expect(guard.stopping(1_000_001)).toBe(3);
    expect(guard.overdue(1_000_001)).toBeGreaterThanOrEqual(0);
    guard.disarm(number, facts);
    expect(facts[0]).toBe(3);
    guard.forget(1_000_001);
    guard.arm(number, 1_000_001, 1_000, 1_000);
    expect(guard.stopping(1_000_001)).toBe(0);
    expect(guard.overdue(1_000_001)).toBe(-1);
    expect(guard.usedCpuMs(1_000_001)).toBeGreaterThanOrEqual(0);
    guard.disarm(number, facts);
    expect(facts[0]).toBe(0);
    expect(guard.usedCpuMs(1_000_001)).toBe(-1);
  });

  it('has room for more queries than there are threads: each has several on their way', () => {
    const ids = Array.from({ length: 5_000 }, () => guard.queryId());
    for (const id of ids) guard.cancel(id);
    for (const id of ids) guard.forget(id);
  });

  it('hits no other query', () => {
    guard.cancel(1_000_002);
    expect(guarded.run('SELECT 1').kind).toBe('ok');
    guard.forget(1_000_002);
  });

  it('refuses what makes no sense, with an error and not with a crash', () => {
    const { number } = guarded.connection;
    expect(() => guard.arm(99_999_999, 1, 1, 1)).toThrow('no such connection');
    expect(() => guard.arm(-1, 1, 1, 1)).toThrow('no such connection');
    expect(() => guard.arm(NaN, 1, 1, 1)).toThrow('no such connection');
    expect(() => guard.disarm(number, facts)).toThrow('not armed');
    expect(() => guard.disarm(number, new Float64Array(1))).toThrow('Float64Array(8)');
    expect(() => guard.prepare(99_999_999, 'SELECT 1', false)).toThrow('no such connection');
    expect(() => guard.prepare(number, 1 as never, false)).toThrow(
      'prepare(connection, sql, lasting)',
    );
    expect(() => guard.fetch(511, 1)).toThrow('no such statement');
    expect(() => guard.finish(NaN, true, false)).toThrow('no such statement');
    expect(() =>
      guard.useFrame(facts, new Uint8Array(7), new Uint8Array(1), new Int32Array(5)),
    ).toThrow('useFrame');
    expect(() => guard.lock('x' as never)).toThrow('lock');
    guard.arm(number, 1_000_003, 1_000, 1_000);
    expect(() => guard.arm(number, 1_000_003, 1_000, 1_000)).toThrow('armed already');
    guard.disarm(number, facts);
  });
});

describe('the library', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-library-'));
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  /** A copy of the built package whose guard can be spoilt. */
  function packageCopy(name: string): string {
    const copy = path.join(folder, name);
    mkdirSync(path.join(copy, 'native'), { recursive: true });
    cpSync(path.join(ROOT, 'package.json'), path.join(copy, 'package.json'));
    cpSync(path.join(ROOT, 'dist'), path.join(copy, 'dist'), { recursive: true });
    cpSync(path.join(ROOT, 'native', 'build.mjs'), path.join(copy, 'native', 'build.mjs'));
    cpSync(path.join(ROOT, 'native', 'guard.c'), path.join(copy, 'native', 'guard.c'));
    symlinkSync(path.join(ROOT, 'node_modules'), path.join(copy, 'node_modules'));
    return copy;
  }

  function startExecutor(copy: string): string {
    const code = `
      import { createExecutor } from './dist/src/sqlite/executor.js';
      try {
        await createExecutor({ databases: new Map(), queueCountMax: 1 });
      } catch (error) {
        console.log(error.name + '\\n' + error.message);
      }`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: copy,
      encoding: 'utf8',
    });
  }

  it('that is missing is a clear error: nothing starts without it', () => {
    const said = startExecutor(packageCopy('missing'));
    expect(said).toMatch(
      /^GuardUnavailableError\nthe native guard can't be loaded: it has not been built\./,
    );
    expect(said).toContain('install a C compiler');
    expect(said).toContain('node native/build.mjs --strict');
  });

  it('that is broken is a clear error too', () => {
    const copy = packageCopy('broken');
    mkdirSync(path.join(copy, 'native', 'build'));
    writeFileSync(path.join(copy, 'native', 'build', 'guard.node'), 'not a library');
    expect(startExecutor(copy)).toMatch(
      /^GuardUnavailableError\nthe native guard can't be loaded: .*\n/,
    );
  });

  it('that can not be compiled says what to install, and fails the set-up only where that is strict', () => {
    const copy = packageCopy('no-compiler');
    const build = (args: string[]) =>
      spawnSync(process.execPath, ['native/build.mjs', ...args], {
        cwd: copy,
        encoding: 'utf8',
        env: { ...process.env, CC: 'no-such-compiler' },
      });
    expect(build([])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('apt-get install gcc'),
    });
    expect(build(['--strict']).status).toBe(1);
  });

  it('stays in the process when the last thread that loaded it ends: its watchdog runs on', () => {
    const code = `
      import { Worker } from 'node:worker_threads';
      for (let round = 0; round < 4; round += 1) {
        const worker = new Worker(\`
          import('./dist/src/sqlite/connection.js').then(async ({ Connection }) => {
            const { loadGuard } = await import('./dist/src/sqlite/native-guard.js');
            const guard = loadGuard();
            const connection = Connection.openEmpty(guard);
            guard.arm(connection.number, 1, 500, 500);
            connection.run('SELECT 1', 1, () => ({ addRow: () => true, finish: () => 0 }));
            guard.disarm(connection.number, new Float64Array(8));
          });\`, { eval: true });
        await new Promise((resolve) => worker.once('exit', resolve));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      console.log('still here');`;
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      cwd: ROOT,
      encoding: 'utf8',
    });
    expect(child).toMatchObject({ status: 0, signal: null, stdout: 'still here\n' });
  });
});
