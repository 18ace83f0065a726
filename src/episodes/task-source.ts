import type { Task } from '../../env/task.ts';
import { ServerError } from '../errors.ts';
import { canonicalHash, sha256 } from './canonical-hash.ts';

/** Which tasks are asked for; empty texts filter nothing. */
export interface TaskFilter {
  readonly split: string;
  readonly databaseId: string;
  readonly difficulty: string;
}

/** A page of tasks. */
export interface TaskPage {
  readonly tasks: readonly Task[];
  /** Index of the first task of the page among those that fit. */
  readonly offset: number;
  /** Tasks that fit, on all pages. */
  readonly totalCount: number;
}

/** The tasks and databases that are served. They don't change while the server runs. */
export interface TaskSource {
  readonly taskCount: number;
  readonly databaseCount: number;
  readonly splitTaskCounts: ReadonlyMap<string, number>;
  /** Over all tasks, in their order, and the hashes of all databases. */
  readonly catalogSha256: string;
  find(taskId: string): Task | undefined;
  hasDatabase(databaseId: string): boolean;
  page(filter: TaskFilter, pageToken: string, pageSize: number): TaskPage;
  /** The token for the page that starts at an offset. */
  pageToken(filter: TaskFilter, offset: number): string;
}

/** Holds tasks in memory, in the order given. Ids must be unique: whoever loads them sees to that. */
export function createTaskSource(
  tasks: readonly Task[],
  databaseHashes: ReadonlyMap<string, string>,
): TaskSource {
  const byId = new Map(tasks.map((task) => [task.taskId, task]));
  const splitTaskCounts = new Map<string, number>();
  for (const { split } of tasks) {
    splitTaskCounts.set(split, (splitTaskCounts.get(split) ?? 0) + 1);
  }
  return {
    taskCount: byId.size,
    databaseCount: databaseHashes.size,
    splitTaskCounts,
    catalogSha256: catalogHash(tasks, databaseHashes),
    find: (taskId) => byId.get(taskId),
    hasDatabase: (databaseId) => databaseHashes.has(databaseId),
    page: (filter, pageToken, pageSize) => {
      const offset = pageToken === '' ? 0 : parsePageToken(filter, pageToken);
      const fitting = tasks.filter((task) => fits(task, filter));
      const page = fitting.slice(offset, offset + pageSize);
      return { tasks: page, offset, totalCount: fitting.length };
    },
    pageToken: formatPageToken,
  };
}

/** SHA-256 of a gold as callers see it. */
export function goldHash(goldSql: string): string {
  return sha256(goldSql);
}

function catalogHash(tasks: readonly Task[], databaseHashes: ReadonlyMap<string, string>): string {
  const databases = [...databaseHashes].toSorted(([a], [b]) => (a < b ? -1 : 1));
  // The difficulty follows from the gold; the hash is over what was given.
  const given = tasks.map((task) => [
    task.taskId,
    task.databaseId,
    task.question,
    task.goldSql,
    task.split,
  ]);
  return canonicalHash([given, databases]);
}

function fits(task: Task, filter: TaskFilter): boolean {
  return (
    (filter.split === '' || task.split === filter.split) &&
    (filter.databaseId === '' || task.databaseId === filter.databaseId) &&
    (filter.difficulty === '' || task.difficulty === filter.difficulty)
  );
}

/** An offset and a mark of the filter, so that a token that is used with another filter is noticed. */
function formatPageToken(filter: TaskFilter, offset: number): string {
  return `${offset}-${canonicalHash(filter).slice(0, 8)}`;
}

function parsePageToken(filter: TaskFilter, token: string): number {
  const offset = Number(/^(\d{1,9})-/.exec(token)?.[1]);
  if (Number.isInteger(offset) && token === formatPageToken(filter, offset)) return offset;
  throw new ServerError(
    'INVALID_FIELD',
    'page_token: it must be empty or the next_page_token of a response to the same filters',
    { metadata: { field: 'page_token' } },
  );
}
