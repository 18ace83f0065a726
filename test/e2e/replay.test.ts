import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { runSqlenv } from '../support/cli.ts';
import { spawnServer } from '../support/spawn-server.ts';

const TASK_FILE = path.join(PACKAGE_ROOT, 'databases', 'tasks.jsonl');
const TASK_COUNT = 6;

let folder: string;
let records: string;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-replay-'));
  records = path.join(folder, 'records');
  const flags = ['--tasks', String(TASK_COUNT), '--query-ms-max', '400', '--record', records];
  const { exitCode, stderr } = await runSqlenv(['demo', '--json', ...flags]);
  expect([exitCode, stderr]).toEqual([0, '']);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What `--check --json` says. */
async function check(...args: readonly string[]) {
  const run = await runSqlenv(['replay', records, '--check', '--json', ...args]);
  return { ...run, report: JSON.parse(run.stdout) as CheckJson };
}

interface CheckJson {
  readonly episode_count: number;
  readonly same_count: number;
  readonly unplayable_count: number;
  readonly reward_unchecked_count: number;
  readonly possible_reasons: readonly string[];
  readonly episodes: readonly {
    readonly task_id: string;
    readonly kind: string;
    readonly differences: readonly { readonly step_index: number; readonly what: string }[];
  }[];
}

describe('the demo batch, recorded by its command', () => {
  test('lies in a folder with the manifest of its databases', () => {
    const names = readdirSync(records).map((name) => name.replaceAll(/[0-9a-f]{16}/g, 'HASH'));
    expect(names.toSorted()).toEqual(['catalog-HASH.json', 'trajectories-000001.jsonl']);
  });

  test('comes out as recorded, runaways and attacks too', async () => {
    const { report, exitCode, stderr } = await check();
    expect([exitCode, stderr]).toEqual([0, '']);
    expect(report).toMatchObject({
      episode_count: TASK_COUNT * 8,
      same_count: TASK_COUNT * 8,
      reward_unchecked_count: 0,
      episodes: [],
    });
  });

  test('comes out as recorded on a running server', async () => {
    const server = await spawnServer(['--demo', '--no-record']);
    try {
      const { report, exitCode } = await check('--server', server.welcome.address);
      expect(report).toMatchObject({ same_count: TASK_COUNT * 8, episodes: [] });
      expect(exitCode).toBe(0);
    } finally {
      server.client.disconnect();
      server.child.kill('SIGTERM');
      await server.exit;
    }
  });

  test('over a database with one row changed names the steps and shows the change', async () => {
    const copy = path.join(folder, 'copy');
    cpSync(path.join(PACKAGE_ROOT, 'databases', 'build'), copy, { recursive: true });
    const database = new Database(path.join(copy, 'bakery_chain', 'bakery_chain.sqlite'));
    database.exec("UPDATE products SET kind = 'pretzel' WHERE rowid = 1");
    database.close();
    const places = ['--databases', copy, '--tasks', TASK_FILE];
    const { report, exitCode } = await check(...places);
    expect(exitCode).toBe(1);
    expect(report.unplayable_count).toBe(0);
    expect(report.episodes.length).toBeGreaterThan(0);
    expect(report.same_count).toBe(TASK_COUNT * 8 - report.episodes.length);
    for (const episode of report.episodes) {
      expect(episode.kind).toBe('different');
      expect(episode.differences[0]).toMatchObject({ step_index: 0, what: 'observation' });
    }
    expect(report.possible_reasons).toEqual([
      expect.stringContaining('database bakery_chain is not the recorded one: ') as string,
    ]);
    const { stdout } = await runSqlenv(['replay', records, '--check', ...places]);
    expect(stdout).toContain('step 0: observation differs\n--- recorded\n+++ now\n');
    expect(stdout).toContain('-[5]\n+[6]\n');
  });

  test('without any tasks plays all steps, and says that rewards were not checked', async () => {
    const lonely = path.join(folder, 'lonely');
    cpSync(records, lonely, { recursive: true });
    for (const name of readdirSync(lonely)) {
      if (name.startsWith('catalog-')) rmSync(path.join(lonely, name));
    }
    const databases = path.join(PACKAGE_ROOT, 'databases', 'build');
    const args = ['replay', lonely, '--check', '--databases', databases];
    const { exitCode, stdout } = await runSqlenv(args);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(new RegExp(`same +${TASK_COUNT * 8}\n`));
    expect(stdout).toMatch(/\d+ rewards not checked:\n {2}\d+ x the gold is not known: /);
  });
});

test('the demo records golds only with a folder for them', async () => {
  const { exitCode, stderr } = await runSqlenv(['demo', '--record-gold']);
  expect(exitCode).toBe(2);
  expect(stderr).toContain('--record-gold goes with --record DIR');
  const golden = path.join(folder, 'golden');
  const small = ['--tasks', '1', '--rollouts', '1', '--record', golden, '--record-gold'];
  expect((await runSqlenv(['demo', '--json', ...small])).exitCode).toBe(0);
  const listed = await runSqlenv(['replay', golden, '--print', '0', '--format', 'json']);
  expect(JSON.parse(listed.stdout)).toMatchObject({
    trajectory: { gold_sql: expect.stringContaining('SELECT') as string },
  });
});
