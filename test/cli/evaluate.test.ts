import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { runSqlenv } from '../support/cli.ts';
import { spawnServer } from '../support/spawn-server.ts';
import { SPIDER_DIR } from '../support/spider.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-evaluate-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inFolder = (name: string): string => path.join(folder, name);
const taskFile = path.resolve(import.meta.dirname, '../../databases/tasks.jsonl');
const golds = readFileSync(taskFile, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as { task_id: string; gold_sql: string });

describe('sqlenv evaluate and compare', () => {
  beforeAll(async () => {
    const answers = golds.map(({ gold_sql: gold }) => gold.replaceAll(/\s+/g, ' '));
    writeFileSync(inFolder('all-right.txt'), answers.join('\n'));
    const worse = answers.map((answer, index) => (index % 10 === 0 ? 'SELECT broken' : answer));
    writeFileSync(inFolder('worse.txt'), worse.join('\n'));
    writeFileSync(inFolder('short.txt'), answers.slice(1).join('\n'));
    for (const name of ['all-right', 'worse']) {
      const run = await runSqlenv([
        'evaluate',
        inFolder(`${name}.txt`),
        '--demo',
        '--rows',
        inFolder(`${name}.tsv`),
        inFolder(`${name}.jsonl`),
      ]);
      expect(run).toMatchObject({ exitCode: 0, stderr: '' });
      const share = name === 'worse' ? ((114 - 12) / 114).toFixed(3) : '1.000';
      expect(run.stdout).toMatch(new RegExp(`^execution .* ${share} +$`, 'mu'));
    }
  });

  it('prints JSON', async () => {
    const run = await runSqlenv(['evaluate', inFolder('worse.txt'), '--demo', '--json']);
    expect(JSON.parse(run.stdout)).toMatchObject({
      row_count: 114,
      executed_count: 114,
      execution_matched_count: 102,
      unscored: [],
      problems: [],
      test_suite: { all: { row_count: 114 } },
    });
  });

  it('gives a misaligned file no score', async () => {
    const run = await runSqlenv(['evaluate', inFolder('short.txt'), '--demo']);
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('misaligned: there are 113 predictions for 114 tasks');
  });

  it('names rows that can not be scored', async () => {
    writeFileSync(
      inFolder('gold.sql'),
      'SELECT 1\tchoir_festival\nSELECT x\tchoir_festival\nSELECT 1\tnone\n',
    );
    writeFileSync(inFolder('three.txt'), 'SELECT 1\nSELECT 1\nSELECT 1\n');
    const databases = path.resolve(import.meta.dirname, '../../databases/build');
    const run = await runSqlenv([
      'evaluate',
      inFolder('three.txt'),
      '--gold',
      inFolder('gold.sql'),
      '--databases',
      databases,
    ]);
    expect(run.exitCode).toBe(1);
    expect(run.stdout).toContain('the tables hold 0 of 3 rows');
    expect(run.stdout).toContain('execution over the 1 rows that could be run: 1.000 (1 of 1)');
    expect(run.stderr).toContain('3 rows have verdicts missing');
    expect(run.stderr).toContain("row 1 (gold/1): the gold can't be run: no such column: x");
    expect(run.stderr).toContain('row 2 (gold/2): database none: the database file is missing');
  });

  it.each([
    [[], 'there is nothing to evaluate against'],
    [['x.txt', '--demo', '--rows', 'rows.csv'], 'it must end in .tsv or .jsonl'],
    [
      [
        '--demo',
        '--policy',
        'openai',
        '--endpoint',
        'http://h/v1',
        '--model',
        'm',
        '--temperature',
        'hot',
      ],
      '--temperature',
    ],
    [
      ['--demo', '--policy', 'openai', '--endpoint', 'http://h/v1', '--model', 'm'],
      'give --record',
    ],
  ])('refuses %j as misuse', async (args, message) => {
    const run = await runSqlenv(['evaluate', ...args]);
    expect(run.exitCode).toBe(2);
    expect(run.stderr).toContain(message);
  });

  it('compares two runs, from either format, with results', async () => {
    const databases = path.resolve(import.meta.dirname, '../../databases/build');
    const html = inFolder('changes.html');
    const run = await runSqlenv([
      'compare',
      inFolder('worse.tsv'),
      inFolder('all-right.jsonl'),
      '--databases',
      databases,
      '--html',
      html,
      '--json',
    ]);
    expect(run).toMatchObject({ exitCode: 0, stderr: '' });
    const report = JSON.parse(run.stdout) as {
      levels: Record<string, unknown>;
      changed: {
        kind: string;
        a: { result: string };
        b: { result: string };
        gold_result: string;
      }[];
    };
    expect(report.levels['all']).toMatchObject({ gained_count: 12, lost_count: 0 });
    expect(report.changed).toHaveLength(12);
    for (const { kind, a, b, gold_result: gold } of report.changed) {
      expect(kind).toBe('gained');
      expect(a.result).toBe('{"error": "no such column: broken"}');
      expect(b.result).toBe(gold);
    }
    expect(readFileSync(html, 'utf8')).toContain('<article class="gained">');
  });

  it('has a running server score under the modes of its rewards', async () => {
    const server = await spawnServer(['--demo', '--no-record', '--log-level', 'warn']);
    try {
      const rows = inFolder('served.jsonl');
      const run = await runSqlenv([
        'evaluate',
        inFolder('worse.txt'),
        '--address',
        server.welcome.address,
        '--rows',
        rows,
        '--json',
      ]);
      expect(run).toMatchObject({ exitCode: 0, stderr: '' });
      expect(JSON.parse(run.stdout)).toMatchObject({
        row_counts: { all: 114 },
        matched_counts: { 'bag@1': { all: 102 }, 'set@1': { all: 102 }, 'rows@1': { all: 102 } },
      });
      const compared = await runSqlenv(['compare', rows, inFolder('worse.tsv')]);
      expect(compared).toMatchObject({ exitCode: 0, stderr: '' });
      expect(compared.stdout).not.toContain('gained:');
    } finally {
      server.client.disconnect();
      server.child.kill('SIGTERM');
      await server.exit;
    }
  });

  it('refuses to compare runs over different rows', async () => {
    const lines = readFileSync(inFolder('worse.tsv'), 'utf8').split('\n');
    writeFileSync(inFolder('fewer.tsv'), lines.toSpliced(5, 1).join('\n'));
    const run = await runSqlenv(['compare', inFolder('fewer.tsv'), inFolder('all-right.tsv')]);
    expect(run).toMatchObject({ exitCode: 1, stdout: '' });
    expect(run.stderr).toContain('the runs are not over the same rows');
  });

  it('prepares data that it can evaluate itself', async () => {
    const out = inFolder('data');
    const prepared = await runSqlenv([
      'prepare',
      'jsonl',
      taskFile,
      '--databases',
      path.resolve(import.meta.dirname, '../../databases/build'),
      '--out',
      out,
      '--json',
    ]);
    expect(prepared.exitCode).toBe(0);
    const played = await runSqlenv([
      'evaluate',
      '--policy',
      'gold',
      '--tasks',
      path.join(out, 'tasks.jsonl'),
      '--databases',
      path.join(out, 'databases'),
      '--json',
    ]);
    expect(played).toMatchObject({ exitCode: 0, stderr: '' });
    const { row_counts: counts } = JSON.parse(prepared.stdout) as {
      row_counts: Record<'train' | 'rl' | 'eval', number>;
    };
    expect(JSON.parse(played.stdout)).toMatchObject({
      row_count: counts.train + counts.rl + counts.eval,
      profile: { mean_return: 1 },
    });
  });
});

describe('sqlenv prepare', () => {
  it.each([
    [['jsonl', 'x', '--out', 'y'], 2, 'give --databases DIR'],
    [['spider', '/nowhere', '--out', 'y'], 1, 'is it a Spider release?'],
    [['spider', SPIDER_DIR, '--out', 'y', '--rows', 'many'], 2, '--rows'],
  ])('refuses %j', async (args, exitCode, message) => {
    const run = await runSqlenv(['prepare', ...args]);
    expect(run.exitCode).toBe(exitCode);
    expect(run.stderr).toContain(message);
  });
});
