import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import type { Task } from '../../env/task.ts';
import { pairRows } from '../../src/evaluate/answer-rows.ts';
import { behaviourProfile } from '../../src/evaluate/profile.ts';
import { readGoldFile } from '../../src/evaluate/read-gold-file.ts';
import { readPredictions } from '../../src/evaluate/read-predictions.ts';
import type { ExecutionScore, ScoredRow } from '../../src/evaluate/row.ts';
import { sha256 } from '../../src/sqlite/hash.ts';
import { InputError } from '../../src/tasks/task-set.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-pairing-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const tasks: Task[] = ['a', 'b', 'a'].map((databaseId, index) => ({
  taskId: `t/${index}`,
  databaseId,
  question: '',
  goldSql: `SELECT ${index}`,
  split: '',
  difficulty: '',
}));

let fileCount = 0;
function fileOf(text: string): string {
  const file = path.join(folder, `predictions-${(fileCount += 1)}`);
  writeFileSync(file, text);
  return file;
}

function pair(text: string, allowMissing = false) {
  return pairRows(tasks, readPredictions(fileOf(text)), { allowMissing });
}

function problemsOf(work: () => unknown): string[] {
  try {
    work();
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    const problems = error.problems.map(({ location, message }) => `${location}: ${message}`);
    return [error.message, ...problems];
  }
  throw new Error('it was accepted');
}

describe('predictions a line', () => {
  it('are stripped, cut at the first TAB, and read with any line end', () => {
    const { rows, notes } = pair('\ufeff  SELECT 1 \r\nSELECT 2\tb\rSELECT\t 3\n\n \n');
    expect(rows.map(({ answerSql }) => answerSql)).toEqual(['SELECT 1', 'SELECT 2', 'SELECT']);
    expect(notes.map(({ message }) => message)).toEqual(['what follows its first TAB is cut off']);
  });

  it('may be empty, which is no answer', () => {
    expect(pair('SELECT 1\n\nSELECT 3').rows[1]?.answerSql).toBeUndefined();
  });

  it('must be as many as the tasks', () => {
    const message = 'misaligned: there are 2 predictions for 3 tasks; no row is scored';
    expect(problemsOf(() => pair('SELECT 1\nSELECT 2\n'))).toEqual([message]);
    expect(() => pair('1\n2\n3\n4\n')).toThrow('4 predictions for 3 tasks');
    expect(() => pair('')).toThrow('0 predictions for 3 tasks');
  });

  it('must not name the database of another task', () => {
    const problems = problemsOf(() => pair('SELECT 1\ta\nSELECT 2\ta\nSELECT 3\ta\n'));
    expect(problems).toHaveLength(2);
    expect(problems[1]).toMatch(/:2: it names database a, but the task of this row is over b$/u);
  });
});

describe('predictions by task', () => {
  const line = (index: number, rest: object): string =>
    JSON.stringify({ task_id: `t/${index}`, ...rest });

  it('come in any order, as SQL or as completions', () => {
    const { rows } = pair(
      [
        line(2, { sql: ' SELECT 3 ' }),
        line(0, { completion: 'So:\n```sql\nSELECT 1\n```' }),
        line(1, { sql: '' }),
      ].join('\n'),
    );
    expect(rows.map(({ answerSql }) => answerSql)).toEqual(['SELECT 1', undefined, 'SELECT 3']);
  });

  it('must name each task once, and no other', () => {
    const text = [line(0, { sql: '1' }), line(0, { sql: '2' }), line(7, { sql: '3' })].join('\n');
    const problems = problemsOf(() => pair(text));
    expect(problems.slice(1).map((problem) => problem.replace(/^predictions-\d+/u, 'F'))).toEqual([
      expect.stringMatching(/^F:2: t\/0 is answered already, at predictions-\d+:1$/u),
      'F:3: there is no task t/7',
      't/1: it has no prediction',
      't/2: it has no prediction',
    ]);
  });

  it('may miss tasks if that is allowed', () => {
    expect(pair(line(1, { sql: 'SELECT 2' }), true).rows).toHaveLength(3);
  });

  it('that can not be read are named', () => {
    const { problems } = pair(`${line(0, { sql: '1' })}\n{"task_id": 3}\n{"task_id`, true);
    expect(problems.map(({ message }) => message)).toEqual([
      'a line must be {"task_id", "sql"}, {"task_id", "completion"} or a trajectory',
      expect.stringMatching(/^not valid JSON/u),
    ]);
  });
});

function episode(index: number, facts: object = {}): string {
  const task = tasks[index];
  return JSON.stringify({
    version: 1,
    episode_id: `e${index}`,
    task_id: `t/${index}`,
    database_id: task?.databaseId,
    gold_sha256: sha256(task?.goldSql ?? ''),
    steps: [
      { queries: [{ status: 'ok', sql: `SELECT  ${index};`, row_count: 1, extra: 1 }] },
      { queries: [{ status: 'unknown_tool', sql: '', row_count: 0 }] },
      { queries: [] },
    ],
    end: 'terminated',
    termination_reason: 'answer',
    truncation_reason: '',
    return: 0.5,
    completion_token_count: 30,
    grade: { verdict: 'match', answer_sql: `SELECT ${index}` },
    started_at: 'whatever',
    ...facts,
  });
}

describe('trajectories', () => {
  it('come from files and folders, several a task, in the order of the tasks', () => {
    const place = path.join(folder, 'trajectories');
    mkdirSync(place);
    writeFileSync(path.join(place, 'trajectories-000001.jsonl'), `${episode(2)}\n${episode(0)}\n`);
    const labels = { evaluate_attempt: '0' };
    writeFileSync(
      path.join(place, 'trajectories-000002.jsonl'),
      `${episode(0, { labels: { evaluate_attempt: '5' } })}\n${episode(0, { labels })}\n{"torn`,
    );
    const { rows, problems, tasksWithoutRow } = pairRows(tasks, readPredictions(place), {
      allowMissing: false,
    });
    expect(rows.map(({ task, attempt }) => [task.taskId, attempt])).toEqual([
      ['t/0', 0],
      ['t/0', 1],
      ['t/0', 2],
      ['t/2', 0],
    ]);
    expect(rows[2]?.record?.labels['evaluate_attempt']).toBe('5');
    expect(tasksWithoutRow).toBe(1);
    expect(problems).toHaveLength(1);
  });

  it('of a run that was broken off and resumed count once: an attempt with an end replaces one without', () => {
    const labels = (attempt: string) => ({ labels: { evaluate_attempt: attempt } });
    const broken = { grade: null, end: 'abandoned', termination_reason: '' };
    const { rows } = pair(
      [
        episode(0, { ...broken, ...labels('0') }),
        episode(0, labels('0')),
        episode(0, { ...broken, ...labels('1') }),
        episode(1, broken),
        episode(1),
      ].join('\n'),
    );
    expect(rows.map(({ task, attempt, problem }) => [task.taskId, attempt, problem])).toEqual([
      ['t/0', 0, undefined],
      ['t/0', 1, 'the episode has no answer: it was abandoned'],
      ['t/1', 0, 'the episode has no answer: it was abandoned'],
      ['t/1', 1, undefined],
    ]);
  });

  it('that can not be judged say why', () => {
    const { rows, problems } = pair(
      [
        episode(0, { gold_sha256: 'other' }),
        episode(1, { database_id: 'a' }),
        episode(2, { grade: null, end: 'expired', termination_reason: '' }),
        episode(2).replace('t/2', 't/9'),
        episode(2, { version: 2 }),
      ].join('\n'),
    );
    expect(rows.map(({ problem }) => problem)).toEqual([
      'the gold is not the one that the episode had',
      'the episode was over database a',
      'the episode has no answer: it was expired',
    ]);
    expect(problems.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^not a trajectory: version/u),
      'there is no task t/9',
    ]);
  });

  it('have a profile', () => {
    const { rows } = pair([0, 1, 2].map((index) => episode(index)).join('\n'));
    const execution = (verdict: string): ExecutionScore => ({
      matched: verdict === 'match',
      verdict,
      errorText: '',
      capped: false,
    });
    const verdicts = ['match', 'mismatch', 'answer_sql_error'];
    const scored = rows.map((row, index): ScoredRow => ({
      row,
      match: undefined,
      legacyMatch: undefined,
      legacyExecution: undefined,
      problems: [],
      execution: execution(verdicts[index] ?? ''),
    }));
    expect(behaviourProfile(scored)).toEqual({
      episodeCount: 3,
      meanReturn: 0.5,
      answerExecutes: 2 / 3,
      answerIsRunQuery: 1,
      unparseable: 0,
      sawRowsAndWrong: 2 / 3,
      runSqlPerEpisode: 1,
      turnsPerEpisode: 3,
      completionTokensPerEpisode: 30,
      ends: { answer: 3 },
      verdicts: { answer_sql_error: 1, match: 1, mismatch: 1 },
    });
    expect(behaviourProfile([])).toBeUndefined();
  });
});

describe('golds in the official format', () => {
  it('are a query, one TAB and a database a line', () => {
    const golds = readGoldFile(fileOf('SELECT 1\tdb\nSELECT 2\tother\n\n'));
    expect(golds.map(({ task }) => [task.goldSql, task.databaseId])).toEqual([
      ['SELECT 1', 'db'],
      ['SELECT 2', 'other'],
    ]);
    const problems = problemsOf(() =>
      readGoldFile(fileOf('SELECT 1\n\nSELECT\tx\ty\nSELECT 1\t../x')),
    );
    expect(problems).toHaveLength(5);
  });
});
