import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Trajectory } from '../../../env/trajectory.ts';
import { playShowcase, writeRecords } from '../../support/showcase-records.ts';
import {
  expectScreen,
  KEYS,
  openReplay,
  type ProgramOptions,
} from '../../support/terminal-program.ts';
import type { TestTerminal } from '../../support/terminal.ts';

let root = '';
let folder = '';
let terminal: TestTerminal | undefined;

beforeAll(async () => {
  root = mkdtempSync(path.join(tmpdir(), 'sqlenv-terminal-'));
  // Forks are saved beside it, so that they are not among the episodes of the next test.
  folder = path.join(root, 'records');
  mkdirSync(folder);
  writeRecords(folder, await playShowcase());
}, 120_000);

afterEach(() => {
  terminal?.kill('SIGKILL');
  terminal = undefined;
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

function open(options: ProgramOptions = {}): TestTerminal {
  const forks = path.join(root, 'forks.jsonl');
  terminal = openReplay(folder, { flags: ['--demo', '--forks', forks], ...options });
  return terminal;
}

const SLOW = 240_000;
const ENDLESS =
  'WITH RECURSIVE n(x) AS (SELECT 1\nUNION ALL SELECT x + 1 FROM n)\nSELECT count(*) FROM n';

test(
  'a person filters, opens, steps, reads the diff, edits, forks, saves and quits',
  async () => {
    const program = open();
    await program.waitFor('20 episodes');
    await expectScreen(program, 'list-80x24');

    program.type('/reward:0 verdict:mismatch');
    await expectScreen(program, 'filter-80x24');
    program.type(KEYS.enter);
    await program.waitFor('7 of 20 episodes');
    program.type(KEYS.escape);
    await program.waitUntilGone('of 20 episodes');

    program.type('g');
    await program.waitFor('4/8 right');
    program.type(KEYS.right);
    await expectScreen(program, 'groups-80x24');
    program.type('g');

    program.type(KEYS.home + KEYS.enter);
    await program.waitFor('what was cut away');
    await expectScreen(program, 'step-80x24');
    program.type(KEYS.left);
    await expectScreen(program, 'prompt-80x24');

    program.type(']]]]');
    await program.waitFor('5 of 20');
    program.type(KEYS.end);
    await program.waitFor(/▸ bag@1 +mismatch/);
    await expectScreen(program, 'verdict-80x24');

    program.type('e');
    await program.waitFor('edit the answer');
    program.type(`${KEYS.ctrlU}SELECT 1`);
    program.type(KEYS.ctrlS);
    await program.waitFor('reward 0');
    await expectScreen(program, 'edit-80x24');
    program.type(KEYS.escape);
    await program.waitFor('edit on');
    program.type('q');
    await program.waitFor('[verdict');

    program.type('[[[[');
    await program.waitFor('1 of 20');
    await program.waitFor('First a look');
    program.type(KEYS.right);
    await program.waitFor('[1 ✓]');
    program.type('f');
    await program.waitFor('fork at step 1');
    program.type(`SELECT count(*) FROM bookings${KEYS.ctrlS}`);
    await program.waitFor(/step 1 by hand/);
    await program.waitFor('"count(*)"');
    program.type(`${KEYS.tab}SELECT 'nobody', 0${KEYS.ctrlS}`);
    await program.waitFor('mismatch under bag@1');
    await expectScreen(program, 'fork-80x24');
    program.type('q');
    await program.waitFor('leave without saving the fork?');
    program.type('w');
    await program.waitFor('✓ saved as fork/');
    program.type('q');
    await program.waitFor('[1 ✓]');
    program.type('q');
    await program.waitFor('20 episodes');
    program.type('q');
    expect(await program.ended).toEqual({ exitCode: 0, signal: 0 });

    const [line = ''] = readFileSync(path.join(root, 'forks.jsonl'), 'utf8').split('\n');
    const saved = JSON.parse(line) as Trajectory;
    expect(saved.parent).toEqual({ episode_id: 'demo/00000001', step_index: 1 });
    expect(saved.steps).toHaveLength(3);
    expect(saved.grade?.verdict).toBe('mismatch');
    // The terminal is what it was: its own screen, its cursor, wrapping lines.
    expect(program.emulator.buffer.active.type).toBe('normal');
    expect(program.written().endsWith('\x1b[?7h\x1b[?25h\x1b[?1049l')).toBe(true);
  },
  SLOW,
);

test(
  'a wide screen has room for more, and a resize is followed at once',
  async () => {
    const program = open({ columns: 120, rows: 40 });
    await program.waitFor('20 episodes');
    await expectScreen(program, 'list-120x40');
    program.type('u');
    await program.waitFor('8 rollouts');
    await expectScreen(program, 'rollouts-120x40');
    program.type(`q${KEYS.enter}`);
    await program.waitFor('what was cut away');
    await expectScreen(program, 'step-120x40');
    program.resize(80, 24);
    await expectScreen(program, 'step-80x24');
    program.resize(120, 40);
    await expectScreen(program, 'step-120x40');
    program.type(']]]]');
    await program.waitFor('5 of 20');
    program.type(KEYS.end);
    await program.waitFor(/▸ bag@1 +mismatch/);
    await expectScreen(program, 'verdict-120x40');
    program.type('s');
    await program.waitFor('schema of night_trains');
    await expectScreen(program, 'schema-120x40');
    program.type('q?');
    await expectScreen(program, 'help-120x40');
  },
  SLOW,
);

test(
  'a step that is run again is compared with the record, and a check is clean',
  async () => {
    const program = open();
    await program.waitFor('20 episodes');
    program.type(KEYS.enter);
    await program.waitFor('what was cut away');
    program.type('r');
    await program.waitFor('the same to the byte');
    program.type('c');
    await program.waitFor('everything came out as recorded, to the byte');
  },
  SLOW,
);

test(
  'an endless query in a fork is ended by the limits of the episode, as the model would see it',
  async () => {
    const program = open();
    await program.waitFor('20 episodes');
    program.type(KEYS.enter);
    await program.waitFor('what was cut away');
    program.type('f');
    await program.waitFor('fork at step 0');
    program.paste(ENDLESS);
    await program.waitFor('SELECT count(*) FROM n');
    program.type(KEYS.ctrlS);
    await program.waitFor('time_limit');
    program.type(KEYS.escape);
    await program.waitFor('i type');
    program.type('q');
    await program.waitFor('leave without saving');
    program.type('y');
    await program.waitFor('[0 ✂]');
  },
  SLOW,
);

test(
  'what takes long is cancelled with Esc, and ends with the program',
  async () => {
    const place = path.join(root, 'patient');
    mkdirSync(place);
    const [record] = await playShowcase();
    if (record === undefined) throw new Error('there is no record');
    const hour = 3_600_000;
    const limits = { ...record.limits, query_cpu_ms_max: hour, query_wall_ms_max: hour };
    writeRecords(place, [{ ...record, limits }]);
    const program = openReplay(place, { flags: ['--demo'] });
    terminal = program;
    await program.waitFor('1 episode');
    program.type(KEYS.enter);
    await program.waitFor('what was cut away');
    program.type('e');
    await program.waitFor('edit step 0');
    program.type(KEYS.ctrlU);
    await program.waitUntilGone('┃ SELECT');
    program.paste(ENDLESS);
    await program.waitFor('SELECT count(*) FROM n');
    program.type(KEYS.ctrlS);
    await program.waitFor(/running the query +esc cancels/);
    program.type(KEYS.escape);
    await program.waitFor('cancelled: running the query');
    program.type(KEYS.ctrlS);
    await program.waitFor(/running the query +esc cancels/);
    process.kill(program.processId, 'SIGTERM');
    expect((await program.ended).exitCode).toBe(143);
    expect(program.emulator.buffer.active.type).toBe('normal');
  },
  SLOW,
);

test(
  'a text is searched for in the records, and a group is compared',
  async () => {
    const program = open({ flags: ['--demo', '--filter', 'text:"no such"'] });
    await program.waitFor('2 of 20 episodes');
    program.type(KEYS.escape);
    await program.waitUntilGone('of 20 episodes');
    program.type(`/text:Minato${KEYS.enter}`);
    await program.waitFor('1 of 20 episodes');
    program.type('u');
    await program.waitFor('4 rollouts');
    program.type('q');
    await program.waitFor('1 of 20 episodes');
  },
  SLOW,
);

test(
  'without the databases the records can be looked at, and it says what is missing',
  async () => {
    const program = open({ flags: [] });
    await program.waitFor('20 episodes');
    program.type(KEYS.enter);
    await program.waitFor(/there is no manifest/);
    program.type(KEYS.end);
    await program.waitFor('match under bag@1, reward 1');
    program.type('r');
    await program.waitFor(/✗ .*no manifest/);
  },
  SLOW,
);
