import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { TOOL_NAME } from '../../env/refusals.ts';
import type { Grade__Output } from '../generated/sqlenv/v1/Grade.ts';
import type { Task__Output } from '../generated/sqlenv/v1/Task.ts';
import { CallError, type SqlenvClient } from '../rpc/client.ts';

/** What can be said against a task. `gold_fails` makes it useless; the others make its rewards less sure. */
export type TaskProblem = 'gold_fails' | 'slow' | 'empty' | 'clock' | 'tie';

/** What was found out about one task. */
export interface TaskFinding {
  readonly taskId: string;
  readonly databaseId: string;
  readonly difficulty: string;
  readonly problems: readonly TaskProblem[];
  /** What the gold earned as a policy; undefined if no episode could be opened. */
  readonly reward: number | undefined;
  /** CPU time of the gold, milliseconds. */
  readonly queryCpuMs: number;
  /** Why it fails; empty if it doesn't. */
  readonly message: string;
}

/** Which tasks, and how. */
export interface ValidateOptions {
  readonly split: string;
  readonly databaseId: string;
  /** Episodes that run side by side. */
  readonly concurrency: number;
  /** A gold that takes at least so much CPU time counts as slow, milliseconds. */
  readonly slowMs: number;
  readonly onProgress?: (taskCount: number, totalCount: number) => void;
}

const PAGE_SIZE = 500;

/** How often a call is tried again that the server was too busy for, and how long is waited first, milliseconds. */
const RETRY_COUNT_MAX = 8;
const RETRY_MS = 50;

/**
 * Plays the gold of every task as a policy would: the query as a tool call, then as the answer, through real episodes. Throws
 * `CallError` only if the server can't be reached or fails; what is wrong with a task is a finding.
 */
export async function validateTasks(
  client: SqlenvClient,
  options: ValidateOptions,
): Promise<TaskFinding[]> {
  const tasks = await listAll(client, options);
  const findings: TaskFinding[] = [];
  let next = 0;
  let finishedCount = 0;
  const work = async (): Promise<void> => {
    for (let index = next++; index < tasks.length; index = next++) {
      const task = tasks[index];
      if (!task) return;
      findings[index] = await validateTask(client, task, options.slowMs);
      finishedCount += 1;
      options.onProgress?.(finishedCount, tasks.length);
    }
  };
  await Promise.all(Array.from({ length: Math.min(options.concurrency, tasks.length) }, work));
  return findings;
}

async function listAll(client: SqlenvClient, options: ValidateOptions): Promise<Task__Output[]> {
  const tasks: Task__Output[] = [];
  let pageToken = '';
  do {
    const page = await client.listTasks({
      pageSize: PAGE_SIZE,
      pageToken,
      split: options.split,
      databaseId: options.databaseId,
      includeGold: true,
    });
    tasks.push(...page.tasks);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return tasks;
}

async function validateTask(
  client: SqlenvClient,
  task: Task__Output,
  slowMs: number,
): Promise<TaskFinding> {
  const found = { taskId: task.taskId, databaseId: task.databaseId, difficulty: task.difficulty };
  try {
    const grade = await playGold(client, task);
    if (!grade) throw new Error('the server gave no grade');
    const queryCpuMs = (grade.answerQuery?.queryCpuUs ?? 0) / 1_000;
    const problems = problemsOf(grade, queryCpuMs, slowMs);
    const message = grade.reward === 1 ? '' : `${grade.verdict} ${grade.errorText}`.trim();
    return { ...found, problems, reward: grade.reward, queryCpuMs, message };
  } catch (error) {
    const broken = error instanceof CallError && BROKEN_REASONS.has(error.reason);
    if (!broken) throw error;
    const message =
      error.reason === 'TASK_BROKEN' ? await askWhy(client, task, error) : error.message;
    return { ...found, problems: ['gold_fails'], reward: undefined, queryCpuMs: 0, message };
  }
}

/** What SQLite says of a gold may hold some of it, so only a call that asks for the gold is told. */
async function askWhy(client: SqlenvClient, task: Task__Output, error: CallError): Promise<string> {
  try {
    await client.score({ taskId: task.taskId, sql: 'SELECT 1', includeGold: true });
    return error.message;
  } catch (why) {
    return why instanceof CallError ? why.message : error.message;
  }
}

/** Failures that say something about the task, not about the server. */
const BROKEN_REASONS: ReadonlySet<string> = new Set([
  'TASK_BROKEN',
  'DATABASE_BROKEN',
  'DATABASE_NOT_FOUND',
  'INVALID_FIELD',
]);

async function playGold(
  client: SqlenvClient,
  task: Task__Output,
): Promise<Grade__Output | null | undefined> {
  const episodeId = `validate/${randomUUID()}`;
  await retried(() =>
    client.reset({
      episodeId,
      taskId: task.taskId,
      goldSha256: task.goldSha256,
      mode: 'EPISODE_MODE_EVAL',
      groupId: 'validate',
      score: { guard: 'REWARD_GUARD_FLAG' },
    }),
  );
  try {
    const argumentsJson = JSON.stringify({ query: task.goldSql });
    const toolCall = { name: TOOL_NAME, argumentsJson };
    await retried(() => client.step({ episodeId, stepIndex: 0, toolCall }));
    const finalText = `\`\`\`sql\n${task.goldSql}\n\`\`\``;
    const last = await retried(() => client.step({ episodeId, stepIndex: 1, finalText }));
    return last.grade;
  } finally {
    await client.close({ episodeId });
  }
}

/** The protocol's calls are safe to repeat; a server that is busy is asked again. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call();
    } catch (error) {
      const busy = error instanceof CallError && error.reason === 'OVERLOADED';
      if (!busy || tries >= RETRY_COUNT_MAX) throw error;
      await sleep(RETRY_MS * 2 ** tries);
    }
  }
}

function problemsOf(grade: Grade__Output, queryCpuMs: number, slowMs: number): TaskProblem[] {
  const problems: TaskProblem[] = [];
  if (grade.reward !== 1) problems.push('gold_fails');
  if (queryCpuMs >= slowMs) problems.push('slow');
  if (grade.reward === 1 && grade.goldRowCount === 0) problems.push('empty');
  if (grade.flags.includes('SCORE_FLAG_GOLD_VOLATILE')) problems.push('clock');
  if (grade.flags.includes('SCORE_FLAG_GOLD_TIE')) problems.push('tie');
  return problems;
}
