import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { spiderHardness } from '../../env/spider/hardness.ts';
import { spiderSchema } from '../../env/spider/schema.ts';
import type { Task } from '../../env/task.ts';
import type { DatabaseSchema } from '../episodes/ports.ts';
import type { InputProblem, LocatedTask } from './task-set.ts';

/** A database that some tasks need. */
export interface NeededDatabase {
  readonly databaseId: string;
  /** Where the first of its tasks was read. */
  readonly location: string;
  readonly taskCount: number;
}

/** The databases that the tasks need, in the order of the first task of each. */
export function neededDatabases(tasks: readonly LocatedTask[]): NeededDatabase[] {
  const needed = new Map<string, NeededDatabase>();
  for (const { task, location } of tasks) {
    const { databaseId } = task;
    const known = needed.get(databaseId) ?? { databaseId, location, taskCount: 0 };
    needed.set(databaseId, { ...known, taskCount: known.taskCount + 1 });
  }
  return [...needed.values()];
}

/** The problem of a database, with the place of the first task that needs it and how many do. */
export function databaseProblem(database: NeededDatabase, message: string): InputProblem {
  const { databaseId, location, taskCount } = database;
  const needs = taskCount === 1 ? '1 task needs it' : `${taskCount} tasks need it`;
  return { location, message: `database ${databaseId}: ${message} (${needs})` };
}

/** Tasks whose databases can be used, with the difficulty that Spider's rule gives their golds where they have none. */
export function usableTasks(
  tasks: readonly LocatedTask[],
  schemas: ReadonlyMap<string, DatabaseSchema>,
): Task[] {
  const parserSchemas = new Map(
    [...schemas].map(([databaseId, schema]) => [databaseId, spiderSchema(schema.tables)]),
  );
  return tasks.flatMap(({ task }) => {
    const schema = parserSchemas.get(task.databaseId);
    if (schema === undefined) return [];
    if (task.difficulty !== '') return [task];
    return [{ ...task, difficulty: spiderHardness(task.goldSql, schema) ?? '' }];
  });
}

/** SHA-256 of a file's bytes, lower-case hex. */
export async function fileSha256(file: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file, { highWaterMark: 1024 * 1024 })) {
    hash.update(chunk as Buffer);
  }
  return hash.digest('hex');
}
