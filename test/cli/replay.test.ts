import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../env/trajectory.ts';
import { runSqlenv } from '../support/cli.ts';
import {
  answer,
  call,
  createReplayBed,
  SINGERS,
  written,
  type ReplayBed,
} from '../support/replay-bed.ts';

const TITLES = 'SELECT DISTINCT title FROM song';
const BY_AGE = 'SELECT name FROM singer WHERE age > 0 ORDER BY age';

let bed: ReplayBed;
let records: readonly Trajectory[];

beforeAll(async () => {
  bed = await createReplayBed([TITLES, BY_AGE]);
  const task = (index: number) => ({ task: { kind: 'named', taskId: `t/${index}` } }) as const;
  records = [
    // Right as sets, wrong as multisets.
    await bed.play([call('SELECT * FROM singer'), answer('SELECT title FROM song')], {
      observation: { textSizeMax: 40 },
    }),
    // Right where rows that tie may change places.
    await bed.play([answer(`${BY_AGE}, name DESC`)], task(1)),
    // Right by bag@1 alone: as sets, it is right as well.
    await bed.play([written('SELECT 1'), answer(BY_AGE)], task(1)),
    // Right as sets only, and scored so.
    await bed.play([answer(`${BY_AGE} DESC`)], { ...task(1), score: { comparisonMode: 'set@1' } }),
    await bed.play([call("SELECT '\u001b[31m`````'")]),
  ];
  const lines = records.map((record) => `${JSON.stringify(record)}\n`);
  writeFileSync(path.join(bed.records, 'trajectories-000001.jsonl'), lines.join(''));
});

afterAll(() => bed.close());

function replay(...args: readonly string[]): ReturnType<typeof runSqlenv> {
  return runSqlenv(['replay', bed.records, ...args]);
}

/** A folder beside the records, with their manifest, that holds other lines. */
function folderWith(name: string, lines: readonly string[]): string {
  const folder = path.join(bed.folder, name);
  mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(folder, 'trajectories-000001.jsonl'), lines.join(''));
  return folder;
}

describe('misuse is said in words, with exit code 2:', () => {
  test.each([
    [[], 'the full-screen program needs a terminal'],
    [['--check', '--list'], '--check and --list: choose one of them'],
    [['--print', '0', '--json'], '--json does not go with --print: that is --format json'],
    [['--html', 'x', '--json'], '--json goes with --check, --rescore, --list'],
    [['--print', ''], '--print: an episode is missing; --list shows them'],
    [['--check', '--tasks', '/no/such'], '--tasks: there is no file /no/such'],
    [['--check', '--databases', '/no/such'], '--databases: there is no folder /no/such'],
    [['--check', '--spider', '/no/such'], '--spider: there is no folder /no/such'],
    [['--check', '--spider', '/tmp'], '--spider: there is no folder /tmp/database'],
    [['--check', '--filter', 'verdict:mismach'], 'did you mean mismatch?'],
    [['--check', '--prompt'], '--prompt goes with --print'],
    [['--list', '--forks', 'x'], '--forks goes with the full-screen program, not with --list'],
    [['--list', '--concurrency', '2'], '--concurrency goes with --check, --rescore'],
    [['--check', '--concurrency', '0'], '--concurrency: "0" is not allowed'],
    [['--check', '--server', 'x:1', '--demo'], 'leave out --demo'],
    [['--check', '--demo', '--databases', 'x'], '--demo and other databases'],
    [['--rescore', 'bag'], 'it must be one of bag@1, set@1, rows@1'],
    [['--list', '--filter', 'no_such:1'], '--filter: at character 1: there is no key no_such'],
    [['--print', '0', '--format', 'pdf'], "'pdf' is invalid"],
  ] as const)('%j', async (args, says) => {
    const { exitCode, stderr, stdout } = await replay(...args);
    expect([exitCode, stdout]).toEqual([2, '']);
    expect(stderr).toContain(says);
  });
});

describe('--check', () => {
  test('is clean over records that are as they were', async () => {
    const { exitCode, stdout, stderr } = await replay('--check');
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^5 episodes played again on SQLite 3\.\d+\.\d+\n {2}same +5\n/);
    expect(exitCode).toBe(0);
  });

  test('names the SQLite that recorded as the reason, where something differs', async () => {
    const [first] = records;
    const [step, ...rest] = first?.steps ?? [];
    const changed = {
      ...first,
      engine: { sqlite_version: '3.40.0', engine_sha256: 'e'.repeat(64) },
      server_version: '0.0.9',
      steps: [{ ...step, messages: [{ role: 'tool', content: '{"rows": [[1], [2]]}' }] }, ...rest],
    };
    const folder = folderWith('old', [`${JSON.stringify(changed)}\n`]);
    const { databases, taskFile } = bed;
    const places = ['--databases', databases, '--tasks', taskFile];
    const { exitCode, stdout } = await runSqlenv(['replay', folder, '--check', ...places]);
    expect(exitCode).toBe(1);
    expect(stdout).toContain('step 0: observation differs\n--- recorded\n+++ now\n');
    expect(stdout).toContain('-{"rows": [\n-[1],\n-[2]\n');
    expect(stdout).toMatch(/SQLite 3\.\d+\.\d+ runs here, and SQLite 3\.40\.0 was recorded/);
    expect(stdout).toContain('sqlenv 0.1.0 plays here, and sqlenv 0.0.9 recorded');
  });

  test('says in JSON which episodes differ, and counts lines that are none', async () => {
    const [first] = records;
    const wrong = { ...first, return: 0.5 };
    const folder = folderWith('torn', [`${JSON.stringify(wrong)}\n`, '{"version": 1, "epi']);
    const { databases, taskFile } = bed;
    const places = ['--databases', databases, '--tasks', taskFile];
    const args = ['replay', folder, '--check', '--json', ...places];
    const { exitCode, stdout, stderr } = await runSqlenv(args);
    expect(exitCode).toBe(1);
    expect(stderr).toContain("1 line or file can't be read");
    expect(JSON.parse(stdout)).toMatchObject({
      episode_count: 1,
      same_count: 0,
      different_count: 1,
      problems: [{ location: expect.stringContaining('trajectories-000001.jsonl:2') as string }],
      episodes: [
        {
          episode_id: first?.episode_id,
          kind: 'different',
          differences: [{ step_index: 1, what: 'return', recorded: '0.5', now: '0' }],
        },
      ],
    });
  });

  test('goes on past a database that is missing, and says what to give', async () => {
    const lost = { ...records[0], episode_id: 'lost', catalog_sha256: 'f'.repeat(64) };
    const folder = folderWith(
      'lost',
      [lost, records[2]].map((one) => `${JSON.stringify(one)}\n`),
    );
    const manifest = `catalog-${records[0]?.catalog_sha256.slice(0, 16)}.json`;
    const text = readFileSync(path.join(bed.records, manifest), 'utf8');
    writeFileSync(path.join(folder, manifest), text);
    const { exitCode, stdout } = await runSqlenv(['replay', folder, '--check']);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/same +1\n {2}different +0\n {2}unplayable +1\n/);
    expect(stdout).toContain('1 x nothing says where database db is');
    rmSync(folder, { recursive: true });
  });

  test('takes the episodes that a filter lets pass', async () => {
    const { stdout } = await replay('--check', '--filter', 'reward:1', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ episode_count: 2, same_count: 2 });
  });
});

describe('--rescore finds the flips', () => {
  /** Ids of the flips, with the new reward. */
  async function flips(mode: string): Promise<unknown> {
    const { exitCode, stdout } = await replay('--rescore', mode, '--json');
    expect(exitCode).toBe(0);
    const { flips: found } = JSON.parse(stdout) as {
      flips: readonly { readonly episode_id: string; readonly reward: number }[];
    };
    return found.map(({ episode_id, reward }) => [episode_id, reward]);
  }

  test('from bag@1 to set@1: repeats and order count no more', async () => {
    expect(await flips('set@1')).toEqual([
      ['e/1', 1],
      ['e/2', 1],
    ]);
  });

  test('to rows@1, in both directions', async () => {
    expect(await flips('rows@1')).toEqual([
      ['e/2', 1],
      ['e/4', 0],
    ]);
  });

  test('and shows them as a table', async () => {
    const { exitCode, stdout } = await replay('--rescore', 'rows@1');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/4 graded episodes under rows@1\n {2}unchanged +2\n {2}gained +1 /);
    expect(stdout).toContain('1 more have no graded answer');
    expect(stdout).toMatch(/│ e\/2 +│ t\/1 +│ bag@1 +│ mismatch +│ 0 +│ match +│ 1 /);
  });
});

describe('--print', () => {
  test('shows the call, what the model saw, what was cut away, the gold and the reason', async () => {
    const { exitCode, stdout } = await replay('--print', 'e/1');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(
      /^episode e\/1\n {2}task t\/0 · database db · split dev · difficulty easy · mode train\n/,
    );
    expect(stdout).toContain('labels run=7');
    expect(stdout).toContain('  call\n    SELECT * FROM singer\n');
    expect(stdout).toContain('...(truncated)...');
    expect(stdout).toMatch(/ {2}cut away\n.*"Ann"/);
    expect(stdout).toContain(`gold\n  ${TITLES}\n`);
    expect(stdout).toContain('it lacks a DISTINCT or a GROUP BY');
    expect(stdout).toContain('set@1: match, reward 1');
    expect(stdout).not.toContain('CREATE TABLE');
  });

  test('takes a number, and prints the prompt when asked', async () => {
    const { stdout } = await replay('--print', '1', '--prompt');
    expect(stdout).toMatch(/^episode e\/2\n/);
    expect(stdout).toContain('prompt (system)\n  You are a SQL assistant');
  });

  test('lets nothing that a model wrote reach the terminal or close a fence', async () => {
    for (const format of ['text', 'markdown']) {
      const { stdout } = await replay('--print', 'e/5', '--format', format);
      expect(stdout).not.toContain('\u001b');
      expect(stdout).toContain('\\u001b[31m');
    }
    const { stdout } = await replay('--print', 'e/5', '--format', 'markdown');
    expect(stdout).toContain("``````sql\nSELECT '\\u001b[31m`````'\n``````\n");
  });

  test('gives JSON with the record and the comparison', async () => {
    const { stdout } = await replay('--print', 'e/1', '--format', 'json');
    expect(JSON.parse(stdout)).toMatchObject({
      trajectory: { episode_id: 'e/1' },
      gold_sql: TITLES,
      steps: [{ calls: ['SELECT * FROM singer'], cut: [expect.stringContaining('Ann')] }, {}],
      comparison: { counts: { extra: 1, same: 2 } },
    });
  });

  test('works without a database, and says what is missing', async () => {
    const folder = folderWith('alone', [`${JSON.stringify(records[0])}\n`]);
    const { exitCode, stdout } = await runSqlenv(['replay', folder, '--print', '0']);
    expect(exitCode).toBe(0);
    expect(stdout).toContain('note: what was cut away is not known: nothing says where database');
    expect(stdout).toContain('note: gold and answer are not compared: ');
  });

  test.each([
    ['none', 'no episode is called so'],
    ['e/', '5 episodes are called so: e/1 (0), e/2 (1)'],
  ])('of %s is an error that helps', async (name, says) => {
    const { exitCode, stderr } = await replay('--print', name);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(says);
  });
});

describe('--list', () => {
  test('is a table for people', async () => {
    const { exitCode, stdout } = await replay('--list', '--filter', 'verdict:mismatch');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/^#  episode +task +database +verdict/);
    expect(stdout).toMatch(/^0 {2}e\/1 +t\/0 +db +mismatch/m);
    expect(stdout).not.toContain('e/3');
  });

  test('is a JSON object a line for programs', async () => {
    const { stdout } = await replay('--list', '--json');
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { index: 0, episode_id: 'e/1', verdict: 'mismatch', reward: 0, step_count: 2 },
      { episode_id: 'e/2' },
      { episode_id: 'e/3', reward: 1 },
      { episode_id: 'e/4' },
      { episode_id: 'e/5', verdict: null, end: 'closed' },
    ]);
  });
});

describe('bug: nothing that was checked was clean', () => {
  test.each([['--check'], ['--rescore', 'set@1'], ['--html', '/tmp/never.html']])(
    '%s %s',
    async (...mode) => {
      const { exitCode, stdout, stderr } = await replay(...mode, '--filter', 'reward:7');
      expect([exitCode, stdout, stderr]).toEqual([1, '', 'sqlenv: no episode passes the filter\n']);
    },
  );

  test('a value of which there is none is named; an empty list is well', async () => {
    const { exitCode, stdout, stderr } = await replay('--list', '--filter', 'hardness:esay');
    expect([exitCode, stdout.split('\n').length]).toEqual([0, 2]);
    expect(stderr).toContain('none has the difficulty "esay"; did you mean easy?');
  });

  test('episodes of which none is graded', async () => {
    const { exitCode, stderr } = await replay('--rescore', 'set@1', '--filter', 'reward:none');
    expect(exitCode).toBe(1);
    expect(stderr).toContain('none of the episodes has a graded answer');
  });
});

test.each([['--list'], ['--list', '--json'], ['--print', '0'], ['--html', 'page']])(
  'bug: %s gave 0 over a line that can not be read, and --check 1',
  async (...mode) => {
    const folder = folderWith('half', [`${JSON.stringify(records[2])}\n`, '{"version": 1, "epi']);
    const args = mode[0] === '--html' ? ['--html', path.join(folder, 'page.html')] : mode;
    const { exitCode, stdout, stderr } = await runSqlenv(['replay', folder, ...args]);
    expect(stderr).toContain("1 line or file can't be read");
    expect(stdout).not.toBe('');
    expect(exitCode).toBe(1);
  },
);

test('bug: a saved fork gave the episodes of the run other numbers', async () => {
  const folder = folderWith(
    'forked',
    records.slice(0, 2).map((record) => `${JSON.stringify(record)}\n`),
  );
  const fork = {
    ...records[0],
    episode_id: 'a/fork',
    parent: { episode_id: 'e/1', step_index: 1 },
  };
  writeFileSync(path.join(folder, 'forks.jsonl'), `${JSON.stringify(fork)}\n`);
  const { stdout } = await runSqlenv(['replay', folder, '--list']);
  expect(stdout).toMatch(/^0 {2}e\/1 .*\n1 {2}e\/2 .*\n2 {2}a\/fork .* {2}fork/m);
  const printed = await runSqlenv(['replay', folder, '--print', '2']);
  expect(printed.stdout).toContain('fork of e/1 from step 1');
});

test('bug: rows that differ were printed with escapes in place of their letters', async () => {
  const rows = { ...records[0], episode_id: 'e/6' };
  const folder = folderWith('letters', [`${JSON.stringify(rows)}\n`]);
  const databases = path.join(bed.folder, 'other');
  mkdirSync(databases, { recursive: true });
  const { default: Database } = await import('better-sqlite3');
  const database = new Database(path.join(databases, 'db.sqlite'));
  database.exec(`${SINGERS}; UPDATE song SET title = 'Çelik 漢字\u202e' WHERE title = 'B'`).close();
  const places = ['--databases', databases, '--tasks', bed.taskFile];
  const { stdout } = await runSqlenv(['replay', folder, '--print', '0', ...places]);
  expect(stdout).toContain('"Çelik 漢字\\u202e"');
});

test('bug: without a terminal a folder that is not there was not said to be so', async () => {
  const { exitCode, stderr } = await runSqlenv(['replay', path.join(bed.folder, 'nowhere')]);
  expect(exitCode).toBe(1);
  expect(stderr).toContain('nowhere: there is no such file or folder');
  expect(stderr).not.toContain('needs a terminal');
});

test('bug: standard input was said not to be there', async () => {
  for (const name of ['-', '/dev/null']) {
    const { exitCode, stderr } = await runSqlenv(['replay', name, '--list']);
    expect(exitCode).toBe(1);
    expect(stderr).toContain('what comes through a pipe must be saved first');
  }
});

test('--html writes one page', async () => {
  const file = path.join(bed.folder, 'page.html');
  const { exitCode, stdout } = await replay('--html', file);
  expect(stdout).toContain(`${file}: 5 episodes, `);
  expect(exitCode).toBe(0);
  expect(readFileSync(file, 'utf8')).toContain('<!doctype html>');
});

test('a folder without episodes is an error, and a page that cannot be written too', async () => {
  const empty = folderWith('empty', ['nonsense\n']);
  const nothing = await runSqlenv(['replay', empty, '--list']);
  expect(nothing.exitCode).toBe(1);
  expect(nothing.stderr).toContain('there are no episodes to replay');
  const unwritable = await replay('--html', path.join(bed.folder, 'missing', 'page.html'));
  expect(unwritable.exitCode).toBe(1);
  expect(unwritable.stderr).toContain("it can't be written (ENOENT)");
});
