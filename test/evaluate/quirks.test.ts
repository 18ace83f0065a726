import { readFileSync } from 'node:fs';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { findDatabaseFiles } from '../../src/evaluate/database-files.ts';
import type { ScoredRow } from '../../src/evaluate/row.ts';
import { evaluateRows } from '../../src/evaluate/score-tasks.ts';
import { readTablesFile } from '../../src/evaluate/spider-schemas.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';
import { isMissing } from '../env/spider/fixture-data.ts';
import { DATA_DIR } from './official-run.ts';

const folder = path.join(DATA_DIR, 'quirks');
const skip = isMissing('quirks', 'quirks.tsv');

/** Statements that the official script runs, for an empty result, and a read-only connection doesn't: documented. */
const writing = new Set(['ddl', 'dml', 'attach']);

type Quirk = Readonly<Record<string, string>>;

describe.skipIf(skip)('the hand-made pairs through the guarded threads', () => {
  const quirks = skip ? [] : readQuirks();
  const databases = findDatabaseFiles(path.join(folder, 'database'), ['quirkdb']);
  let executor: SqliteExecutor;
  beforeAll(async () => {
    executor = await createExecutor({
      databases: databases.files,
      queueCountMax: 1_000,
      fastThreadCount: 2,
      slowThreadCountMax: 1,
    });
  });
  afterAll(() => executor.close());

  async function score(keepDistinct: boolean, plugValue: boolean): Promise<ScoredRow[]> {
    const rows = quirks.map((quirk, index) => ({
      index,
      attempt: 0,
      answerSql: quirk['pred'],
      task: {
        taskId: quirk['id'] ?? '',
        databaseId: 'quirkdb',
        question: '',
        goldSql: quirk['gold'] ?? '',
        split: '',
        difficulty: '',
      },
    }));
    const keys = readTablesFile(path.join(folder, 'tables_quirkdb.json'));
    return await evaluateRows(executor, databases, keys, rows, {
      execution: { keepDistinct, plugValue },
      clocks: { cpuMs: 5_000, wallMs: 20_000 },
      concurrency: 8,
    });
  }

  it.each([
    ['exec_default', false, false],
    ['exec_keep', true, false],
    ['exec_plug', false, true],
  ] as const)('%s', async (column, keepDistinct, plugValue) => {
    const scored = await score(keepDistinct, plugValue);
    expect(scored).toHaveLength(143);
    const differing = scored.filter(({ row, execution, problems }, index) => {
      const said = quirks[index]?.[column] ?? '';
      // The official run crashed: here it is a verdict or a problem with a name.
      if (said === '') return execution === undefined && problems.length === 0;
      if (writing.has(row.task.taskId)) return execution?.verdict !== 'answer_forbidden';
      return execution?.matched !== (said === '1');
    });
    expect(differing.map(named)).toEqual([]);
  });

  it('the older script', async () => {
    const scored = await score(false, false);
    const differing = scored.filter(({ row, legacyExecution, legacyMatch, problems }, index) => {
      const { legacy_exec: exec = '', legacy_exact: exact = '' } = quirks[index] ?? {};
      if (exact !== '' && legacyMatch?.exact !== (exact === '1')) return true;
      if (exec === '') return legacyExecution === undefined && problems.length === 0;
      if (writing.has(row.task.taskId)) return legacyExecution?.verdict !== 'answer_forbidden';
      return legacyExecution?.matched !== (exec === '1');
    });
    expect(differing.map(named)).toEqual([]);
  });
});

function named({ row, execution, legacyExecution, problems }: ScoredRow): unknown {
  return { id: row.task.taskId, execution, legacyExecution, problems };
}

function readQuirks(): Quirk[] {
  const [header = '', ...lines] = readFileSync(path.join(folder, 'quirks.tsv'), 'utf8')
    .replace(/\n$/u, '')
    .split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const fields = line.split('\t').map((field) => field.replaceAll('\\x0b', '\v'));
    return Object.fromEntries(names.map((name, index) => [name, fields[index] ?? '']));
  });
}
