import { setTimeout as sleep } from 'node:timers/promises';
import { truncateSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Judgement } from '../../env/grade.ts';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { inspectDatabase } from '../../src/sqlite/catalog.ts';
import { createTestBed, NEVER, type TestBed } from '../support/executor.ts';

let bed: TestBed;

beforeAll(async () => {
  bed = await createTestBed('CREATE TABLE t(a INTEGER); INSERT INTO t VALUES (1), (2), (3);');
});

afterAll(() => bed.close());

async function judge(goldSql: string, answerSql: string): Promise<Judgement> {
  const reply = await bed.executor.gradeAnswer(
    {
      databaseId: 'db',
      goldSql,
      answerSql,
      comparisonModes: ['bag@1'],
      limits: DEFAULT_LIMITS,
    },
    NEVER,
  );
  if (reply.kind !== 'graded' || !reply.judgements[0]) throw new Error(JSON.stringify(reply));
  return reply.judgements[0];
}

it.each([';', '-- no idea', '/* nothing */', ' \n'])(
  'an answer without a statement is missing, and not right for a gold without rows: %j',
  async (answer) => {
    expect((await judge('SELECT a FROM t WHERE a > 9', answer)).verdict).toBe('answer_missing');
  },
);

it.each(['PRAGMA table_info(nope)', 'EXPLAIN SELECT a FROM t', 'explain query plan select 1'])(
  'looking at the schema is no answer: %s',
  async (answer) => {
    expect((await judge('SELECT a FROM t WHERE a > 9', answer)).verdict).toBe('answer_forbidden');
  },
);

it('a literal beside a table is flagged as the constant that it is', async () => {
  const judged = await judge('SELECT count(*) FROM t', 'SELECT 3 FROM t LIMIT 1');
  expect(judged.verdict).toBe('match');
  expect(judged.flags).toContain('answer_constant');
  const honest = await judge('SELECT count(*) FROM t', 'SELECT count(a) FROM t');
  expect(honest.flags).not.toContain('answer_constant');
});

it('a gold that reads the clock is asked anew each time, not remembered', async () => {
  const gold = "SELECT strftime('%f', 'now') > '' , strftime('%s', 'now')";
  // Gold and answer can fall into different seconds; a remembered gold would be wrong each time.
  for (let round = 0; round < 2; round += 1) {
    const verdicts: string[] = [];
    for (let tries = 0; tries < 3; tries += 1) verdicts.push((await judge(gold, gold)).verdict);
    expect(verdicts).toContain('match');
    await sleep(1_100);
  }
});

it('a truncated database is found before it is served', () => {
  truncateSync(bed.file, 4_500);
  expect(inspectDatabase('db', bed.file)).toEqual({
    databaseId: 'db',
    message: 'the database file is truncated',
  });
});
