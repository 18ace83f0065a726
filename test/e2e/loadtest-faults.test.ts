import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import type { LoadReport } from '../../src/loadtest/report.ts';
import { runSqlenv } from '../support/cli.ts';
import { runCommand, spawnServer, type CommandProcess } from '../support/spawn-server.ts';
import { openTerminal } from '../support/terminal.ts';

const SMALL = ['--prompts', '4', '--rollouts', '2', '--connections', '2', '--warmup', '0'];
const QUIET = ['--demo', '--no-record', '--log-level', 'silent'];

/** Waits until a plain line of the progress shows episodes that were counted. */
async function untilPlaying({ stderr, exit }: CommandProcess): Promise<void> {
  let ended: number | null | undefined;
  void exit.then((code) => (ended = code ?? -1));
  while (!/, [1-9]\d* episodes/.test(stderr())) {
    if (ended !== undefined) throw new Error(`it ended with ${ended}: ${stderr()}`);
    await sleep(50);
  }
}

describe('a server that breaks', () => {
  it('killed in mid-load: the load ends, with 1, and tells what was lost', async () => {
    const server = await spawnServer(QUIET);
    const load = runCommand([
      ...['loadtest', server.welcome.address, ...SMALL, '--batches', '100000'],
      ...['--think', 'fixed:50', '--progress', 'plain', '--json', '-'],
    ]);
    await untilPlaying(load);
    server.child.kill('SIGKILL');
    expect(await load.exit).toBe(1);
    server.client.disconnect();
    const report = JSON.parse(load.stdout()) as LoadReport;
    expect(report.end).toBe('server_gone');
    expect(report.metrics['episodes']).toBeGreaterThan(0);
    expect(report.metrics['lost']).toBeGreaterThan(0);
    expect(report.errors.map(({ reason }) => reason)).toContain('UNAVAILABLE');
    expect(report.metrics['rewards.wrong']).toBe(0);
  });

  it.each(['unary', 'stream'])(
    'stopped, so that it answers nothing: deadlines end every %s call',
    async (transport) => {
      const server = await spawnServer(QUIET);
      const load = runCommand([
        ...['loadtest', server.welcome.address, ...SMALL, '--batches', '100000'],
        ...['--think', 'fixed:50', '--progress', 'plain', '--json', '-'],
        ...['--deadline-ms', '2000', '--transport', transport],
      ]);
      await untilPlaying(load);
      server.child.kill('SIGSTOP');
      expect(await load.exit).toBe(1);
      server.child.kill('SIGKILL');
      server.client.disconnect();
      const report = JSON.parse(load.stdout()) as LoadReport;
      expect(report.end).toBe('server_gone');
      expect(report.errors.map(({ reason }) => reason)).toContain('DEADLINE_EXCEEDED');
    },
  );

  it('nobody listens: says so, with 1', async () => {
    const { exitCode, stdout, stderr } = await runSqlenv(['loadtest', '127.0.0.1:1']);
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr).toContain('no server answers at 127.0.0.1:1');
  });

  it('full: every episode that finds no place is lost by name, and a threshold may allow it', async () => {
    const flags = [...SMALL, '--batches', '2', '--episode-count-max', '3', '--think', 'fixed:200'];
    const { exitCode, stdout } = await runSqlenv(['loadtest', ...flags, '--json', '-']);
    expect(exitCode).toBe(1);
    const report = JSON.parse(stdout) as LoadReport;
    expect(report.errors).toMatchObject([{ call: 'reset', reason: 'OVERLOADED' }]);
    expect(report.metrics['errors.OVERLOADED']).toBe(report.metrics['lost']);
    expect((report.metrics['lost'] ?? 0) + (report.metrics['episodes'] ?? 0)).toBe(16);
    const allowed = await runSqlenv(['loadtest', ...flags, '--fail-if', 'lost>10']);
    expect(allowed.exitCode).toBe(0);
  });
});

describe('an end before the end', () => {
  it('a time limit cuts everything off, with 1', async () => {
    const { exitCode, stdout } = await runSqlenv([
      ...['loadtest', ...SMALL, '--think', 'fixed:60000', '--time-limit', '1', '--json', '-'],
    ]);
    expect(exitCode).toBe(1);
    const report = JSON.parse(stdout) as LoadReport;
    expect(report.end).toBe('time_limit');
    expect(report.metrics).toMatchObject({ cut: 8, errors: 0, lost: 0, episodes: 0 });
  });

  it('a signal ends it with the report of what was measured, and closes what was open', async () => {
    const server = await spawnServer(QUIET);
    const load = runCommand([
      ...['loadtest', server.welcome.address, ...SMALL, '--batches', '100000'],
      ...['--think', 'fixed:50', '--progress', 'plain', '--json', '-'],
    ]);
    await untilPlaying(load);
    load.child.kill('SIGINT');
    expect(await load.exit).toBe(130);
    const report = JSON.parse(load.stdout()) as LoadReport;
    expect(report.end).toBe('interrupted');
    expect(report.metrics['episodes']).toBeGreaterThan(0);
    expect(report.metrics).toMatchObject({ errors: 0, lost: 0, 'rewards.wrong': 0 });
    expect((await server.client.getInfo({})).episodeCount).toBe(0);
    server.client.disconnect();
    server.child.kill('SIGKILL');
  });

  it('Ctrl-C on a terminal, which reaches clients and server too, counts no failure', async () => {
    const main = path.join(PACKAGE_ROOT, 'dist/src/main.js');
    const flags = [...SMALL, '--batches', '100000', '--think', 'fixed:50'];
    const terminal = openTerminal([process.execPath, main, 'loadtest', ...flags], {
      columns: 100,
      rows: 60,
    });
    await terminal.waitFor(/measuring .* [1-9]\d* episodes/);
    expect(terminal.screen()).toMatch(/episodes\/s .* steps\/s .* under way/);
    expect(terminal.screen()).toContain('0 calls failed');
    terminal.type('\x03');
    const { exitCode } = await terminal.ended;
    expect(exitCode).toBe(130);
    const screen = await terminal.waitFor('no call failed, no episode was lost');
    expect(screen).toContain('stopped by a signal');
    // The live lines are gone.
    expect(screen).not.toContain('measuring');
  });
});

describe('misuse', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-loadtest-misuse-'));

  it.each([
    [['nonsense'], 'ADDRESS: "nonsense" is not allowed'],
    [['127.0.0.1:99999'], 'ADDRESS'],
    [['127.0.0.1:1', '--demo', '--threads', '3'], '--demo, --threads: the server'],
    [['--prompts', '0'], '--prompts'],
    [['--seconds', 'soon'], '--seconds'],
    [['--turns', 'fixd:3'], 'did you mean fixed?'],
    [['--think', 'recorded'], 'goes with --trajectories'],
    [['--policies', 'glod=1'], 'did you mean gold?'],
    [['--arrivals', 'poison'], 'did you mean poisson?'],
    [['--transport', 'udp'], '--transport'],
    [['--progress', 'loud'], '--progress'],
    [['--fail-if', 'step.p99>50'], 'needs a unit'],
    [['--connections', '2', '--client-workers', '3'], "3 processes can't share 2 connections"],
    [['--compare', path.join(folder, 'no.json')], '--compare'],
    [['--compare', PACKAGE_ROOT], '--compare'],
    [['--polices', 'gold=1'], '--policies'],
  ])('%j is refused with 2 before anything starts', async (args, message) => {
    const { exitCode, stdout, stderr } = await runSqlenv(['loadtest', ...args]);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(message);
    rmSync(folder, { recursive: true, force: true });
  });
});
