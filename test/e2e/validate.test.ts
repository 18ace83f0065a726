import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runSqlenv } from '../support/cli.ts';
import { HAS_SPIDER, SPIDER_DIR } from '../support/spider.ts';

interface Report {
  readonly task_count: number;
  readonly match_count: number;
  readonly problem_counts: Readonly<Record<string, number>>;
  readonly skipped: readonly { readonly message: string }[];
  readonly tasks: readonly { readonly task_id: string; readonly problems: readonly string[] }[];
}

async function validate(
  args: readonly string[],
): Promise<{ exitCode: number | null; report: Report }> {
  const { exitCode, stdout, stderr } = await runSqlenv(['validate', '--json', ...args]);
  expect(stderr).toBe('');
  return { exitCode, report: JSON.parse(stdout) as Report };
}

describe('sqlenv validate', () => {
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-validate-'));
    const database = new Database(path.join(folder, 'shop.sqlite'));
    database.exec(`CREATE TABLE item(name TEXT, price INTEGER);
      INSERT INTO item VALUES ('pen', 2), ('cup', 2), ('hat', 9);`);
    database.close();
    const golds = {
      good: 'SELECT name FROM item WHERE price > 5',
      fails: 'SELECT nope FROM item',
      empty: 'SELECT name FROM item WHERE price > 100',
      tie: 'SELECT name FROM item ORDER BY price LIMIT 1',
      clock: "SELECT count(*) FROM item WHERE date('now') > '2000-01-01'",
    };
    const lines = Object.entries(golds).map(([task_id, gold_sql]) =>
      JSON.stringify({ task_id, database_id: 'shop', question: 'Which?', gold_sql }),
    );
    writeFileSync(path.join(folder, 'tasks.jsonl'), `${lines.join('\n')}\n`);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('finds golds that fail, are empty, cut a tie or read the clock, and exits 1', async () => {
    const { exitCode, report } = await validate([
      ...['--databases', folder, '--tasks', path.join(folder, 'tasks.jsonl')],
    ]);
    expect(exitCode).toBe(1);
    expect(report.task_count).toBe(5);
    expect(report.match_count).toBe(4);
    const problems = Object.fromEntries(report.tasks.map((task) => [task.task_id, task.problems]));
    expect(problems).toEqual({
      fails: ['gold_fails'],
      empty: ['empty'],
      tie: ['tie'],
      clock: ['clock'],
    });
  });

  it('finds nothing to say against the demo but its three empty golds', async () => {
    const { exitCode, report } = await validate(['--demo']);
    expect(exitCode).toBe(0);
    expect(report.match_count).toBe(report.task_count);
    expect(report.problem_counts).toEqual({ gold_fails: 0, slow: 0, empty: 3, clock: 0, tie: 0 });
  });

  it('exits 2 for a flag that is not allowed, and names it', async () => {
    const { exitCode, stderr } = await runSqlenv(['validate', '--demo', '--slow-ms', 'soon']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('--slow-ms: "soon" is not allowed');
  });

  it('exits 1 when no server answers at the address', async () => {
    const { exitCode, stderr } = await runSqlenv(['validate', '--address', '127.0.0.1:1']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('UNAVAILABLE');
  });

  it.skipIf(!HAS_SPIDER)('scores 1034 of 1034 Spider dev golds 1', async () => {
    const { exitCode, report } = await validate(['--spider', SPIDER_DIR, '--split', 'dev']);
    expect(exitCode).toBe(0);
    expect([report.task_count, report.match_count]).toEqual([1034, 1034]);
    expect(report.problem_counts['empty']).toBe(49);
  });

  it.skipIf(!HAS_SPIDER)(
    'scores every Spider train gold 1 but the three that do not run and those without a database',
    async () => {
      const { exitCode, report } = await validate(['--spider', SPIDER_DIR, '--split', 'train']);
      expect(exitCode).toBe(1);
      const failing = report.tasks.filter(({ problems }) => problems.includes('gold_fails'));
      expect(failing.map(({ task_id }) => task_id)).toEqual([
        'spider/train/3153',
        'spider/train/4513',
        'spider/train/4514',
      ]);
      expect(report.match_count).toBe(report.task_count - 3);
      // 14 rows of soccer_1 and 82 of baseball_1 have no database in the test data.
      expect(report.skipped).toHaveLength(2);
      expect(report.task_count).toBe(7000 - 96);
    },
    240_000,
  );
});
