import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findDatabaseFiles } from '../../src/evaluate/database-files.ts';
import type { ScoredRow } from '../../src/evaluate/row.ts';
import { evaluateRows } from '../../src/evaluate/score-tasks.ts';
import { runTotals } from '../../src/evaluate/totals.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-score-rows-'));

function makeDatabase(file: string, sql: string): void {
  mkdirSync(path.dirname(file), { recursive: true });
  const database = new Database(file);
  database.exec(sql);
  database.close();
}

const TABLE = 'CREATE TABLE t (a INTEGER, b TEXT, c INTEGER)';

describe('scoring rows', () => {
  let executor: SqliteExecutor;
  const ids = ['one', 'suite', 'torn', 'latin', 'none', 'junk'];

  beforeAll(async () => {
    const at = (name: string): string => path.join(folder, name);
    const many = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
      INSERT INTO t SELECT i, 'x' || i, i % 7 FROM n`;
    makeDatabase(at('one.sqlite'), `${TABLE}; ${many}`);
    makeDatabase(at('suite/suite.sqlite'), `${TABLE}; INSERT INTO t VALUES (1, 'x', 1)`);
    makeDatabase(at('suite/other.sqlite'), `${TABLE}; INSERT INTO t VALUES (1, 'x', 2)`);
    makeDatabase(at('torn/torn.sqlite'), `${TABLE}; INSERT INTO t VALUES (1, 'x', 1)`);
    makeDatabase(at('torn/other.sqlite'), 'CREATE TABLE u (a)');
    makeDatabase(at('latin.sqlite'), `${TABLE}; INSERT INTO t VALUES (1, CAST(x'e9' AS TEXT), 1)`);
    writeFileSync(at('junk.sqlite'), 'no database');
    executor = await createExecutor({
      databases: databases().files,
      queueCountMax: 100,
      fastThreadCount: 2,
      slowThreadCountMax: 2,
    });
  });
  afterAll(async () => {
    await executor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  function databases() {
    return findDatabaseFiles(folder, ids);
  }

  async function score(
    pairs: readonly (readonly [databaseId: string, gold: string, answer: string | undefined])[],
    plugValue = false,
  ): Promise<ScoredRow[]> {
    const rows = pairs.map(([databaseId, goldSql, answerSql], index) => ({
      index,
      attempt: 0,
      answerSql,
      task: { taskId: `t/${index}`, databaseId, question: '', goldSql, split: '', difficulty: '' },
    }));
    return await evaluateRows(executor, databases(), new Map(), rows, {
      execution: { keepDistinct: false, plugValue },
      clocks: { cpuMs: 300, wallMs: 5_000 },
      concurrency: 4,
    });
  }

  it('ends with cross joins, and at once where one row too many tells', async () => {
    const started = performance.now();
    const from = 'FROM t AS w JOIN t AS x JOIN t AS y JOIN t AS z';
    const scored = await score([
      ['one', 'SELECT a FROM t', `SELECT w.a ${from}`],
      ['one', 'SELECT count(*) FROM t', `SELECT count(*) ${from}`],
      ['one', 'SELECT a FROM t', `SELECT w.a ${from} ORDER BY w.a + x.a + y.a`],
      ['one', 'SELECT count(*) FROM t', 'SELECT count(*) FROM t'],
    ]);
    expect(scored.map(({ execution }) => execution?.verdict)).toEqual([
      'mismatch',
      'answer_time_limit',
      expect.stringMatching(/^answer_(time_limit|too_big)$/u),
      'match',
    ]);
    expect(scored[1]?.execution?.errorText).toBe('query took too long: over 300 ms of CPU time');
    expect(performance.now() - started).toBeLessThan(20_000);
  });

  it('wants a match on every database of a suite', async () => {
    expect(databases().idsByDatabase.get('suite')).toEqual(['suite', 'suite/other']);
    const scored = await score([
      ['suite', 'SELECT a FROM t', 'SELECT a FROM t'],
      ['suite', 'SELECT a FROM t', 'SELECT c FROM t'],
      ['suite', 'SELECT a FROM t', 'SELECT 1'],
    ]);
    expect(scored.map(({ execution }) => execution?.matched)).toEqual([true, false, true]);
    // The older script looks at the first database only, and has other reasons for the last row.
    expect(scored.map(({ legacyExecution }) => legacyExecution?.matched)).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('names rows whose gold or database is broken, and leaves them out of the tables', async () => {
    const scored = await score([
      ['one', 'SELECT a FROM t', 'SELECT a FROM t'],
      ['one', 'SELECT d FROM t', 'SELECT a FROM t'],
      ['one', 'SELECT a AS x FROM t WHERE NOT a = 1', 'SELECT a FROM t'],
      ['torn', 'SELECT a FROM t', 'SELECT wrong'],
      ['none', 'SELECT a FROM t', 'SELECT a FROM t'],
      ['junk', 'SELECT a FROM t', 'SELECT a FROM t'],
      ['latin', 'SELECT b FROM t', 'SELECT a FROM t'],
    ]);
    expect(scored.map(({ problems }) => problems)).toEqual([
      [],
      [
        "the gold can't be run: no such column: d",
        expect.stringMatching(/^Spider's parser can't read the gold/u),
      ],
      [expect.stringMatching(/^Spider's parser can't read the gold/u)],
      ["the gold can't be run: no such table: t"],
      ['database none: the database file is missing'],
      ['database junk: the file is not a SQLite 3 database'],
      ["the gold can't be run: the gold's result holds text that is not UTF-8"],
    ]);
    const totals = runTotals(scored);
    expect(totals).toMatchObject({ rowCount: 7, executedCount: 3, tableRowCount: 2 });
    expect(totals.testSuite.all).toMatchObject({ rowCount: 2, execution: 0.5, exact: 0.5 });
  });

  it('gives typed verdicts where the official script writes, or has no answer', async () => {
    const scored = await score([
      ['one', 'SELECT a FROM t WHERE a < 0', 'INSERT INTO t VALUES (1, 2, 3)'],
      ['one', 'SELECT a FROM t WHERE a < 0', 'DROP TABLE t'],
      ['one', 'SELECT a FROM t WHERE a < 0', "ATTACH 'x' AS y"],
      ['one', 'SELECT a FROM t', undefined],
      ['one', 'SELECT a FROM t', 'SELECT nowhere FROM t'],
      ['one', 'SELECT a FROM t', 'SELECT ? FROM t'],
      ['one', 'SELECT a FROM t', 'SELECT a FROM t;;'],
      ['one', 'SELECT a FROM t WHERE a < 0', '-- nothing'],
    ]);
    expect(scored.map(({ execution }) => execution?.verdict)).toEqual([
      'answer_forbidden',
      'answer_forbidden',
      'answer_forbidden',
      'answer_missing',
      'answer_sql_error',
      'answer_sql_error',
      'match',
      'match',
    ]);
    expect(scored.every(({ problems }) => problems.length === 0)).toBe(true);
  });

  it('gives each answer its own verdict, also where a batch or its thread is lost', async () => {
    const slow = 'SELECT count(*) FROM t AS w JOIN t AS x JOIN t AS y JOIN t AS z';
    const pairs = Array.from({ length: 200 }, (_, index): readonly [string, string, string] => [
      'one',
      `SELECT a FROM t WHERE a < ${index + 2}`,
      index % 40 === 7 ? slow : `SELECT a FROM t WHERE NOT a >= ${index + (index % 3 ? 2 : 1)}`,
    ]);
    const scoring = score(pairs);
    await executor.killThread(0);
    await executor.killThread(1);
    const scored = await scoring;
    expect(scored.flatMap(({ problems }) => problems)).toEqual([]);
    expect(scored.map(({ execution }) => execution?.verdict)).toEqual(
      pairs.map((_, index) =>
        index % 40 === 7 ? 'answer_time_limit' : index % 3 ? 'match' : 'mismatch',
      ),
    );
  });

  it('says when not all ways to plug values were tried', async () => {
    const conditions = Array.from({ length: 12 }, (_, index) => `a > ${index + 100}`).join(' AND ');
    const [row] = await score(
      [
        [
          'one',
          `SELECT a FROM t WHERE ${conditions}`,
          `SELECT a FROM t WHERE ${conditions.replaceAll('>', '<')}`,
        ],
      ],
      true,
    );
    expect(row?.execution).toMatchObject({ matched: false, capped: true });
  });
});
