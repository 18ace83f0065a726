import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { status as Status } from '@grpc/grpc-js';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { until } from '../support/log.ts';
import { runCommand, spawnServer, type CommandProcess } from '../support/spawn-server.ts';

let folder: string;
const running: CommandProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-serve-'));
});

afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill('SIGKILL');
    await exit;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function serve(...args: string[]) {
  const server = await spawnServer(args, { cwd: folder });
  running.push(server);
  return server;
}

async function outcomeOf(...args: string[]) {
  const command = runCommand(args, { cwd: folder });
  running.push(command);
  const code = await command.exit;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

const SQL = 'SELECT count(*) FROM products';
const RUNAWAY =
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
const fence = (sql: string): string => `\`\`\`sql\n${sql}\n\`\`\``;

function trajectories(): Trajectory[] {
  const records = path.join(folder, 'trajectories');
  const names = readdirSync(records).filter((name) => name.endsWith('.jsonl'));
  return names.flatMap((name) =>
    readFileSync(path.join(records, name), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Trajectory),
  );
}

describe('serve --demo', () => {
  test('a whole episode on real SQLite, its record, and a clean end on SIGTERM', async () => {
    const { client, welcome, child, exit, stderr } = await serve('--demo');
    expect(welcome).toMatchObject({ task_count: 114, database_count: 10, skipped: [] });
    const page = await client.listTasks({ databaseId: 'bakery_chain', includeGold: true });
    const task = page.tasks[0];
    const episodeId = 'e1';
    await client.reset({ episodeId, taskId: task?.taskId ?? '', labels: { run: 'test' } });
    const toolCall = { name: 'run_sql', argumentsJson: JSON.stringify({ query: SQL }) };
    const step = await client.step({ episodeId, stepIndex: 0, toolCall });
    expect(step.messages[0]?.content).toBe('{"columns": ["count(*)"], "rows": [[18]]}');
    const finalText = fence(task?.goldSql ?? '');
    const last = await client.step({ episodeId, stepIndex: 1, finalText });
    expect(last).toMatchObject({ reward: 1, terminated: true });
    const wrong = { episodeId: 'e2', taskId: task?.taskId ?? '' };
    await client.reset(wrong);
    await client.step({ episodeId: 'e2', stepIndex: 0, finalText: fence('SELECT 0') });
    await client.reset({ ...wrong, episodeId: 'e3' });
    client.disconnect();
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
    const records = trajectories();
    expect(records.map((line) => [line.episode_id, line.end, line.return])).toEqual([
      ['e1', 'terminated', 1],
      ['e2', 'terminated', 0],
      ['e3', 'abandoned', 0],
    ]);
    expect(records[0]).toMatchObject({ labels: { run: 'test' }, split: 'train' });
    expect(JSON.stringify(records[1])).not.toContain(task?.goldSql);
    const logged = stderr().trimEnd().split('\n');
    const messages = logged.map((line) => (JSON.parse(line) as { msg: string }).msg);
    expect(messages).toContain('episode ended');
    expect(messages).not.toContain('step');
    expect(messages.at(-1)).toBe('stopped');
  });

  test('a cancelled call frees its thread, and the step can be taken again', async () => {
    const { client } = await serve('--demo', '--no-record', '--query-cpu-ms-max', '600000');
    const episodeId = 'e';
    await client.reset({ episodeId, taskId: 'demo/bakery_chain/01' });
    const call = (sql: string) => ({
      episodeId,
      stepIndex: 0,
      toolCall: { name: 'run_sql', argumentsJson: JSON.stringify({ query: sql }) },
    });
    const given = client.step(call(RUNAWAY), { deadlineMs: 150 });
    await expect(given).rejects.toMatchObject({ code: Status.DEADLINE_EXCEEDED });
    await until(async () => (await client.getInfo({})).runningQueryCount === 0);
    expect((await client.step(call(SQL))).stepIndex).toBe(0);
    client.disconnect();
  });

  test('says what is running, for people', async () => {
    const command = runCommand(['serve', '--demo', '--port', '0', '--no-record'], { cwd: folder });
    running.push(command);
    await until(() => command.stdout().includes('Ctrl-C'));
    expect(command.stdout()).toMatch(/^sqlenv \d+\.\d+\.\d+ serves the demo on 127\.0\.0\.1:\d+\n/);
    expect(command.stdout()).toContain('114 (84 train, 30 dev)');
    command.child.kill('SIGINT');
    expect(await command.exit).toBe(0);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a second signal ends it at once, whatever its threads do', async () => {
    const { client, child, exit } = await serve('--demo', '--no-record');
    const call = client.runSql({ databaseId: 'bakery_chain', query: RUNAWAY });
    await until(async () => (await client.getInfo({})).runningQueryCount > 0);
    child.kill('SIGTERM');
    await until(async () => (await client.getInfo({})).draining);
    child.kill('SIGINT');
    await expect(call).rejects.toMatchObject({ code: Status.UNAVAILABLE });
    await exit;
    // As after any Ctrl-C: a shell calls this 130.
    expect(child.signalCode).toBe('SIGINT');
    client.disconnect();
  });

  test('a step that outlasts the time for draining is stopped, and the exit code is 0', async () => {
    const limits = ['--query-cpu-ms-max', '600000', '--query-wall-ms-max', '600000'];
    const { client, child, exit } = await serve('--demo', '--drain-ms', '200', ...limits);
    await client.reset({ episodeId: 'e', taskId: 'demo/bakery_chain/01' });
    const toolCall = { name: 'run_sql', argumentsJson: JSON.stringify({ query: RUNAWAY }) };
    const call = client.step({ episodeId: 'e', stepIndex: 0, toolCall });
    await until(async () => (await client.getInfo({})).runningQueryCount > 0);
    child.kill('SIGTERM');
    await expect(call).rejects.toMatchObject({ reason: 'DRAINING' });
    expect(await exit).toBe(0);
    expect(trajectories()).toMatchObject([{ episode_id: 'e', end: 'abandoned', steps: [] }]);
    client.disconnect();
  });

  test('a port in use is one line and exit code 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await until(() => other.listening);
    const { port } = other.address() as { port: number };
    const { code, stderr } = await outcomeOf('serve', '--demo', '--port', String(port));
    other.close();
    expect(code).toBe(1);
    expect(stderr).toMatch(/^sqlenv: port \d+ of 127\.0\.0\.1 is in use: /m);
    expect(stderr).not.toContain('    at ');
  });

  test('a record folder that cannot be written is one line and exit code 1', async () => {
    writeFileSync(path.join(folder, 'occupied'), '');
    const { code, stderr } = await outcomeOf('serve', '--demo', '--record', 'occupied/x');
    expect(code).toBe(1);
    expect(stderr).toContain("--record occupied/x: trajectories can't be written there (ENOTDIR)");
  });

  test('beyond loopback it warns', async () => {
    const { stderr } = await serve('--demo', '--no-record', '--host', '0.0.0.0');
    await until(() => stderr().includes('listening beyond this machine'));
  });
});

describe('broken input', () => {
  const task = (databaseId: string, index: number): string =>
    JSON.stringify({
      task_id: `t/${index}`,
      database_id: databaseId,
      question: 'How many?',
      gold_sql: 'SELECT count(*) FROM t',
    });

  /** One good database, and one broken in each way. */
  function writeInput(): { readonly lock: Database.Database } {
    const good = path.join(folder, 'good.sqlite');
    new Database(good).exec('CREATE TABLE t (x); INSERT INTO t VALUES (1), (2)').close();
    writeFileSync(path.join(folder, 'empty.sqlite'), '');
    writeFileSync(path.join(folder, 'text.sqlite'), 'not a database'.repeat(100));
    const corrupt = readFileSync(good).fill(0xff, 100, 200);
    writeFileSync(path.join(folder, 'corrupt.sqlite'), corrupt);
    copyFileSync(good, path.join(folder, 'locked.sqlite'));
    const lock = new Database(path.join(folder, 'locked.sqlite'));
    lock.exec('BEGIN EXCLUSIVE');
    const ids = ['good', 'missing', 'empty', 'text', 'corrupt', 'locked', 'good'];
    const lines = [...ids.map(task), '{"task_id": 7}', task('good', 0)];
    writeFileSync(path.join(folder, 'tasks.jsonl'), lines.join('\n'));
    return { lock };
  }

  const ARGS = ['--databases', '.', '--tasks', 'tasks.jsonl', '--no-record'];

  test('is listed with file and line, and refused', async () => {
    const { lock } = writeInput();
    const { code, stderr, stdout } = await outcomeOf('serve', ...ARGS);
    lock.close();
    expect([code, stdout]).toEqual([1, '']);
    for (const [line, words] of [
      [2, 'database missing: the database file is missing (1 task needs it)'],
      [3, 'database empty: the database file is empty'],
      [4, 'database text: the file is not a SQLite 3 database'],
      [5, 'database corrupt: '],
      [6, 'database locked: '],
      [8, 'task_id: it must be a text'],
      [9, 'task_id: "t/0" is there already, at tasks.jsonl:1'],
    ] as const) {
      expect(stderr).toContain(`tasks.jsonl:${line}: ${words}`);
    }
    expect(stderr).toMatch(/^sqlenv: there are \d+ problems with the tasks; --skip-broken serves/);
  });

  test('is left out with --skip-broken, and the rest is served', async () => {
    const { lock } = writeInput();
    const { client, welcome } = await serve(...ARGS, '--skip-broken');
    lock.close();
    expect(welcome).toMatchObject({ task_count: 2, database_count: 1 });
    expect(welcome.skipped.length).toBeGreaterThanOrEqual(7);
    await client.reset({ episodeId: 'e', taskId: 't/6' });
    const finalText = fence('SELECT 2');
    const last = await client.step({ episodeId: 'e', stepIndex: 0, finalText });
    expect(last.reward).toBe(1);
    const refused = client.reset({ episodeId: 'f', taskId: 't/2' });
    await expect(refused).rejects.toMatchObject({ reason: 'TASK_NOT_FOUND' });
    client.disconnect();
  });

  test('of which there is much is listed up to twenty', async () => {
    const lines = Array.from({ length: 50 }, (_, index) => task(`none${index}`, index));
    writeFileSync(path.join(folder, 'tasks.jsonl'), lines.join('\n'));
    const { stderr } = await outcomeOf('serve', ...ARGS);
    expect(stderr).toContain('there are 50 problems');
    expect(stderr.trimEnd().split('\n')).toHaveLength(22);
    expect(stderr).toContain('... and 30 more');
  });
});

describe('the command line', () => {
  test.each<[string[], number, RegExp]>([
    [['--version'], 0, /^\d+\.\d+\.\d+\n$/],
    [['--help'], 0, /Usage: sqlenv[\s\S]*Exit codes: 0 all is well, 1 it found problems, 2/],
    [['serve', '--help'], 0, /--lease-ms <number>[\s\S]*default: 600000[\s\S]*Examples:/],
  ])('%j', async (args, expected, text) => {
    const { code, stdout } = await outcomeOf(...args);
    expect(code).toBe(expected);
    expect(stdout).toMatch(text);
  });

  test.each<[string[], RegExp]>([
    [[], /Usage: sqlenv/],
    [['sevre'], /unknown command 'sevre'\n\(Did you mean serve\?\)/],
    [['serve', '--demo', '--prot', '1'], /unknown option '--prot'\n\(Did you mean --port\?\)/],
    [['serve', '--demo', '--port', '1e9'], /^sqlenv: --port: "1e9" is not allowed/],
    [['serve', 'extra'], /too many arguments/],
    [['serve'], /there is nothing to serve: give --demo, --spider DIR, or --databases DIR/],
  ])('%j is a misuse: exit code 2', async (args, text) => {
    const { code, stderr } = await outcomeOf(...args);
    expect(code).toBe(2);
    expect(stderr).toMatch(text);
  });
});
