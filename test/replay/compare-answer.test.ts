import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import type { AnswerComparison, Replayer } from '../../src/replay/ports.ts';
import { createReplayer } from '../../src/replay/replayer.ts';
import { NEVER } from '../support/executor.ts';
import {
  answer,
  call,
  createReplayBed,
  SINGERS,
  written,
  type ReplayBed,
} from '../support/replay-bed.ts';

/** Gold, answer, what the explanation must say, and the verdict of bag@1. */
type Case = readonly [name: string, gold: string, answer: string, says: RegExp, verdict: string];

const CASES: readonly Case[] = [
  [
    'the same row',
    'SELECT count(*) FROM song',
    'SELECT count(id) FROM song',
    /^A match: the same row\. The gold is a single value/,
    'match',
  ],
  [
    'the same rows in another order',
    'SELECT name FROM singer',
    'SELECT name FROM singer ORDER BY name DESC',
    /^A match: the same 4 rows, in whatever order\./,
    'match',
  ],
  [
    'equal numbers',
    'SELECT id, score FROM singer WHERE id < 4',
    'SELECT id + 0.0, score FROM singer WHERE id < 4',
    /3 rows are written otherwise, as 2 and 2\.0/,
    'match',
  ],
  [
    'no rows on either side',
    'SELECT 1 FROM singer WHERE id > 9',
    'SELECT name FROM singer WHERE id > 9',
    /neither has any rows\. Any query without rows would have matched/,
    'match',
  ],
  [
    'nothing',
    'SELECT name FROM singer',
    'SELECT name FROM singer WHERE id > 9',
    /^The answer has no rows, and the gold 4\./,
    'mismatch',
  ],
  [
    'something for nothing',
    'SELECT name FROM singer WHERE id > 9',
    'SELECT name FROM singer',
    /^The gold has no rows, and the answer 4\./,
    'mismatch',
  ],
  [
    'other rows',
    'SELECT name FROM singer',
    'SELECT title FROM song',
    /^None of the answer's 3 rows is in the gold, which has 4\./,
    'mismatch',
  ],
  [
    'too many rows',
    'SELECT name FROM singer WHERE age = 30',
    'SELECT name FROM singer',
    /has all 2 rows of the gold and 2 more: it filters or joins too loosely/,
    'mismatch',
  ],
  [
    'too few rows',
    'SELECT name FROM singer',
    'SELECT name FROM singer WHERE age = 30',
    /misses 2 of the gold's 4: it filters or joins too strictly/,
    'mismatch',
  ],
  [
    'some of each',
    'SELECT name FROM singer WHERE id < 3',
    'SELECT name FROM singer WHERE id > 1 AND id < 4',
    /has 1 row that the gold lacks and misses 1 of the gold's 2/,
    'mismatch',
  ],
  [
    'a missing DISTINCT',
    'SELECT DISTINCT title FROM song',
    'SELECT title FROM song',
    /Both hold the same 2 different rows, but the answer repeats some: it lacks a DISTINCT.*set@1 would have called it a match/,
    'mismatch',
  ],
  [
    'a DISTINCT too many',
    'SELECT title FROM song',
    'SELECT DISTINCT title FROM song',
    /the gold repeats some: the answer's DISTINCT/,
    'mismatch',
  ],
  [
    'swapped columns',
    'SELECT id, name FROM singer',
    'SELECT name, id FROM singer',
    /columns are in another order: the gold's are the answer's columns 2, 1/,
    'mismatch',
  ],
  [
    'a column too many',
    'SELECT name FROM singer',
    'SELECT id, name FROM singer',
    /has 2 columns and the gold 1; .*Its column 2 holds what the gold asks for: column 1 \(id\) is too much/,
    'mismatch',
  ],
  [
    'a column too few',
    'SELECT name, age FROM singer',
    'SELECT name FROM singer',
    /has 1 column and the gold 2; .*lacks column 2 \(age\)/,
    'mismatch',
  ],
  [
    'text for numbers',
    'SELECT id, age FROM singer WHERE id < 3',
    'SELECT id, CAST(age AS TEXT) FROM singer WHERE id < 3',
    /only difference is in column 2 \(age\): text on one side and number on the other/,
    'mismatch',
  ],
  [
    'case and blanks',
    'SELECT name FROM singer',
    "SELECT upper(name) || ' ' FROM singer",
    /only difference is in column 1 \(name\): upper and lower case or blanks/,
    'mismatch',
  ],
  [
    'rounded numbers',
    'SELECT avg(score) FROM singer',
    'SELECT round(avg(score), 2) FROM singer',
    /decimals: rounded to two they are equal/,
    'mismatch',
  ],
  [
    'NULL and 0',
    'SELECT id, age FROM singer',
    'SELECT id, coalesce(age, 0) FROM singer',
    /only difference is in column 2 \(age\): NULL on one side/,
    'mismatch',
  ],
  [
    'one wrong column',
    'SELECT name, age FROM singer WHERE id < 3',
    'SELECT name, id FROM singer WHERE id < 3',
    /Only column 2 \(age\) holds other values/,
    'mismatch',
  ],
  [
    'wrong pairs',
    'SELECT name, id FROM singer WHERE id < 3',
    'SELECT name, 3 - id FROM singer WHERE id < 3',
    /paired otherwise: rows are joined to the wrong ones/,
    'mismatch',
  ],
  [
    'no ORDER BY',
    'SELECT name FROM singer ORDER BY name DESC',
    'SELECT name FROM singer',
    /^Equal as multisets, but the gold orders its 4 rows and 3 rows of the answer are elsewhere\. The answer has no ORDER BY\. set@1 would/,
    'mismatch',
  ],
  [
    'ties',
    'SELECT name FROM singer WHERE age > 0 ORDER BY age',
    'SELECT name FROM singer WHERE age > 0 ORDER BY age, name DESC',
    /Only rows that are equal on the gold's sort keys have changed places\. set@1 and rows@1 would have called it a match/,
    'mismatch',
  ],
  [
    'a tie at the LIMIT',
    'SELECT name FROM singer ORDER BY age DESC LIMIT 1',
    'SELECT name FROM singer ORDER BY age DESC, name DESC LIMIT 1',
    /The gold's LIMIT cuts between rows that are equal/,
    'mismatch',
  ],
  [
    'a column of another table',
    'SELECT name FROM singer',
    'SELECT title FROM singer',
    /^The answer failed: no such column: title\. There is a column title in song\./,
    'answer_sql_error',
  ],
  [
    'a misspelt column',
    'SELECT name FROM singer',
    'SELECT T.nmae FROM singer T',
    /^The answer failed: no such column: T\.nmae\. Did it mean name\?/,
    'answer_sql_error',
  ],
  [
    'a misspelt table',
    'SELECT name FROM singer',
    'SELECT name FROM singers',
    /no such table: singers\. Did it mean singer\?/,
    'answer_sql_error',
  ],
  [
    'a syntax error',
    'SELECT name FROM singer',
    'SELECT name FRM singer',
    /^The answer failed: .*syntax error\.$/,
    'answer_sql_error',
  ],
  [
    'a statement that writes',
    'SELECT name FROM singer',
    'DROP TABLE song',
    /^The answer was refused: not authorized/,
    'answer_forbidden',
  ],
  [
    'a PRAGMA',
    'SELECT name FROM singer',
    'PRAGMA table_info(singer)',
    /^The answer was refused: .*must be a SELECT statement/,
    'answer_forbidden',
  ],
  ['a guess', 'SELECT count(*) FROM song', 'SELECT 3', /The answer reads no table/, 'match'],
  [
    'a BLOB beside its digits',
    "SELECT x'6162' FROM song",
    "SELECT '6162' FROM song",
    /look alike and are not equal: a BLOB/,
    'mismatch',
  ],
];

let bed: ReplayBed;
let replayer: Replayer;

beforeAll(async () => {
  bed = await createReplayBed(
    CASES.map(([, gold]) => gold),
    { sql: SINGERS },
  );
  replayer = createReplayer(await bed.source());
});

afterAll(() => bed.close());

describe('the explanation of', () => {
  test.each(CASES.map((one, index) => [one[0], index] as const))('%s', async (_, index) => {
    const [, gold, answerSql, says, verdict] = CASES[index] as Case;
    const task = { kind: 'named', taskId: `t/${index}` } as const;
    const trajectory = await bed.play([answer(answerSql)], { task });
    const found = await replayer.compareAnswer(trajectory, NEVER);
    expect(found.explanation).toMatch(says);
    expect(trajectory.grade?.verdict).toBe(verdict);
    const decided = found.verdicts.filter((each) => each.decided);
    expect(decided).toMatchObject([{ comparisonMode: 'bag@1', verdict }]);
    expect(found.gold.sql).toBe(gold);
    expect(found.answer?.sql).toBe(answerSql);
    const { missing, extra, order } = found.counts;
    if (verdict === 'match') expect([missing, extra, order]).toEqual([0, 0, 0]);
  });
});

async function compared(
  changes: Partial<Trajectory>,
  answerSql?: string,
): Promise<AnswerComparison> {
  const trajectory = await bed.play([answer('SELECT name FROM singer')], {
    task: { kind: 'named', taskId: 't/1' },
  });
  return await replayer.compareAnswer({ ...trajectory, ...changes }, NEVER, answerSql);
}

test('an edited answer is compared in place of the recorded one', async () => {
  const found = await compared({}, 'SELECT name FROM singer WHERE id = 1');
  expect(found.counts).toMatchObject({ same: 1, missing: 3 });
  expect(found.explanation).not.toContain('Recorded was');
});

test('a verdict that is another one than recorded is said', async () => {
  const [grade] = [(await bed.play([answer('SELECT 1')], {})).grade];
  const changed = {
    ...grade,
    verdict: 'mismatch',
    reward: 0,
    answer_sql: 'SELECT name FROM singer',
  };
  const found = await compared({ grade: changed as Trajectory['grade'] });
  expect(found.explanation).toContain('Recorded was mismatch with the reward 0');
});

test.each([
  [{ kind: 'assistant_text', text: '<tool_call>{' }, /malformed tool call, which is no answer/],
  [{ kind: 'final_text', text: '' }, /holds no SQL where an answer is looked for/],
] as const)('an episode without an answer says why: %j', async (action, says) => {
  const found = await replayer.compareAnswer(
    await bed.play([action], { score: { fallback: 'none' } }),
    NEVER,
  );
  expect(found.answer).toBeUndefined();
  expect(found.explanation).toMatch(says);
  expect(found.verdicts.map(({ verdict }) => verdict)).toEqual(Array(3).fill('answer_missing'));
});

test('a turn that was taken for the answer is told from one', async () => {
  const malformed = { kind: 'assistant_text', text: '<tool_call>{' } as const;
  const found = await replayer.compareAnswer(await bed.play([malformed]), NEVER);
  expect(found.explanation).toMatch(/^The tool call is malformed, which ends the episode/);
  const late = written('SELECT 1');
  const limited = await bed.play([late], { limits: { completionTokenCountMax: 2 } });
  const { explanation } = await replayer.compareAnswer(limited, NEVER);
  expect(explanation).toMatch(/^The episode reached its token limit: the turn was taken/);
});

test('an episode that was closed before its answer has no verdicts', async () => {
  const found = await replayer.compareAnswer(await bed.play([call('SELECT 1')]), NEVER);
  expect(found.verdicts).toEqual([]);
  expect(found.explanation).toBe('The episode was closed before the model gave an answer.');
});

test('a gold that is not known is an error, not a guess', async () => {
  const trajectory = await bed.play([answer('SELECT 1')], {
    task: { kind: 'inline', taskId: 'mine', databaseId: 'db', question: 'Q?', goldSql: 'SELECT 1' },
  });
  await expect(replayer.compareAnswer(trajectory, NEVER)).rejects.toThrow(
    /^the gold is not known: /,
  );
});

test('a query is shown as the model would read it, and whole', async () => {
  const trajectory = await bed.play([call('SELECT 1')], { observation: { textSizeMax: 20 } });
  const { shown, whole } = await replayer.runQuery(trajectory, 'SELECT * FROM singer', NEVER);
  expect(shown.message.content).toContain('...(truncated)...');
  expect(whole.message.content).toContain('"Cy"');
  const failed = await replayer.runQuery(trajectory, 'SELECT', NEVER);
  expect(failed.shown.query.status).toBe('sql_error');
});

test('the schema is that of the prompt', async () => {
  const trajectory = await bed.play([]);
  const tables = await replayer.schema(trajectory, NEVER);
  expect(tables).toHaveLength(2);
  for (const table of tables) expect(trajectory.messages[0]?.content).toContain(table);
});
