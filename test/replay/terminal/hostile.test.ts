import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../../env/trajectory.ts';
import { playShowcase, writeRecords } from '../../support/showcase-records.ts';
import {
  expectScreen,
  KEYS,
  openReplay,
  replayCommand,
  type ProgramOptions,
} from '../../support/terminal-program.ts';
import { openTerminal, type TestTerminal } from '../../support/terminal.ts';

const SLOW = 180_000;
/** What no record may get onto a terminal: a title, a cleared screen, the clipboard, another colour, a cursor that moves. */
const ATTACK =
  '\x1b]0;pwned\x07\x1b[2J\x1b]52;c;cHduZWQ=\x07\x1b[31m\x9b5A\r\b\x1b[?1049l' +
  '\u202eright to left\u202c zero\u200bwidth \ufeff שלום 漢字 🎤 👩\u200d💻 e\u0301\u0301\u0301\u0301\u0301 \ud800';

let root = '';
let folder = '';
let terminal: TestTerminal | undefined;
let records: Trajectory[] = [];

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'sqlenv-terminal-'));
  folder = path.join(root, 'good');
  mkdirSync(folder);
  records = await playShowcase();
  writeRecords(folder, records);
}, 120_000);

afterEach(() => {
  terminal?.kill('SIGKILL');
  terminal = undefined;
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function open(place = folder, options: ProgramOptions = {}): TestTerminal {
  terminal = openReplay(place, options);
  return terminal;
}

/** A folder with a file of its own. */
function folderWith(name: string, lines: readonly string[]): string {
  const place = mkdtempSync(path.join(root, `${name}-`));
  writeFileSync(path.join(place, 'trajectories-000001.jsonl'), lines.join('\n'));
  return place;
}

function hostileRecord(): Trajectory {
  const [record] = records;
  const step = record?.steps[0];
  if (record === undefined || step === undefined) throw new Error('there is no record');
  return {
    ...record,
    task_id: `demo/${ATTACK}`,
    database_id: ATTACK,
    question: ATTACK,
    messages: [{ role: 'user', content: ATTACK }],
    steps: [
      {
        ...step,
        action: { kind: 'assistant_text', text: `${ATTACK}\n${'x'.repeat(1_000_000)}END` },
        messages: [{ role: 'tool', content: ATTACK }],
        queries: step.queries.map((query) => ({ ...query, sql: ATTACK, text_truncated: false })),
      },
    ],
    grade: record.grade && { ...record.grade, error_text: ATTACK, answer_sql: ATTACK },
  };
}

/** The program's own sequences are few; all others would have come from the record. */
function expectNothingRaw(program: TestTerminal): void {
  const written = program.written();
  // Before it there is the command's own progress bar.
  const start = written.indexOf('\x1b[?1049h');
  expect(start).toBeGreaterThan(-1);
  const own = /\x1b\[(?:\d+;\d+H|\d*G|\d*K|2J|[\d;]*m|\?(?:1049|7|2004|25|2026)[hl]|8[hl])/g; // eslint-disable-line no-control-regex
  const rest = written
    .slice(start)
    .replaceAll(own, '')
    .replaceAll(/[\r\n]/g, '');
  // With what follows it, so that a failure tells which sequence it was.
  expect(/\p{Cc}.{0,12}/u.exec(rest)?.[0]).toBeUndefined();
  expect(rest).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\ufeff]/);
}

test(
  'a record with escape codes, right-to-left marks and a line of a megabyte is shown, and does nothing',
  async () => {
    const place = folderWith('hostile', [JSON.stringify(hostileRecord())]);
    let title = '';
    const program = open(place);
    program.emulator.onTitleChange((changed) => (title = changed));
    await program.waitFor('1 episode');
    program.type(KEYS.enter);
    await program.waitFor('␛]0;pwned');
    await expectScreen(program, 'hostile-80x24');
    program.type('z');
    await program.waitUntilGone('what the model saw');
    program.type(KEYS.pageDown.repeat(3));
    await program.waitFor(/x{70}/);
    program.type(`z${KEYS.left}`);
    await program.waitFor('the prompt');
    program.type(KEYS.end);
    await program.waitFor('[verdict');
    program.type('u');
    await program.waitFor('▶   1 ● match');
    program.type('qq');
    await program.waitFor('1 episode');
    program.type('g');
    await program.waitFor('▸');
    expectNothingRaw(program);
    expect(title).toBe('');
    program.type('q');
    expect((await program.ended).exitCode).toBe(0);
  },
  SLOW,
);

test(
  'without colours nothing is coloured, and what is chosen has a mark',
  async () => {
    const program = open(folder, { env: { NO_COLOR: '1' } });
    await program.waitFor('20 episodes');
    program.type(KEYS.down);
    await program.waitFor(/▶ \S+ +night_trains +0 mismatch/);
    program.type(KEYS.enter);
    await program.waitFor('[0 ');
    await program.waitFor(/┏━ the model said/);
    program.type(KEYS.end);
    await program.waitFor('[verdict');
    // SGR 30 to 49 and 90 to 107 are the colours.
    const codes = [...program.written().matchAll(/\[([\d;]*)m/g)].flatMap(([, list = '']) =>
      list.split(';').map(Number),
    );
    expect(codes.filter((code) => (code >= 30 && code < 50) || code >= 90)).toEqual([]);
  },
  SLOW,
);

test(
  'a window that is too small says how large it must be, and a larger one goes on',
  async () => {
    const program = open(folder, { columns: 50, rows: 12 });
    await program.waitFor('window too small');
    await expectScreen(program, 'too-small-50x12');
    program.resize(60, 15);
    await program.waitFor('20 episodes');
    await expectScreen(program, 'list-60x15');
    program.type(KEYS.enter);
    await program.waitFor('[0 ');
    await expectScreen(program, 'step-60x15');
    program.resize(20, 4);
    await program.waitFor('too small');
    program.type('q');
    expect((await program.ended).exitCode).toBe(0);
  },
  SLOW,
);

test(
  'Ctrl-C gives the terminal back as it was, from within an editor too',
  async () => {
    const program = openTerminal(
      ['/bin/sh', '-c', `${shellWords(replayCommand(folder))}; echo "exit $?"; stty -a; sleep 60`],
      { columns: 100, rows: 30 },
    );
    terminal = program;
    await program.waitFor('20 episodes');
    program.type(`/reward`);
    await program.waitFor('filter reward');
    program.type(KEYS.ctrlC);
    const screen = await program.waitFor(/exit 130[\s\S]*echoctl/);
    expect(screen).toMatch(/ icanon/);
    expect(screen).toMatch(/ echo /);
    expect(screen).not.toContain('night_trains');
    expect(program.emulator.buffer.active.type).toBe('normal');
  },
  SLOW,
);

test.each([
  ['SIGTERM', 143],
  ['SIGHUP', 129],
  ['SIGINT', 130],
] as const)(
  '%s gives the terminal back',
  async (signal, exitCode) => {
    const program = open();
    await program.waitFor('20 episodes');
    process.kill(program.processId, signal);
    expect((await program.ended).exitCode).toBe(exitCode);
    expect(program.emulator.buffer.active.type).toBe('normal');
    expect(program.written()).toContain('\x1b[?1049l');
  },
  SLOW,
);

test(
  'Ctrl-Z goes to the shell, and fg comes back to the same screen',
  async () => {
    const env = { PS1: 'shell> ', ENV: '', BASH_ENV: '', HISTFILE: '' };
    const program = openTerminal(['/bin/bash', '--norc', '--noprofile', '-i'], {
      columns: 80,
      rows: 24,
      env,
    });
    terminal = program;
    await program.waitFor('shell>');
    program.type(`${shellWords(replayCommand(folder))}\r`);
    await program.waitFor('20 episodes');
    program.type(KEYS.down);
    await program.waitFor(/▶ \S+ +night_trains +0 mismatch/);
    program.type(KEYS.ctrlZ);
    await program.waitFor(/Stopped[\s\S]*shell>/);
    expect(program.emulator.buffer.active.type).toBe('normal');
    program.type('fg\r');
    await program.waitFor(/▶ \S+ +night_trains +0 mismatch/);
    program.type('q');
    await program.waitFor(/shell>\s*$/);
  },
  SLOW,
);

test(
  '$EDITOR gets the query and the terminal, and its text comes back',
  async () => {
    const script = path.join(root, 'editor.sh');
    writeFileSync(
      script,
      '#!/bin/sh\ncp "$1" "$(dirname "$0")/seen.sql"\necho "SELECT 42" > "$1"\n',
      { mode: 0o755 },
    );
    const program = open(folder, { env: { EDITOR: script, VISUAL: undefined }, flags: ['--demo'] });
    await program.waitFor('20 episodes');
    program.type(KEYS.enter);
    await program.waitFor('[0 ✂]');
    program.type('E');
    await program.waitFor('┃ SELECT 42');
    expect(readFileSync(path.join(root, 'seen.sql'), 'utf8')).toContain('SELECT * FROM bookings');
    program.type(KEYS.ctrlS);
    await program.waitFor('[[42]]');
  },
  SLOW,
);

test(
  'an editor that fails changes nothing',
  async () => {
    const program = open(folder, {
      env: { EDITOR: 'false', VISUAL: undefined },
      flags: ['--demo'],
    });
    await program.waitFor('20 episodes');
    program.type(KEYS.enter);
    await program.waitFor('[0 ✂]');
    program.type('E');
    await program.waitFor('✗ false ended with 1');
    await program.waitFor('┃ SELECT * FROM bookings');
  },
  SLOW,
);

test(
  'lines that are no records are counted and can be read; the others are there',
  async () => {
    const good = JSON.stringify(records[0]);
    const place = folderWith('torn', [good, '{"version": 99}', good.slice(0, 500)]);
    const program = open(place);
    await program.waitFor('1 episode');
    await program.waitFor('2 problems');
    program.type('!');
    await program.waitFor(/trajectories-000001\.jsonl:2/);
    await program.waitFor(/trajectories-000001\.jsonl:3/);
    program.type('q');
    await program.waitFor('2 problems');
  },
  SLOW,
);

test(
  'a database that is not the recorded one is told about where something runs on it',
  async () => {
    const [record] = records;
    if (record === undefined) throw new Error('there is no record');
    const catalog = 'a'.repeat(64);
    const place = folderWith('changed', [JSON.stringify({ ...record, catalog_sha256: catalog })]);
    const manifest = {
      version: 1,
      catalog_sha256: catalog,
      title: 'demo',
      server_version: '0.1.0',
      tasks: { kind: 'demo' },
      databases: [{ database_id: 'night_trains', path: '/gone', sha256: 'b'.repeat(64) }],
    };
    writeFileSync(
      path.join(place, `catalog-${catalog.slice(0, 16)}.json`),
      JSON.stringify(manifest),
    );
    const program = open(place);
    await program.waitFor('1 episode');
    program.type(KEYS.enter);
    await program.waitFor('! database night_trains is not the recorded one');
    program.type('q');
    await program.waitFor('1 problem');
    program.type('!');
    await program.waitFor(/database night_trains is not the\s/);
  },
  SLOW,
);

test(
  'a record that has changed on the disk is an error of that episode, not of the program',
  async () => {
    const place = folderWith(
      'changed',
      records.slice(0, 3).map((record) => JSON.stringify(record)),
    );
    const program = open(place);
    await program.waitFor('3 episodes');
    writeFileSync(path.join(place, 'trajectories-000001.jsonl'), 'gone\n');
    program.type(KEYS.enter);
    await program.waitFor('✗');
    program.type('q');
    await program.waitFor('3 episodes');
  },
  SLOW,
);

function shellWords(words: readonly string[]): string {
  return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
}
