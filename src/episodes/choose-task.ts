import type { Task } from '../../env/task.ts';
import { ServerError } from '../errors.ts';
import { databaseNotFound } from './failure.ts';
import type { TaskChoice } from './requests.ts';
import { goldHash, type TaskSource } from './task-source.ts';

/** A task that a call is about. */
export interface ChosenTask {
  readonly task: Task;
  readonly goldSha256: string;
  readonly inlineTask: boolean;
}

/** Of the server's own tasks, which live as long as it does. */
const goldHashes = new WeakMap<Task, string>();

function knownGoldHash(task: Task): string {
  let hash = goldHashes.get(task);
  if (hash === undefined) goldHashes.set(task, (hash = goldHash(task.goldSql)));
  return hash;
}

/** Finds the task of a call. Throws TASK_NOT_FOUND, DATABASE_NOT_FOUND, or TASK_MISMATCH for an unexpected gold. */
export function chooseTask(
  tasks: TaskSource,
  choice: TaskChoice,
  expectedGoldSha256: string,
): ChosenTask {
  const task = choice.kind === 'named' ? tasks.find(choice.taskId) : inlineTask(choice);
  if (task === undefined) {
    const { taskId } = choice;
    throw new ServerError('TASK_NOT_FOUND', `there is no task ${taskId}`, { metadata: { taskId } });
  }
  if (!tasks.hasDatabase(task.databaseId)) throw databaseNotFound(task.databaseId);
  const goldSha256 = knownGoldHash(task);
  if (expectedGoldSha256 !== '' && expectedGoldSha256 !== goldSha256) {
    throw new ServerError(
      'TASK_MISMATCH',
      `the gold SQL of task ${task.taskId} has the SHA-256 ${goldSha256}, and the request expects ${expectedGoldSha256}`,
      { metadata: { taskId: task.taskId } },
    );
  }
  return { task, goldSha256, inlineTask: choice.kind === 'inline' };
}

function inlineTask(choice: Extract<TaskChoice, { kind: 'inline' }>): Task {
  const { taskId, databaseId, question, goldSql } = choice;
  return { taskId, databaseId, question, goldSql, split: '', difficulty: '' };
}

/** A task as callers see it: with its gold only if they may have it. */
export function showTask(chosen: Pick<ChosenTask, 'task' | 'goldSha256'>, includeGold: boolean) {
  const { task, goldSha256 } = chosen;
  return { ...task, goldSha256, goldSql: includeGold ? task.goldSql : '' };
}
