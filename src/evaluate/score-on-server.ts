import { setTimeout as sleep } from 'node:timers/promises';
import type { Task } from '../../env/task.ts';
import { COMPARISON_MODES, type ComparisonMode } from '../../env/grade.ts';
import { LEVELS, type Level } from '../../env/spider/totals.ts';
import { CallError, type SqlenvClient } from '../rpc/client.ts';
import { concurrently } from './concurrently.ts';
import type { RowRecord } from './row-file.ts';
import type { AnswerRow } from './row.ts';

/** A verdict under each of the server's comparison modes. */
export interface ServerRow {
  readonly row: AnswerRow;
  /** Empty where the row can't be scored. */
  readonly verdicts: readonly { readonly mode: string; readonly verdict: string }[];
  readonly errorText: string;
  /** Why it can't be scored. */
  readonly problem: string | undefined;
}

const PAGE_SIZE = 500;

/** How often a busy server is asked again, and how long is waited first, milliseconds. */
const RETRY_COUNT_MAX = 8;
const RETRY_MS = 50;

/** Reads a server's tasks with their golds. Throws `CallError`. */
export async function serverTasks(client: SqlenvClient, split: string): Promise<Task[]> {
  const tasks: Task[] = [];
  let pageToken = '';
  do {
    const page = await client.listTasks({
      pageSize: PAGE_SIZE,
      pageToken,
      split,
      includeGold: true,
    });
    for (const { taskId, databaseId, question, goldSql, difficulty, split: own } of page.tasks) {
      tasks.push({ taskId, databaseId, question, goldSql, difficulty, split: own });
    }
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  return tasks;
}

/** Has a server score rows under all its comparison modes: what training would have paid for them. */
export async function scoreOnServer(
  client: SqlenvClient,
  rows: readonly AnswerRow[],
  concurrency: number,
  onProgress?: (rowCount: number, totalCount: number) => void,
): Promise<ServerRow[]> {
  let scoredCount = 0;
  return await concurrently(rows, concurrency, async (row) => {
    const scored = await scoreRow(client, row);
    scoredCount += 1;
    onProgress?.(scoredCount, rows.length);
    return scored;
  });
}

async function scoreRow(client: SqlenvClient, row: AnswerRow): Promise<ServerRow> {
  const { answerSql: sql, problem, task } = row;
  if (problem !== undefined) return { row, verdicts: [], errorText: '', problem };
  if (sql === undefined) {
    const verdicts = COMPARISON_MODES.map((mode) => ({ mode, verdict: 'answer_missing' }));
    return { row, verdicts, errorText: '', problem: undefined };
  }
  const comparisonModes = [...COMPARISON_MODES];
  for (let tries = 0; ; tries += 1) {
    try {
      const { grades } = await client.score({ taskId: task.taskId, sql, comparisonModes });
      const verdicts = grades.map(({ comparisonMode: mode, verdict }) => ({
        mode,
        verdict: verdict.replace('VERDICT_', '').toLowerCase(),
      }));
      return { row, verdicts, errorText: grades[0]?.errorText ?? '', problem: undefined };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      const busy = error.reason === 'OVERLOADED' || error.reason === 'WORKER_LOST';
      if (busy && tries < RETRY_COUNT_MAX) {
        await sleep(RETRY_MS * 2 ** tries);
        continue;
      }
      // Without a reason there is no server to ask about the other rows.
      if (error.reason === 'UNSPECIFIED') throw error;
      return { row, verdicts: [], errorText: '', problem: error.message };
    }
  }
}

/** Matches by mode and level; a task without a difficulty is in `all` only. */
export interface ServerTotals {
  readonly rowCounts: Readonly<Record<Level, number>>;
  readonly matchedCounts: Readonly<Record<ComparisonMode, Readonly<Record<Level, number>>>>;
}

/** Adds rows up; those that can't be scored are in no figure. */
export function serverTotals(rows: readonly ServerRow[]): ServerTotals {
  const scored = rows.filter(({ problem }) => problem === undefined);
  const countBy = (holds: (row: ServerRow) => boolean): Record<Level, number> => {
    const counts = LEVELS.map((level): [Level, number] => {
      const ofLevel = scored.filter(({ row }) => level === 'all' || row.task.difficulty === level);
      return [level, ofLevel.filter(holds).length];
    });
    return Object.fromEntries(counts) as Record<Level, number>;
  };
  const matched = COMPARISON_MODES.map((mode) => [
    mode,
    countBy((row) => row.verdicts.some((each) => each.mode === mode && each.verdict === 'match')),
  ]);
  return {
    rowCounts: countBy(() => true),
    matchedCounts: Object.fromEntries(matched) as ServerTotals['matchedCounts'],
  };
}

/** The totals for people. */
export function serverTotalsText({ rowCounts, matchedCounts }: ServerTotals): string {
  const line = (title: string, cells: readonly string[]): string =>
    [title, ...cells].map((cell) => cell.padEnd(12)).join('');
  const lines = COMPARISON_MODES.map((mode) =>
    line(
      mode,
      LEVELS.map((level) =>
        rowCounts[level] === 0 ? '-' : (matchedCounts[mode][level] / rowCounts[level]).toFixed(3),
      ),
    ),
  );
  const counts = LEVELS.map((level) => String(rowCounts[level]));
  return `${[line('', LEVELS), line('count', counts), ...lines].join('\n')}\n`;
}

/** A row as files hold it; `exec` is the server's default mode, `bag@1`. */
export function serverRowRecord({ row, verdicts, errorText, problem }: ServerRow): RowRecord {
  const { task, index, attempt, answerSql } = row;
  const verdict = verdicts.find(({ mode }) => mode === 'bag@1')?.verdict ?? '';
  return {
    index,
    task_id: task.taskId,
    attempt,
    database_id: task.databaseId,
    hardness: task.difficulty,
    exec: problem === undefined ? verdict === 'match' : null,
    exact: null,
    pred_parsed: null,
    legacy_exec: null,
    verdict,
    legacy_verdict: '',
    capped: false,
    error_text: errorText,
    problems: problem === undefined ? [] : [problem],
    question: task.question,
    gold_sql: task.goldSql,
    answer_sql: answerSql ?? null,
  };
}
