import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import type { Action } from '../../env/action.ts';
import { DEFAULT_SCORE } from '../../env/grade.ts';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { DEFAULT_OBSERVATION } from '../../env/query.ts';
import type { Task } from '../../env/task.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import { ReplayCatalogs, type ReplayPlaces } from '../../src/cli/replay-catalogs.ts';
import { openLocalSource } from '../../src/cli/replay-environment.ts';
import type { ResetRequest } from '../../src/episodes/requests.ts';
import { EnvironmentService } from '../../src/episodes/service.ts';
import { createTaskSource } from '../../src/episodes/task-source.ts';
import { writeManifest } from '../../src/replay/manifest.ts';
import type { ReplaySource } from '../../src/replay/ports.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';
import { fileSha256 } from '../../src/tasks/load-databases.ts';
import { databasesOf, NEVER } from './executor.ts';
import { recordingLog } from './log.ts';

/** Real databases, a real service that records, and what is needed to play its records again. */
export interface ReplayBed {
  /** Holds `db/db.sqlite`, `tasks.jsonl` and `records/`. */
  readonly folder: string;
  readonly databases: string;
  readonly taskFile: string;
  readonly records: string;
  readonly service: EnvironmentService;
  readonly executor: SqliteExecutor;
  /** Plays an episode to its end, or closes it, and gives its record. */
  readonly play: (actions: readonly Action[], reset?: Partial<ResetRequest>) => Promise<Trajectory>;
  /** Changes the database file, as a release that was replaced. */
  readonly change: (sql: string) => void;
  /** Opens what plays records again; closed with the bed. */
  readonly source: (places?: ReplayPlaces) => Promise<ReplaySource>;
  readonly close: () => Promise<void>;
}

/** A table of singers with ties, a NULL and numbers of both kinds. */
export const SINGERS = `CREATE TABLE singer (id INTEGER PRIMARY KEY, name TEXT, age INTEGER, score REAL);
INSERT INTO singer VALUES (1, 'Ann', 30, 1.5), (2, 'Bo', 25, 2.0), (3, 'Cy', 30, 2.0), (4, 'Di', NULL, 0.25);
CREATE TABLE song (id INTEGER PRIMARY KEY, singer_id INTEGER, title TEXT);
INSERT INTO song VALUES (1, 1, 'A'), (2, 1, 'B'), (3, 2, 'A');`;

/** Makes the bed: one database `db`, and a task `t/N` for each gold. */
export async function createReplayBed(
  golds: readonly string[],
  options: { readonly sql?: string; readonly recordGold?: boolean } = {},
): Promise<ReplayBed> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-replay-'));
  const databases = path.join(folder, 'databases');
  const records = path.join(folder, 'records');
  for (const each of [path.join(databases, 'db'), records]) mkdirSync(each, { recursive: true });
  const file = path.join(databases, 'db', 'db.sqlite');
  execute(file, options.sql ?? SINGERS);
  const tasks = golds.map(taskOf);
  const taskFile = path.join(folder, 'tasks.jsonl');
  writeFileSync(taskFile, tasks.map(taskLine).join(''));
  const executor = await createExecutor({
    databases: databasesOf({ db: file }),
    queueCountMax: 100,
    fastThreadCount: 1,
  });
  const hashes = new Map([['db', await fileSha256(file)]]);
  const source = createTaskSource(tasks, hashes);
  const recorded: Trajectory[] = [];
  const service = new EnvironmentService({
    executor,
    engine: executor.engine,
    tasks: source,
    recorder: { record: (trajectory) => recorded.push(trajectory) },
    log: recordingLog(),
    version: '0.1.0',
    defaults: {
      limits: DEFAULT_LIMITS,
      observation: DEFAULT_OBSERVATION,
      score: DEFAULT_SCORE,
      promptStyle: 'ddl',
      onMalformed: 'end',
    },
    storeLimits: {
      leaseMs: 600_000,
      episodeCountMax: 1_000,
      episodeBytesMax: 1_000_000_000,
      endedCountMax: 1_000,
      endedBytesMax: 1_000_000_000,
    },
    recordGold: options.recordGold ?? false,
  });
  await writeManifest(records, {
    version: 1,
    catalog_sha256: source.catalogSha256,
    title: 'a bed',
    server_version: '0.1.0',
    tasks: { kind: 'files', databases, tasks: taskFile, split: null },
    databases: [...hashes].map(([id, sha256]) => ({ database_id: id, path: file, sha256 })),
  });
  const opened: ReplaySource[] = [];
  let count = 0;
  return {
    folder,
    databases,
    taskFile,
    records,
    service,
    executor,
    play: async (actions, reset = {}) => {
      count += 1;
      const episodeId = `e/${count}`;
      await service.reset(
        {
          episodeId,
          task: { kind: 'named', taskId: 't/0' },
          limits: {},
          observation: {},
          mode: 'train',
          groupId: 'g',
          labels: { run: '7' },
          score: {},
          goldSha256: '',
          ...reset,
        },
        NEVER,
      );
      for (const [stepIndex, action] of actions.entries()) {
        await service.step({ episodeId, stepIndex, action, completionTokenCount: 3 }, NEVER);
      }
      service.close(episodeId);
      const trajectory = recorded.find((each) => each.episode_id === episodeId);
      if (trajectory === undefined) throw new Error('the episode was not recorded');
      // As it comes from a file.
      return JSON.parse(JSON.stringify(trajectory)) as Trajectory;
    },
    change: (sql) => execute(file, sql),
    source: async (places = {}) => {
      const catalogs = new ReplayCatalogs([records], places);
      const next = await openLocalSource(catalogs, 1);
      opened.push(next);
      return next;
    },
    close: async () => {
      for (const each of opened) await each.stop();
      service.abandonAll();
      await executor.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A tool call as a parsed one. */
export function call(query: string): Action {
  return { kind: 'tool_call', name: 'run_sql', argumentsJson: JSON.stringify({ query }) };
}

/** A tool call as a model writes it. */
export function written(query: string): Action {
  const body = JSON.stringify({ name: 'run_sql', arguments: { query } });
  return { kind: 'assistant_text', text: `<tool_call>\n${body}\n</tool_call>` };
}

/** A final answer. */
export function answer(sql: string): Action {
  return { kind: 'final_text', text: `\`\`\`sql\n${sql}\n\`\`\`` };
}

function taskOf(goldSql: string, index: number): Task {
  return {
    taskId: `t/${index}`,
    databaseId: 'db',
    question: `Question ${index}?`,
    goldSql,
    split: 'dev',
    difficulty: 'easy',
  };
}

function taskLine({ taskId, databaseId, question, goldSql, split, difficulty }: Task): string {
  const line = { task_id: taskId, database_id: databaseId, question, gold_sql: goldSql };
  return `${JSON.stringify({ ...line, split, difficulty })}\n`;
}

function execute(file: string, sql: string): void {
  const database = new Database(file);
  database.exec(sql);
  database.close();
}
