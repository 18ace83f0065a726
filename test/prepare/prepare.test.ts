import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { parquetReadObjects, parquetMetadata } from 'hyparquet';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { prepare, type PrepareOptions } from '../../src/prepare/prepare.ts';
import { readSource, type Source, type SourceChoice } from '../../src/prepare/source.ts';
import { VERL_NAMES } from '../../src/prepare/verl-parquet.ts';
import { createExecutor } from '../../src/sqlite/executor.ts';
import { sha256 } from '../../src/sqlite/hash.ts';
import { loadTasks } from '../../src/tasks/load-tasks.ts';
import { HAS_SPIDER, SPIDER_DIR } from '../support/spider.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-prepare-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OPTIONS: PrepareOptions = {
  source: 'test',
  counts: { train: undefined, rl: undefined, eval: undefined },
  seed: '0',
  promptStyle: 'ddl',
  schemaCharsMax: undefined,
  names: VERL_NAMES,
  concurrency: 8,
};

async function prepareFrom(source: Source, out: string, options: Partial<PrepareOptions> = {}) {
  const executor = await createExecutor({
    databases: source.databases.files,
    queueCountMax: 1_000,
    fastThreadCount: 2,
    slowThreadCountMax: 1,
  });
  try {
    return await prepare(executor, source, path.join(folder, out), { ...OPTIONS, ...options });
  } finally {
    await executor.close();
  }
}

interface Manifest {
  readonly splits: Readonly<
    Record<
      'train' | 'rl' | 'eval',
      { row_count: number; database_count: number; database_ids: string[] }
    >
  >;
  readonly dropped: readonly {
    task_id: string;
    database_id: string;
    reason: string;
    message: string;
  }[];
  readonly files: Readonly<Record<string, { bytes: number; sha256: string }>>;
  readonly database_count: number;
}

function manifestOf(out: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, out, 'manifest.json'), 'utf8')) as Manifest;
}

function jsonLines(out: string, name: string): Record<string, unknown>[] {
  const text = readFileSync(path.join(folder, out, name), 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
}

async function parquetRows(out: string, name: string): Promise<Record<string, unknown>[]> {
  const bytes = readFileSync(path.join(folder, out, name));
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
  return (await parquetReadObjects({ file })) as Record<string, unknown>[];
}

describe.skipIf(!HAS_SPIDER)('a Spider release', () => {
  let source: Source;
  beforeAll(async () => {
    source = readSource({ kind: 'spider', folder: SPIDER_DIR });
    await prepareFrom(source, 'spider', { counts: { train: 500, rl: 300, eval: 200 } });
  });

  it('is split by databases, and names the golds that fail', () => {
    const { splits, dropped, database_count: databaseCount } = manifestOf('spider');
    expect([splits.train.row_count, splits.rl.row_count, splits.eval.row_count]).toEqual([
      500, 300, 200,
    ]);
    const held = new Set(splits.eval.database_ids);
    for (const kind of ['train', 'rl'] as const) {
      expect(splits[kind].database_ids.filter((id) => held.has(id))).toEqual([]);
    }
    const golds = dropped.filter(({ reason }) => reason === 'gold');
    expect(golds.map(({ database_id: id, message }) => [id, message])).toEqual([
      ['assets_maintenance', 'no such table: Ref_Company_Types'],
      ['document_management', 'ORDER BY clause should come after INTERSECT not before'],
      ['document_management', 'ORDER BY clause should come after INTERSECT not before'],
    ]);
    const missing = dropped.filter(({ reason }) => reason === 'database');
    expect(new Set(missing.map(({ database_id: id }) => id))).toEqual(
      new Set(['baseball_1', 'soccer_1']),
    );
    expect(missing).toHaveLength(96);
    expect(dropped).toHaveLength(99);
    const copied = readdirSync(path.join(folder, 'spider', 'databases'));
    expect(copied).toHaveLength(databaseCount);
  });

  it('gives the same bytes again', async () => {
    const first = readFileSync(path.join(folder, 'spider', 'manifest.json'), 'utf8');
    await prepareFrom(source, 'spider', { counts: { train: 500, rl: 300, eval: 200 } });
    expect(readFileSync(path.join(folder, 'spider', 'manifest.json'), 'utf8')).toBe(first);
    for (const [name, { sha256: hash }] of Object.entries(manifestOf('spider').files)) {
      const bytes = readFileSync(path.join(folder, 'spider', name));
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(hash);
    }
  });

  it('becomes parquet with the columns that verl reads', async () => {
    const rows = await parquetRows('spider', 'rl.parquet');
    const tasks = jsonLines('spider', 'tasks.jsonl').filter(({ split }) => split === 'rl');
    expect(rows).toHaveLength(300);
    for (const [index, row] of rows.entries()) {
      const task = tasks[index];
      expect(row).toEqual({
        data_source: 'sqlenv',
        agent_name: 'sqlenv',
        ability: 'text_to_sql',
        prompt: [
          { role: 'system', content: expect.stringMatching(/^You are a SQL assistant for a/u) },
          { role: 'user', content: task?.['question'] },
        ],
        reward_model: { style: 'rule', ground_truth: task?.['gold_sql'] },
        extra_info: {
          split: 'rl',
          index: BigInt(index),
          difficulty: task?.['difficulty'],
          need_tools_kwargs: true,
          tools_kwargs: { run_sql: { create_kwargs: { database_id: task?.['database_id'] } } },
          env: {
            task_id: task?.['task_id'],
            database_id: task?.['database_id'],
            gold_sha256: sha256(String(task?.['gold_sql'])),
          },
        },
      });
    }
  });

  it('becomes chats that end with the gold', () => {
    const chats = jsonLines('spider', 'train.jsonl');
    const tasks = jsonLines('spider', 'tasks.jsonl');
    expect(chats).toHaveLength(500);
    for (const [index, { messages }] of chats.entries()) {
      const gold = String(tasks[index]?.['gold_sql']);
      expect((messages as { role: string }[]).map(({ role }) => role)).toEqual([
        'system',
        'user',
        'assistant',
      ]);
      expect((messages as { content: string }[])[2]?.content).toBe(`\`\`\`sql\n${gold}\n\`\`\``);
    }
  });

  it('becomes tasks that can be served', () => {
    const set = loadTasks(
      {
        kind: 'files',
        taskFile: path.join(folder, 'spider', 'tasks.jsonl'),
        databaseFolder: path.join(folder, 'spider', 'databases'),
      },
      undefined,
    );
    expect(set.tasks).toHaveLength(1_000);
    expect(set.problems).toEqual([]);
  });

  it('drops rows whose schema is too long, in either prompt', async () => {
    await prepareFrom(source, 'short', {
      counts: { train: 0, rl: 50, eval: 50 },
      schemaCharsMax: 200,
      promptStyle: 'compact',
    });
    const { dropped } = manifestOf('short');
    expect(dropped.some(({ reason }) => reason === 'schema_too_long')).toBe(true);
    const [row] = await parquetRows('short', 'rl.parquet');
    const [system] = (row?.['prompt'] ?? []) as { content: string }[];
    expect(system?.content).toMatch(
      /^You answer questions about a database with one SQLite query/u,
    );
    const start =
      'You answer questions about a database with one SQLite query.\nReply with the query and nothing else.\n';
    expect(system?.content.length).toBeLessThanOrEqual(start.length + 200);
    expect(readdirSync(path.join(folder, 'short'))).not.toContain('train.jsonl');
  });
});

describe('a BIRD release', () => {
  const place = path.join(folder, 'bird-release');
  const choice: SourceChoice = { kind: 'bird', folder: place, withEvidence: true };
  beforeAll(() => {
    for (const [split, ids] of [
      ['train', ['alpha', 'beta']],
      ['dev', ['gamma']],
    ] as const) {
      for (const id of ids) makeDatabase(path.join(place, split, `${split}_databases`, id), id);
    }
    const row = (databaseId: string, SQL: string, evidence = ''): unknown => ({
      db_id: databaseId,
      question: `how many in ${databaseId}?`,
      evidence,
      SQL,
    });
    const train = [
      row('alpha', 'SELECT count(*) FROM t', 't holds all'),
      row('beta', 'SELECT a FROM t WHERE a > 1'),
      row('beta', 'SELECT b FROM t'),
      { db_id: 'beta', question: '' },
    ];
    const dev = [{ ...(row('gamma', 'SELECT max(a) FROM t') as object), question_id: 7 }];
    writeFileSync(path.join(place, 'train', 'train.json'), JSON.stringify(train));
    writeFileSync(path.join(place, 'dev', 'dev.json'), JSON.stringify(dev));
  });

  it('is read with its evidence, its dropped golds and its broken rows', async () => {
    const { rowCounts, dropped, problems } = await prepareFrom(readSource(choice), 'bird');
    expect(rowCounts).toEqual({ train: 1, rl: 1, eval: 1 });
    expect(dropped).toEqual([
      {
        taskId: 'bird/train/2',
        databaseId: 'beta',
        reason: 'gold',
        message: 'no such column: b',
      },
    ]);
    expect(problems).toMatchObject([{ location: 'train.json: row 3' }]);
    const tasks = jsonLines('bird', 'tasks.jsonl');
    expect(tasks.find((task) => task['database_id'] === 'alpha')?.['question']).toBe(
      'how many in alpha?\nt holds all',
    );
    expect(tasks.find((task) => task['split'] === 'eval')).toMatchObject({
      task_id: 'bird/dev/7',
      difficulty: 'easy',
    });
    const metadata = parquetMetadata(
      Uint8Array.from(readFileSync(path.join(folder, 'bird', 'eval.parquet'))).buffer,
    );
    expect(Number(metadata.num_rows)).toBe(1);
  });

  it('can be read without evidence', () => {
    const { tasks } = readSource({ ...choice, withEvidence: false });
    expect(tasks[0]?.task.question).toBe('how many in alpha?');
  });
});

describe('the output folder', () => {
  const place = path.join(folder, 'own');
  let source: Source;
  beforeAll(() => {
    for (const id of ['one', 'two']) makeDatabase(path.join(place, id), id);
    const line = (index: number, databaseId: string, split: string): string =>
      JSON.stringify({
        task_id: `own/${index}`,
        database_id: databaseId,
        question: 'q',
        gold_sql: `SELECT ${index} FROM t`,
        split,
      });
    const file = path.join(place, 'tasks.jsonl');
    writeFileSync(
      file,
      [line(0, 'one', 'train'), line(1, 'one', 'train'), line(2, 'two', 'dev')].join('\n'),
    );
    source = readSource({ kind: 'jsonl', taskFile: file, databaseFolder: place });
  });

  it('must not hold files of somebody else', async () => {
    mkdirSync(path.join(folder, 'taken'));
    writeFileSync(path.join(folder, 'taken', 'notes.txt'), 'mine');
    await expect(prepareFrom(source, 'taken')).rejects.toThrow('it is not empty');
    writeFileSync(path.join(folder, 'taken', 'manifest.json'), '{"mine": 1}');
    await expect(prepareFrom(source, 'taken')).rejects.toThrow('not one of an earlier run');
    expect(readdirSync(path.join(folder, 'taken'))).toEqual(['manifest.json', 'notes.txt']);
  });

  it('loses the files of an earlier run, and nothing beyond it', async () => {
    await prepareFrom(source, 'again');
    expect(readdirSync(path.join(folder, 'again'))).toContain('train.jsonl');
    const outside = path.join(folder, 'outside.txt');
    writeFileSync(outside, 'stays');
    const manifest = path.join(folder, 'again', 'manifest.json');
    const text = readFileSync(manifest, 'utf8');
    writeFileSync(manifest, text.replace('"files": {', '"files": {"../outside.txt": {},'));
    await prepareFrom(source, 'again', { counts: { train: 0, rl: 1, eval: 1 } });
    expect(readdirSync(path.join(folder, 'again')).toSorted()).toEqual([
      'databases',
      'eval.jsonl',
      'eval.parquet',
      'manifest.json',
      'rl.parquet',
      'tasks.jsonl',
    ]);
    expect(readFileSync(outside, 'utf8')).toBe('stays');
  });
});

function makeDatabase(place: string, id: string): void {
  mkdirSync(place, { recursive: true });
  const database = new Database(path.join(place, `${id}.sqlite`));
  database.exec('CREATE TABLE t (a INTEGER); INSERT INTO t VALUES (1), (2), (3)');
  database.close();
}
