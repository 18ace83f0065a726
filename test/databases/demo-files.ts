import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { z } from 'zod';
import { HARDNESS_LEVELS } from '../../env/spider/hardness.ts';

/** The sources of the demo databases: `manifest.json`, `tasks.jsonl`, SQL. */
export const sourceDirectory = fileURLToPath(new URL('../../databases', import.meta.url));

/** The compiled program that builds them. */
export const buildProgram = fileURLToPath(
  new URL('../../dist/databases/build.js', import.meta.url),
);

const taskSchema = z.strictObject({
  task_id: z.string().regex(/^demo\/[a-z_]+\/\d{2}$/),
  database_id: z.string().regex(/^[a-z_]+$/),
  question: z.string().min(1),
  gold_sql: z.string().regex(/^SELECT /),
  split: z.enum(['train', 'dev']),
  difficulty: z.enum(HARDNESS_LEVELS),
});

/** One line of `tasks.jsonl`. */
export type DemoTask = z.infer<typeof taskSchema>;

/** All demo tasks, checked line by line. */
export function readDemoTasks(): DemoTask[] {
  const lines = readFileSync(join(sourceDirectory, 'tasks.jsonl'), 'utf8').trimEnd().split('\n');
  return lines.map((line) => taskSchema.parse(JSON.parse(line)));
}

/** The path of a built database. */
export function databasePath(outDirectory: string, databaseId: string): string {
  return join(outDirectory, databaseId, `${databaseId}.sqlite`);
}

/** Opens a built database for reading. */
export function openDemo(outDirectory: string, databaseId: string): Database.Database {
  return new Database(databasePath(outDirectory, databaseId), {
    readonly: true,
    fileMustExist: true,
  });
}

/** The tables of an open database, in the order of its schema. */
export function tableNames(database: Database.Database): string[] {
  return database
    .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY rowid")
    .pluck()
    .all() as string[];
}

/** Runs something with a new folder that is gone afterwards. */
export async function withTemporaryDirectory<Result>(
  run: (directory: string) => Result | Promise<Result>,
): Promise<Result> {
  const directory = mkdtempSync(join(tmpdir(), 'sqlenv-databases-'));
  try {
    return await run(directory);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
