import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { playShowcase, writeRecords } from '../../support/showcase-records.ts';
import { openReplay, replayCommand } from '../../support/terminal-program.ts';

let root = '';
let folder = '';

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'sqlenv-opening-'));
  folder = path.join(root, 'records');
  mkdirSync(folder);
  writeRecords(folder, await playShowcase());
}, 120_000);

afterAll(() => rmSync(root, { recursive: true, force: true }));

const SLOW = 120_000;

test(
  'keys that were typed while it started were echoed to the shell and lost',
  async () => {
    const program = openReplay(folder);
    await program.waitFor('opening the records ...');
    program.type('/verdict:mismatch\r');
    await program.waitFor('7 of 20 episodes');
    program.type('q');
    expect((await program.ended).exitCode).toBe(0);
    expect(program.emulator.buffer.active.type).toBe('normal');
    expect(program.screen()).not.toContain('verdict');
  },
  SLOW,
);

test(
  'what goes wrong while it starts is said on the terminal as it was',
  async () => {
    const program = openReplay(folder, { flags: ['--forks', path.join(root, 'f.jsonl')] });
    await program.waitFor('opening the records ...');
    program.type('\x03');
    expect((await program.ended).exitCode).toBe(130);
    expect(program.emulator.buffer.active.type).toBe('normal');
  },
  SLOW,
);

const hasTmux = spawnSync('tmux', ['-V']).status === 0;
if (!hasTmux) process.stderr.write('tmux is not installed: what it shows is not tested\n');

test.skipIf(!hasTmux).each([80, 81, 100])(
  'tmux showed no right border at %i columns, for the last column was erased again',
  async (columns) => {
    const socket = path.join(root, `tmux-${columns}`);
    const tmux = (...args: readonly string[]): string =>
      execFileSync('tmux', ['-S', socket, '-f', '/dev/null', ...args], { encoding: 'utf8' });
    const waitFor = async (text: string): Promise<string> => {
      const deadline = Date.now() + 60_000;
      for (;;) {
        const shown = tmux('capture-pane', '-p', '-t', 'replay');
        if (shown.includes(text) || Date.now() > deadline) return shown;
        await sleep(50);
      }
    };
    const command = replayCommand(folder, ['--demo']).map((part) => `'${part}'`);
    tmux('new-session', '-d', '-s', 'replay', '-x', `${columns}`, '-y', '24', command.join(' '));
    try {
      expect(await waitFor('20 episodes')).toContain('20 episodes');
      tmux('send-keys', '-t', 'replay', 'Enter');
      const lines = (await waitFor('what was cut away')).split('\n');
      const edges = lines.filter((line) => /^[│┃╭┏╰┗]/.test(line));
      expect(edges.length).toBeGreaterThan(10);
      for (const line of edges) expect(line).toMatch(/[│┃╮┓╯┛█]$/);
      for (const line of edges) expect(Array.from(line)).toHaveLength(columns);
      // Times that find no room end in an ellipsis.
      const times = lines.find((line) => line.includes('· query ')) ?? '';
      expect(times).toMatch(columns === 80 ? /…$/ : /ms|…$/);
    } finally {
      tmux('kill-server');
    }
  },
  SLOW,
);
