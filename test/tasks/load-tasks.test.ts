import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databasePath } from '../../src/tasks/database-path.ts';
import { databaseProblem, neededDatabases, usableTasks } from '../../src/tasks/load-databases.ts';
import { loadTasks } from '../../src/tasks/load-tasks.ts';
import { InputError } from '../../src/tasks/task-set.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-tasks-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const TASK = { task_id: 't/1', database_id: 'd', question: 'How many?', gold_sql: 'SELECT 1' };

function write(name: string, content: string): string {
  const file = path.join(folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, content);
  return file;
}

function loadLines(lines: readonly (object | string)[], split?: string) {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  const taskFile = write('tasks.jsonl', text.join('\n'));
  return loadTasks({ kind: 'files', databaseFolder: folder, taskFile }, split);
}

/** A first line that is fine, then the one in question: the problem must name line 2. */
function problemsOf(line: object | string): readonly string[] {
  const { problems, tasks } = loadLines([{ ...TASK, task_id: 'fine' }, line]);
  expect(tasks.map(({ task }) => task.taskId)).toEqual(['fine']);
  return problems.map(({ location, message }) => `${location}: ${message}`);
}

describe('a task file', () => {
  test('gives tasks in order; blank lines, line ends of Windows and a last line without end are fine', () => {
    const lines = [
      JSON.stringify(TASK),
      '',
      `${JSON.stringify({ ...TASK, task_id: 't/2' })}\r`,
      '  ',
    ];
    const { tasks, problems, title } = loadLines(lines);
    expect(problems).toEqual([]);
    expect(title).toBe('tasks.jsonl');
    expect(tasks).toEqual([
      {
        location: 'tasks.jsonl:1',
        task: {
          taskId: 't/1',
          databaseId: 'd',
          question: 'How many?',
          goldSql: 'SELECT 1',
          split: '',
          difficulty: '',
        },
      },
      expect.objectContaining({ location: 'tasks.jsonl:3' }),
    ]);
  });

  test.each<[string, object | string, RegExp]>([
    ['no JSON', '{"task_id": "x"', /^tasks.jsonl:2: not valid JSON: /],
    ['no object', '[1]', /^tasks.jsonl:2: it must be a JSON object$/],
    ['a missing key', { ...TASK, gold_sql: undefined }, /^tasks.jsonl:2: gold_sql: it is missing$/],
    ['a key of another type', { ...TASK, question: 7 }, /:2: question: it must be a text$/],
    ['an empty text', { ...TASK, question: '' }, /:2: question: it is empty$/],
    ['an unknown key', { ...TASK, gold: 'x' }, /:2: "gold": no such key; did you mean gold_sql\?$/],
    ['a difficulty', { ...TASK, difficulty: 'ultra' }, /:2: difficulty: it must be one of easy, /],
    [
      'a long id',
      { ...TASK, task_id: 'é'.repeat(101) },
      /:2: task_id: it is longer than 200 bytes/,
    ],
    ['a path', { ...TASK, database_id: '../x' }, /:2: database_id: "..\/x" is not allowed/],
    ['a folder', { ...TASK, database_id: '..' }, /:2: database_id: ".." is not allowed/],
    [
      'a duplicate',
      { ...TASK, task_id: 'fine' },
      /:2: task_id: "fine" is there already, at tasks.jsonl:1$/,
    ],
  ])('%s is a problem with its line, and the rest is served', (_name, line, problem) => {
    const problems = problemsOf(line);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(problem);
  });

  test('every problem of a line is told', () => {
    expect(problemsOf({ task_id: '', question: 3, extra: 1 })).toHaveLength(5);
  });

  test.each<[string, () => unknown, RegExp]>([
    ['no tasks', () => loadLines(['']), /^there are no tasks to serve$/],
    [
      'a split that no task has',
      () =>
        loadLines(
          [
            { ...TASK, split: 'dev' },
            { ...TASK, task_id: 'x' },
          ],
          'test',
        ),
      /^no task has the split test; there are dev, \(none\)$/,
    ],
    [
      'no file',
      () => loadTasks({ kind: 'files', databaseFolder: '', taskFile: '/nope/t.jsonl' }, undefined),
      /^\/nope\/t.jsonl: there is no such file$/,
    ],
  ])('%s stops the start', (_name, load, message) => {
    expect(load).toThrow(InputError);
    expect(load).toThrow(message);
  });

  test('a line that is not UTF-8 is a problem with its number, and the others are tasks', () => {
    const taskFile = path.join(folder, 'latin1.jsonl');
    const good = Buffer.from(`${JSON.stringify(TASK)}\n`);
    writeFileSync(taskFile, Buffer.concat([Buffer.from([0x7b, 0xe9, 0x7d, 0x0a]), good]));
    const set = loadTasks({ kind: 'files', databaseFolder: folder, taskFile }, undefined);
    expect(set.tasks).toHaveLength(1);
    expect(set.problems).toEqual([
      { location: 'latin1.jsonl:1', message: 'it is not valid UTF-8' },
    ]);
  });
});

describe('a Spider release', () => {
  const row = (question: string, more: object = {}) => ({
    db_id: 'd',
    question,
    query: 'SELECT 1',
    ...more,
  });

  test('gives both splits, with ids by position', () => {
    write('dev.json', JSON.stringify([row('a', { sql: { from: [] } }), row('b')]));
    write('train_spider.json', JSON.stringify([row('c')]));
    const set = loadTasks({ kind: 'spider', folder }, undefined);
    expect(set.tasks.map(({ task }) => [task.taskId, task.split, task.question])).toEqual([
      ['spider/train/0', 'train', 'c'],
      ['spider/dev/0', 'dev', 'a'],
      ['spider/dev/1', 'dev', 'b'],
    ]);
    expect(set.databaseFolder).toBe(path.join(folder, 'database'));
    expect(loadTasks({ kind: 'spider', folder }, 'dev').tasks).toHaveLength(2);
  });

  test('problems name the line of the row, also when it is printed over many', () => {
    const rows = [
      row('a {"[,'),
      row('b', { query: '' }),
      row('c\\"'),
      7,
      row('d', { db_id: 'a/b' }),
    ];
    write('dev.json', JSON.stringify(rows, undefined, 2));
    const { problems, tasks } = loadTasks({ kind: 'spider', folder }, 'dev');
    expect(tasks.map(({ location }) => location)).toEqual(['dev.json:2', 'dev.json:12']);
    expect(problems).toEqual([
      { location: 'dev.json:7', message: 'spider/dev/1: query: it must be a text, not empty' },
      expect.objectContaining({ message: 'spider/dev/3: the row must be a JSON object' }),
      expect.objectContaining({ message: expect.stringMatching(/^spider\/dev\/4: db_id: "a\/b"/) }),
    ]);
  });

  test.each<[string, string | undefined, RegExp]>([
    [
      'no files',
      undefined,
      /there is no train_spider.json nor dev.json: is it a Spider release\?$/,
    ],
    ['no file of the split', 'dev', /there is no dev.json: is it a Spider release\?$/],
    [
      'a split that Spider has not',
      'test',
      /^--split test: a Spider release has the splits train, dev$/,
    ],
  ])('%s', (_name, split, message) => {
    expect(() => loadTasks({ kind: 'spider', folder }, split)).toThrow(message);
  });

  test('a file that is no list', () => {
    write('dev.json', '{}');
    const load = () => loadTasks({ kind: 'spider', folder }, 'dev');
    expect(load).toThrow('dev.json: it must hold a JSON array of rows');
    write('dev.json', '[');
    expect(load).toThrow(/^dev.json: not valid JSON/);
  });
});

describe('databases', () => {
  test('lie in a folder of their own, or beside each other', () => {
    write('a/a.sqlite', '');
    write('b.sqlite', '');
    expect(databasePath(folder, 'a')).toBe(path.join(folder, 'a/a.sqlite'));
    expect(databasePath(folder, 'b')).toBe(path.join(folder, 'b.sqlite'));
    expect(databasePath(folder, 'none')).toBe(path.join(folder, 'none/none.sqlite'));
  });

  test('are listed once, with the place of their first task', () => {
    const { tasks } = loadLines([
      TASK,
      { ...TASK, task_id: 't/2', database_id: 'x' },
      { ...TASK, task_id: 't/3' },
    ]);
    const needed = neededDatabases(tasks);
    expect(needed).toEqual([
      { databaseId: 'd', location: 'tasks.jsonl:1', taskCount: 2 },
      { databaseId: 'x', location: 'tasks.jsonl:2', taskCount: 1 },
    ]);
    expect(needed.map((database) => databaseProblem(database, 'is empty').message)).toEqual([
      'database d: is empty (2 tasks need it)',
      'database x: is empty (1 task needs it)',
    ]);
  });

  test('that are broken take their tasks along; the others get their difficulty', () => {
    const nested = 'SELECT name FROM singer WHERE age > (SELECT avg(age) FROM singer)';
    const { tasks } = loadLines([
      { ...TASK, gold_sql: 'SELECT count(*) FROM singer' },
      { ...TASK, task_id: 't/2', gold_sql: nested },
      { ...TASK, task_id: 't/3', gold_sql: nested, difficulty: 'easy' },
      { ...TASK, task_id: 't/4', gold_sql: 'VALUES (1)' },
      { ...TASK, task_id: 't/5', database_id: 'broken' },
    ]);
    const schema = { tableSqls: [], tables: [{ name: 'Singer', columns: ['Name', 'Age'] }] };
    const usable = usableTasks(tasks, new Map([['d', schema]]));
    expect(usable.map((task) => [task.taskId, task.difficulty])).toEqual([
      ['t/1', 'easy'],
      ['t/2', 'hard'],
      ['t/3', 'easy'],
      ['t/4', ''],
    ]);
  });
});
