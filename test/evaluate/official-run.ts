import { readFileSync } from 'node:fs';
import path from 'node:path';

import type { Task } from '../../env/task.ts';
import { pairRows } from '../../src/evaluate/answer-rows.ts';
import { findDatabaseFiles } from '../../src/evaluate/database-files.ts';
import { readPredictions } from '../../src/evaluate/read-predictions.ts';
import type { ScoredRow } from '../../src/evaluate/row.ts';
import { evaluateRows } from '../../src/evaluate/score-tasks.ts';
import { readTablesFile } from '../../src/evaluate/spider-schemas.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';
import { loadTasks } from '../../src/tasks/load-tasks.ts';
import { SPIDER_DIR } from '../support/spider.ts';

/** The files that lie beside the Spider release: predictions, and what the official scripts said of them. */
export const DATA_DIR: string = path.dirname(SPIDER_DIR);

/** The prediction files. */
export const NAMES = [
  'codes_1b',
  'dail_gpt4',
  'graphix',
  'c3sql',
  'gpt4_zeroshot',
  'din_codex',
] as const;

/** The official verdicts on one row. */
export interface OfficialRow {
  readonly index: number;
  readonly hardness: string;
  readonly exec: boolean;
  readonly exact: boolean;
  readonly parsed: boolean;
  /** Set where the official run was cut short. */
  readonly note: string;
}

/** Reads a file of official verdicts, `NAME.MODE.tsv`. */
export function readOfficial(file: string): OfficialRow[] {
  const [, ...lines] = readFileSync(path.join(DATA_DIR, 'official', file), 'utf8')
    .trimEnd()
    .split('\n');
  return lines.map((line, index) => {
    const [, , hardness = '', exec, exact, parsed, , note = ''] = line.split('\t');
    return {
      index,
      hardness,
      exec: exec === '1',
      exact: exact === '1',
      parsed: parsed === '1',
      note,
    };
  });
}

/** What the official script printed, without the last lines, which are of the run that recorded it. */
export function readOfficialTables(file: string): string {
  const text = readFileSync(path.join(DATA_DIR, 'official', file), 'utf8');
  return text.slice(0, text.indexOf('\nruntime_s'));
}

/** Runs predictions on the dev set, over one folder of databases. */
export interface OfficialRun {
  run(
    name: string,
    options?: { readonly keepDistinct?: boolean; readonly plugValue?: boolean },
  ): Promise<ScoredRow[]>;
  close(): Promise<void>;
}

/** Opens the databases that the dev tasks need, in the release's folder or another. */
export async function openOfficialRun(folder: string): Promise<OfficialRun> {
  const { tasks } = loadTasks({ kind: 'spider', folder: SPIDER_DIR }, 'dev');
  const devTasks: Task[] = tasks.map(({ task }) => task);
  const databases = findDatabaseFiles(folder, new Set(devTasks.map((task) => task.databaseId)));
  const keys = readTablesFile(path.join(SPIDER_DIR, 'tables.json'));
  const executor: SqliteExecutor = await createExecutor({
    databases: databases.files,
    queueCountMax: 1_000,
    fastThreadCount: 2,
    slowThreadCountMax: 2,
    slowThreadCountMin: 0,
  });
  return {
    async run(name, { keepDistinct = false, plugValue = false } = {}) {
      const file =
        name === 'gold'
          ? path.join(SPIDER_DIR, 'dev_gold.sql')
          : path.join(DATA_DIR, 'pred', `${name}.txt`);
      const { rows } = pairRows(devTasks, readPredictions(file), { allowMissing: false });
      return await evaluateRows(executor, databases, keys, rows, {
        execution: { keepDistinct, plugValue },
        clocks: { cpuMs: 10_000, wallMs: 30_000 },
        concurrency: 64,
      });
    },
    close: () => executor.close(),
  };
}
