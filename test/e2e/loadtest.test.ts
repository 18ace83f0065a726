import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { LoadReport } from '../../src/loadtest/report.ts';
import { runSqlenv } from '../support/cli.ts';
import { spawnServer, type ServerProcess } from '../support/spawn-server.ts';

const SMALL = ['--prompts', '4', '--rollouts', '2', '--connections', '2', '--warmup', '0'];

let folder: string;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-loadtest-'));
  server = await spawnServer([
    '--demo',
    ...['--record', path.join(folder, 'recorded'), '--metrics-port', '0', '--log-level', 'error'],
  ]);
});

afterAll(async () => {
  server.client.disconnect();
  server.child.kill('SIGTERM');
  await server.exit;
  rmSync(folder, { recursive: true, force: true });
});

const load = (...args: readonly string[]) =>
  runSqlenv(['loadtest', server.welcome.address, ...SMALL, ...args]);

const loadJson = async (...args: readonly string[]): Promise<LoadReport> => {
  const { stdout, stderr } = await load(...args, '--json', '-');
  expect(stderr).toBe('');
  return JSON.parse(stdout) as LoadReport;
};

const metricsFlags = (): string[] => {
  const { metrics_url } = server.welcome as { readonly metrics_url?: string };
  return ['--metrics-address', metrics_url ?? ''];
};

/** An address where nobody listens. */
async function freeAddress(): Promise<string> {
  const listener = createServer();
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const { port } = listener.address() as AddressInfo;
  await new Promise((resolve) => listener.close(resolve));
  return `127.0.0.1:${port}`;
}

describe('a load', () => {
  it('measures its batches and holds every reward against its script', async () => {
    const report = await loadJson('--batches', '3', '--warmup', '1', ...metricsFlags());
    const { metrics } = report;
    expect(report).toMatchObject({ format: 'sqlenv-loadtest', version: 1, end: 'complete' });
    expect(metrics).toMatchObject({
      episodes: 24,
      steps: 72,
      errors: 0,
      lost: 0,
      cut: 0,
      'rewards.wrong': 0,
      'batch.count': 3,
      'reset.count': 24,
      'step.tool.count': 48,
      'step.answer.count': 24,
      'step.count': 72,
      'queue.count': 72,
      'episode.count': 24,
    });
    expect(report.warmup_failure_count).toBe(0);
    expect(report.batches.map(({ batch_index }) => batch_index)).toEqual([1, 2, 3]);
    const walls = report.batches.map(({ wall_ms }) => wall_ms ?? 0);
    expect(metrics['batch.max']).toBe(Math.max(...walls));
    expect(metrics['step.p50']).toBeLessThanOrEqual(metrics['step.p99'] ?? 0);
    expect(metrics['step.p99']).toBeLessThanOrEqual(metrics['step.max'] ?? 0);
    const policies = Object.fromEntries(report.policies.map((each) => [each.policy, each]));
    expect(policies['gold']).toMatchObject({ return_mean: 1, wrong_count: 0, lost_count: 0 });
    expect(policies['wrong']).toMatchObject({ return_mean: 0 });
    expect(report.policies.reduce((sum, { episode_count }) => sum + episode_count, 0)).toBe(24);
    const drawn = report.distributions['reset']?.reduce((sum, [, , count]) => sum + count, 0);
    expect(drawn).toBe(24);
    const { points } = report.timeline;
    // The warm-up is on the timeline, and only there.
    expect(points.reduce((sum, point) => sum + point.episode_count, 0)).toBe(32);
  });

  it('tells the CPU, memory and times of the server from its metrics', async () => {
    const { metrics, server_problem } = await loadJson('--batches', '2', ...metricsFlags());
    expect(server_problem).toBe('');
    expect(metrics['server.cpu']).toBeGreaterThan(0);
    expect(metrics['server.cpu_per_1000_steps']).toBeGreaterThan(0);
    expect(metrics['server.memory.max']).toBeGreaterThan(50e6);
    expect(metrics['server.step.mean']).toBeGreaterThan(0);
    expect(metrics['server.step.mean']).toBeLessThan(metrics['step.mean'] ?? 0);
    const sum = (metrics['server.step.mean'] ?? 0) + (metrics['wire.step.mean'] ?? 0);
    expect(sum / (metrics['step.mean'] ?? 1)).toBeCloseTo(1, 3);
  });

  it('says what it does not know without them', async () => {
    const { stdout, exitCode } = await load('--batches', '1');
    expect(exitCode).toBe(0);
    expect(stdout).toContain('nothing is known of its CPU and memory');
    const refused = await loadJson('--batches', '1', '--metrics-address', await freeAddress());
    expect(refused.server_problem).toContain('ECONNREFUSED');
    expect(refused.end).toBe('complete');
  });

  it('plays the same for the same seed, however many processes play it', async () => {
    const one = await loadJson('--batches', '2', '--seed', '7', '--client-workers', '1');
    const two = await loadJson('--batches', '2', '--seed', '7', '--client-workers', '2');
    const other = await loadJson('--batches', '2', '--seed', '8');
    expect(two.plan_sha256).toBe(one.plan_sha256);
    expect(other.plan_sha256).not.toBe(one.plan_sha256);
    expect([one.clients.length, two.clients.length]).toEqual([1, 2]);
    expect(two.metrics['steps']).toBe(one.metrics['steps']);
  });

  it('a runaway is stopped at its limit and harms no reward', async () => {
    const report = await loadJson(
      ...['--batches', '1', '--policies', 'gold=1,hostile=1,runaway=1', '--query-ms-max', '1000'],
    );
    const policies = Object.fromEntries(report.policies.map((each) => [each.policy, each]));
    expect(policies['runaway']).toMatchObject({ return_mean: 1, wrong_count: 0 });
    expect(policies['hostile']).toMatchObject({ return_mean: 0, wrong_count: 0 });
    expect(report.metrics['policy.runaway.max']).toBeGreaterThan(900);
    expect(report.metrics['honest.count']).toBeGreaterThan(0);
  });

  it('thinks, draws turns, and does not count think times as the cost of the environment', async () => {
    const { metrics } = await loadJson(
      ...['--batches', '2', '--think', 'fixed:400', '--turns', 'fixed:2'],
    );
    expect(metrics['steps']).toBe(32);
    expect(metrics['batch.median']).toBeGreaterThan(800);
    const added = (metrics['batch.median'] ?? 0) - (metrics['environment.median'] ?? 0);
    expect(Math.abs(added - 800)).toBeLessThan(5);
  });

  it('has answers scored as well', async () => {
    const { metrics } = await loadJson('--batches', '1', '--score', '--policies', 'gold=1');
    expect(metrics['score.count']).toBe(8);
  });

  it('plays over streams', async () => {
    const { metrics, end } = await loadJson('--batches', '2', '--transport', 'stream');
    expect(end).toBe('complete');
    expect(metrics).toMatchObject({ episodes: 16, steps: 48, errors: 0, 'rewards.wrong': 0 });
  });

  it('keeps no episode open', async () => {
    await load('--batches', '1');
    expect((await server.client.getInfo({})).episodeCount).toBe(0);
  });
});

describe('an open loop', () => {
  it('lets episodes arrive by the clock, and counts from when they were meant to', async () => {
    const report = await loadJson(
      '--arrival-rate',
      '16',
      '--seconds',
      '2',
      '--arrivals',
      'uniform',
    );
    // 0, 62.5 ms, ... up to 2 s: 33 of them.
    expect(report.metrics['episodes']).toBe(33);
    expect(report.metrics).toMatchObject({ errors: 0, 'rewards.wrong': 0 });
    expect(report.measured_ms).toBeGreaterThan(2_000);
    expect(report.metrics['batch.median']).toBeUndefined();
    expect(report.batches.length).toBe(4);
  });

  it('leaves the warm-up out', async () => {
    const report = await loadJson(
      ...['--arrival-rate', '40', '--batches', '2', '--warmup', '1', '--arrivals', 'uniform'],
    );
    expect(report.metrics['episodes']).toBe(16);
  });
});

describe('recorded trajectories', () => {
  it('are played as they were, and must earn what they earned', async () => {
    // All that the tests before have played was recorded by the server.
    await load('--batches', '1', '--think', 'fixed:100', '--turns', 'fixed:2');
    const recorded = path.join(folder, 'recorded');
    const report = await loadJson('--batches', '2', '--trajectories', recorded);
    expect(report.policies).toMatchObject([{ policy: 'recorded', wrong_count: 0, lost_count: 0 }]);
    expect(report.metrics['episodes']).toBe(16);
    expect(report.load).toMatchObject({ policies: 'recorded', think: 'recorded' });
    const faster = await loadJson('--batches', '1', '--trajectories', recorded, '--think', 'none');
    expect(faster.load).toMatchObject({ think: 'none' });
  });

  it('that are not there end it before it begins', async () => {
    const { exitCode, stderr } = await load('--trajectories', path.join(folder, 'nothing'));
    expect(exitCode).toBe(1);
    expect(stderr).toContain('no recorded episodes');
  });
});

describe('thresholds', () => {
  it('that hold end it with 1, and say so', async () => {
    const { exitCode, stdout } = await load(
      ...['--batches', '1', '--fail-if', 'step.p99>1us', '--fail-if', 'errors>0'],
    );
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/FAILED step\.p99>1us: /);
    expect(stdout).toContain('passed errors>0: 0');
  });

  it('that do not hold end it with 0', async () => {
    const { exitCode } = await load('--batches', '1', '--fail-if', 'step.p99>600s');
    expect(exitCode).toBe(0);
  });
});

describe('reports', () => {
  it('are written, and compared with an earlier one', async () => {
    const [json, html] = [path.join(folder, 'run.json'), path.join(folder, 'run.html')];
    await load('--batches', '3', '--json', json);
    const before = JSON.parse(readFileSync(json, 'utf8')) as LoadReport;
    // An earlier load that was a thousand times as fast.
    const faster = (metrics: LoadReport['metrics']) =>
      Object.fromEntries(
        Object.entries(metrics).map(([name, value]) => [
          name,
          name.startsWith('step.p') ? value / 1_000 : value,
        ]),
      );
    const batches = before.batches.map((batch) => ({ ...batch, metrics: faster(batch.metrics) }));
    writeFileSync(json, JSON.stringify({ ...before, metrics: faster(before.metrics), batches }));
    const compared = ['--compare', json, '--fail-if', 'compare.worse>0', '--html', html];
    const { exitCode, stdout } = await load('--batches', '3', ...compared);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/step\.p99 .* WORSE/);
    expect(stdout).toMatch(/FAILED compare\.worse>0: [1-9]/);
    const page = readFileSync(html, 'utf8');
    expect(page).toContain('<svg');
    expect(page).toContain('>worse<');
  });
});
