import type { Message } from '../../env/task.ts';
import type { CancelSignal } from '../cancel.ts';
import { goldHash, type TaskSource } from './task-source.ts';
import type { PromptBuilder } from './prompts.ts';
import type { ListTasksRequest, ListTasksResult, ShownTask } from './requests.ts';
import type { EpisodeDefaults } from './server-info.ts';
import { showTask } from './choose-task.ts';

/** Bytes of a page, so that the response fits into a message of 4 MB; the next page goes on where it ends. */
const PAGE_BYTES_MAX = 3_000_000;

/** What a list of tasks needs. */
export interface ListTasksParts {
  readonly tasks: TaskSource;
  readonly prompts: PromptBuilder;
  readonly defaults: EpisodeDefaults;
}

/** A page of tasks; it holds fewer than asked for when more would be too large for a message. */
export async function listTasks(
  parts: ListTasksParts,
  request: ListTasksRequest,
  signal: CancelSignal,
): Promise<ListTasksResult> {
  const { tasks: source, prompts, defaults } = parts;
  const { split, databaseId, difficulty } = request;
  const filter = { split, databaseId, difficulty };
  const page = source.page(filter, request.pageToken, request.pageSize);
  const style = request.promptStyle ?? defaults.promptStyle;
  const shown: ShownTask[] = [];
  let bytes = 0;
  for (const task of page.tasks) {
    const messages: readonly Message[] = request.includeMessages
      ? await prompts.build(task.databaseId, style, task.question, signal)
      : [];
    const goldSha256 = goldHash(task.goldSql);
    const next = { ...showTask({ task, goldSha256 }, request.includeGold), messages };
    bytes += taskBytes(next);
    if (bytes > PAGE_BYTES_MAX && shown.length > 0) break;
    shown.push(next);
  }
  const end = page.offset + shown.length;
  const nextPageToken = end < page.totalCount ? source.pageToken(filter, end) : '';
  return { tasks: shown, nextPageToken, totalCount: page.totalCount };
}

function taskBytes(task: ShownTask): number {
  const { messages, ...texts } = task;
  const all = [...Object.values(texts), ...messages.map((message) => message.content)];
  // Field tags and lengths take a few bytes each.
  return all.reduce((sum, text) => sum + Buffer.byteLength(text) + 16, 0);
}
