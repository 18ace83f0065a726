import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../support/log.ts';
import { nonZero, parseScrape, scrape } from '../support/metrics-text.ts';
import { runCommand, spawnServer, type CommandProcess } from '../support/spawn-server.ts';

let folder: string;
const running: CommandProcess[] = [];

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-metrics-'));
});

afterEach(async () => {
  for (const { child, exit } of running.splice(0)) {
    child.kill('SIGKILL');
    await exit;
  }
  rmSync(folder, { recursive: true, force: true });
});

async function serve(...args: string[]) {
  const server = await spawnServer(['--demo', '--metrics', '0', ...args], { cwd: folder });
  running.push(server);
  const url = server.welcome.metrics_url ?? '';
  return { ...server, url };
}

const RUNAWAY =
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';
const toolCall = (query: string) => ({ name: 'run_sql', argumentsJson: JSON.stringify({ query }) });
const fence = (sql: string): string => `\`\`\`sql\n${sql}\n\`\`\``;

describe('a server with --metrics', () => {
  test('counts exactly what was played', async () => {
    const { client, url, child, exit } = await serve('--record', 'records');
    const before = await scrape(url);
    expect(nonZero(before, 'sqlenv_calls_total')).toEqual({});
    const page = await client.listTasks({ databaseId: 'bakery_chain', includeGold: true });
    const { taskId = '', goldSql = '' } = page.tasks[0] ?? {};

    // Two tool calls, one of them wrong, a repeat, a step that conflicts, and the right answer.
    await client.reset({ episodeId: 'a', taskId });
    const first = { episodeId: 'a', stepIndex: 0, toolCall: toolCall('SELECT 1') };
    await client.step(first);
    await client.step(first);
    await client.step({ episodeId: 'a', stepIndex: 1, toolCall: toolCall('SELECT nope') });
    await expect(client.step({ ...first, stepIndex: 7 })).rejects.toThrow('ABORTED');
    const last = await client.step({ episodeId: 'a', stepIndex: 2, finalText: fence(goldSql) });
    expect(last.reward).toBe(1);
    // A wrong answer; a malformed call; a limit; a Close; one that stays open.
    for (const episodeId of ['b', 'c', 'd', 'e', 'f']) {
      const limits = episodeId === 'd' ? { stepCountMax: 1 } : {};
      await client.reset({ episodeId, taskId, limits });
    }
    await client.step({ episodeId: 'b', stepIndex: 0, finalText: fence("SELECT 'no'") });
    const malformed = '<tool_call>{"name": "run_sql", "arguments"</tool_call>';
    await client.step({ episodeId: 'c', stepIndex: 0, assistantText: malformed });
    await client.step({ episodeId: 'd', stepIndex: 0, toolCall: toolCall('SELECT 2') });
    await client.close({ episodeId: 'e' });
    await expect(client.step({ ...first, episodeId: 'nobody' })).rejects.toThrow('NOT_FOUND');
    await client.score({ taskId, sql: goldSql, comparisonModes: ['bag@1', 'set@1'] });
    // A runaway that its trial in the fast lane does not hold.
    const limits = { queryCpuMsMax: 100 };
    const { query } = await client.runSql({ databaseId: 'bakery_chain', query: RUNAWAY, limits });
    expect(query?.status).toBe('QUERY_STATUS_TIME_LIMIT');

    await until(async () => (await scrape(url)).get('sqlenv_recorded_trajectories_total') === 5);
    const after = await scrape(url);
    expect(nonZero(after, 'sqlenv_calls_total')).toEqual({
      '{method="ListTasks",status="OK",reason=""}': 1,
      '{method="Reset",status="OK",reason=""}': 6,
      '{method="Step",status="OK",reason=""}': 7,
      '{method="Step",status="ABORTED",reason="STEP_CONFLICT"}': 1,
      '{method="Step",status="NOT_FOUND",reason="EPISODE_NOT_FOUND"}': 1,
      '{method="Close",status="OK",reason=""}': 1,
      '{method="Score",status="OK",reason=""}': 1,
      '{method="RunSql",status="OK",reason=""}': 1,
    });
    expect(after.get('sqlenv_call_seconds_count{method="Step",status="OK"}')).toBe(7);
    expect(after.get('sqlenv_call_seconds_bucket{method="Step",status="OK",le="+Inf"}')).toBe(7);
    expect(after.get('sqlenv_call_seconds_count{method="Step",status="ABORTED"}')).toBe(1);
    expect(after.get('sqlenv_call_seconds_sum{method="RunSql",status="OK"}')).toBeGreaterThan(0.1);
    expect(nonZero(after, 'sqlenv_running_calls')).toEqual({});
    expect(after.get('sqlenv_episodes_opened_total')).toBe(6);
    expect(after.get('sqlenv_open_episodes')).toBe(1);
    expect(nonZero(after, 'sqlenv_episodes_ended_total')).toEqual({
      '{end="terminated",reason="answer"}': 2,
      '{end="terminated",reason="malformed_call"}': 1,
      '{end="truncated",reason="step_limit"}': 1,
      '{end="closed",reason=""}': 1,
    });
    expect(after.get('sqlenv_episode_steps_sum')).toBe(6);
    expect(after.get('sqlenv_episode_steps_count')).toBe(5);
    expect(nonZero(after, 'sqlenv_steps_total')).toEqual({
      '{outcome="continued"}': 2,
      '{outcome="terminated"}': 3,
      '{outcome="truncated"}': 1,
    });
    expect(nonZero(after, 'sqlenv_tool_calls_total')).toEqual({
      '{status="ok"}': 2,
      '{status="sql_error"}': 1,
    });
    expect(nonZero(after, 'sqlenv_verdicts_total')).toEqual({
      '{method="Step",comparison_mode="bag@1",verdict="match"}': 1,
      '{method="Step",comparison_mode="bag@1",verdict="mismatch"}': 1,
      '{method="Step",comparison_mode="bag@1",verdict="answer_missing"}': 1,
      '{method="Step",comparison_mode="bag@1",verdict="answer_sql_error"}': 1,
      '{method="Score",comparison_mode="bag@1",verdict="match"}': 1,
      '{method="Score",comparison_mode="set@1",verdict="match"}': 1,
    });
    expect(after.get('sqlenv_reward_sum')).toBe(1);
    expect(after.get('sqlenv_reward_count')).toBe(4);
    expect(after.get('sqlenv_trial_overruns_total')).toBe(1);
    const slow = '{purpose="query",lane="slow",status="time_limit"}';
    expect(after.get(`sqlenv_queries_total${slow}`)).toBe(1);
    expect(after.get('sqlenv_query_cpu_seconds_sum{lane="slow"}')).toBeGreaterThan(0.09);
    expect(after.get('sqlenv_lost_workers_total')).toBe(0);
    const [name = ''] = readdirSync(path.join(folder, 'records')).filter((each) =>
      each.endsWith('.jsonl'),
    );
    const { size } = statSync(path.join(folder, 'records', name));
    expect(after.get('sqlenv_recorded_bytes_total')).toBe(size);
    expect(after.get('sqlenv_open_connections')).toBe(1);
    expect(after.get('sqlenv_connections_total')).toBe(1);
    for (const positive of ['process_cpu_seconds_total', 'process_resident_memory_bytes']) {
      expect(after.get(positive)).toBeGreaterThan(0);
    }
    client.disconnect();
    await until(async () => (await scrape(url)).get('sqlenv_open_connections') === 0);
    child.kill('SIGTERM');
    expect(await exit).toBe(0);
  });

  test('counts what the result cache answered, and what ran, once each', async () => {
    const { client, url } = await serve('--no-record');
    const read = async () => {
      const numbers = await scrape(url);
      return {
        hits: numbers.get('sqlenv_result_cache_hits_total') ?? 0,
        misses: numbers.get('sqlenv_result_cache_misses_total') ?? 0,
        ran: numbers.get('sqlenv_queries_total{purpose="query",lane="fast",status="ok"}') ?? 0,
        kept: numbers.get('sqlenv_queries_total{purpose="query",lane="none",status="ok"}') ?? 0,
        timed: numbers.get('sqlenv_query_cpu_seconds_count{lane="fast"}') ?? 0,
        entries: numbers.get('sqlenv_result_cache_entries') ?? 0,
      };
    };
    const before = await read();
    let count = 0;
    const run = async (query: string): Promise<void> => {
      count += 1;
      await client.runSql({ databaseId: 'bakery_chain', query });
    };
    // Right after a quiet time nothing is shared: somebody has to look first whether the file is still the same.
    await until(async () => {
      await run('SELECT 1 + 1');
      await run('SELECT 1 + 1');
      return (await read()).hits > before.hits;
    });
    // At once, so that those who come later wait for a reply that is on its way.
    await Promise.all(Array.from({ length: 8 }, () => run('SELECT 2 + 2')));
    // It may be another one the next time, so nothing is kept of it.
    await run('SELECT random()');
    await run('SELECT random()');
    const after = await read();
    const { hits, misses, ran, kept, timed, entries } = Object.fromEntries(
      Object.entries(after).map(([key, value]) => [
        key,
        value - before[key as keyof typeof before],
      ]),
    ) as typeof before;
    expect(hits + ran).toBe(count);
    expect({ kept, timed }).toEqual({ kept: hits, timed: ran });
    expect(misses).toBeGreaterThan(0);
    expect(misses).toBeLessThanOrEqual(ran);
    expect(entries).toBeGreaterThan(0);
    expect(entries).toBeLessThanOrEqual(2);
    expect((await scrape(url)).get('sqlenv_result_cache_bytes')).toBeGreaterThan(0);
  });

  test('watches the event loop, also while nobody calls', async () => {
    const { url } = await serve('--no-record');
    await until(async () => {
      const numbers = await scrape(url);
      return (numbers.get('sqlenv_event_loop_lag_seconds_count') ?? 0) > 1;
    });
    const numbers = await scrape(url);
    expect(numbers.get('sqlenv_event_loop_active_seconds_total')).toBeGreaterThan(0);
    // Nothing is recorded, so there is nothing to say of it.
    expect(numbers.has('sqlenv_recorded_trajectories_total')).toBe(false);
  });

  test('/healthz says whether new episodes are taken, also while the server drains', async () => {
    const { client, url, child, exit } = await serve('--no-record');
    const health = url.replace(/metrics$/, 'healthz');
    expect((await fetch(health)).status).toBe(200);
    const page = await client.listTasks({});
    await client.reset({ episodeId: 'a', taskId: page.tasks[0]?.taskId ?? '' });
    child.kill('SIGTERM');
    await until(async () => (await fetch(health)).status === 503);
    expect((await scrape(url)).get('sqlenv_draining')).toBe(1);
    await client.close({ episodeId: 'a' });
    client.disconnect();
    expect(await exit).toBe(0);
    await expect(fetch(health)).rejects.toThrow('fetch failed');
  });
});

describe('settings', () => {
  test('without --metrics nothing is served, and the welcome says so', async () => {
    const server = await spawnServer(['--demo', '--no-record'], { cwd: folder });
    running.push(server);
    expect(server.welcome).toMatchObject({ metrics_port: null, metrics_url: null });
  });

  test('the environment can ask for it, and people are told where it is', async () => {
    const env = { SQLENV_METRICS_PORT: '0' };
    const args = ['serve', '--demo', '--no-record', '--port', '0'];
    const command = runCommand(args, { cwd: folder, env });
    running.push(command);
    await until(() => command.stdout().includes('Ctrl-C'));
    const url = /metrics +(http:\/\/127\.0\.0\.1:\d+\/metrics)/.exec(command.stdout())?.[1];
    expect(parseScrape(await (await fetch(url ?? '')).text()).get('sqlenv_tasks')).toBe(114);
  });

  test('a port that is in use is said at once, and which flag chooses another', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };
    try {
      const args = ['serve', '--demo', '--no-record', '--port', '0', '--metrics-port', `${port}`];
      const command = runCommand(args, { cwd: folder });
      running.push(command);
      expect(await command.exit).toBe(1);
      expect(command.stderr()).toContain(`sqlenv: port ${port} of 127.0.0.1 is in use`);
      expect(command.stderr()).toContain('choose one with --metrics-port, or --metrics-port 0');
    } finally {
      other.close();
    }
  });

  test('a failed start leaves the port of the metrics free', async () => {
    const args = ['serve', '--databases', folder, '--tasks', 'nope.jsonl', '--metrics', '0'];
    const command = runCommand(args, { cwd: folder });
    running.push(command);
    expect(await command.exit).toBe(1);
    expect(command.stderr()).toContain('nope.jsonl');
  });
});
