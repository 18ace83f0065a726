// Plays episodes as a trainer does, with the retries that docs/protocol.md asks for, and keeps everything that it saw.
import { setTimeout as sleep } from 'node:timers/promises';

const RETRIED_REASONS = new Set(['OVERLOADED', 'WORKER_LOST', 'DRAINING']);
const RETRIED_CODES = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);
const BACKOFF_MS = 100;
const BACKOFF_MS_MAX = 2_000;

/** An answer that is right for no task. */
export const WRONG_SQL = 'SELECT name FROM sqlite_master';

/** Never ends by itself. The text after the comment makes it one that the server has not met. */
export function runawaySql(mark) {
  return `WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c -- ${mark}`;
}

export function toolCall(query) {
  return `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`;
}

export function answer(sql) {
  return `The answer:\n\`\`\`sql\n${sql}\n\`\`\``;
}

/** What an honest rollout says: it looks twice and answers; every second one is wrong. */
export function honestScript(task, rolloutIndex) {
  const right = rolloutIndex % 2 === 0;
  return {
    turns: [
      toolCall(task.goldSql),
      toolCall("SELECT sql FROM sqlite_master WHERE type = 'table'"),
      answer(right ? task.goldSql : WRONG_SQL),
    ],
    reward: right ? 1 : 0,
  };
}

/** The episodes of a batch: so many rollouts of each task, under ids that begin with `prefix`. */
export function honestBatch(tasks, { rolloutCount, prefix }) {
  return tasks.flatMap((task, taskIndex) =>
    Array.from({ length: rolloutCount }, (_, rolloutIndex) => ({
      episodeId: `${prefix}/${taskIndex}/${rolloutIndex}`,
      task,
      ...honestScript(task, rolloutIndex),
    })),
  );
}

/** How calls are made while things break. Counts every failure that it met. */
export class Caller {
  constructor({ retryMs = 60_000, deadlineMs = 60_000 } = {}) {
    this.retryMs = retryMs;
    this.deadlineMs = deadlineMs;
    this.failures = {};
    this.latencies = [];
  }

  /** Calls until it works, the failure is one that no retry helps, or the time for retries is over. */
  async call(client, method, request) {
    const giveUpMs = performance.now() + this.retryMs;
    for (let wait = BACKOFF_MS; ; wait = Math.min(wait * 2, BACKOFF_MS_MAX)) {
      const startMs = performance.now();
      try {
        const reply = await client[method](request, { deadlineMs: this.deadlineMs });
        this.latencies.push(performance.now() - startMs);
        return reply;
      } catch (error) {
        this.count(error.key ?? String(error));
        if (!isRetried(error) || performance.now() + wait > giveUpMs) throw error;
      }
      await sleep(wait * (0.5 + Math.random()));
    }
  }

  count(key) {
    this.failures[key] = (this.failures[key] ?? 0) + 1;
  }
}

function isRetried(error) {
  return RETRIED_REASONS.has(error.reason) || RETRIED_CODES.has(error.code);
}

/**
 * Plays one episode to its end. Gives what the model read, the reward, and when it ended; a failure that no retry helps
 * is thrown. With `replay` an episode that the server has forgotten is played anew from its Reset, under the same id.
 */
export async function playEpisode(client, episode, caller, { replay = false, thinkMs = 0 } = {}) {
  const { episodeId, task, turns, limits } = episode;
  for (;;) {
    try {
      const texts = [];
      const opened = await caller.call(client, 'reset', {
        episodeId,
        taskId: task.taskId,
        groupId: task.taskId,
        limits,
      });
      texts.push(...opened.messages.map(({ content }) => content));
      let last;
      for (const [stepIndex, assistantText] of turns.entries()) {
        if (thinkMs > 0) await sleep(thinkMs * (0.5 + Math.random()));
        last = await caller.call(client, 'step', { episodeId, stepIndex, assistantText });
        texts.push(...last.messages.map(({ content }) => content));
        if (last.terminated || last.truncated) break;
      }
      const verdict = last.grade?.verdict;
      return { episodeId, texts, reward: last.episodeReturn, verdict, endedMs: performance.now() };
    } catch (error) {
      if (!replay || error.reason !== 'EPISODE_NOT_FOUND') throw error;
    }
  }
}

/** Plays all at once over the clients in turn. An episode that failed has `error` in place of a reward. */
export async function playAll(clients, episodes, caller, options = {}) {
  return await Promise.all(
    episodes.map(async (episode, index) => {
      try {
        const played = await playEpisode(clients[index % clients.length], episode, caller, options);
        options.onEnd?.(played);
        return played;
      } catch (error) {
        return { episodeId: episode.episodeId, error: error.key ?? String(error) };
      }
    }),
  );
}

/** How many of the played episodes failed, and how many have another reward than their script deserves. */
export function compareRewards(episodes, played) {
  let failedCount = 0;
  let wrongCount = 0;
  let rightCount = 0;
  episodes.forEach((episode, index) => {
    const { error, reward } = played[index];
    if (error !== undefined) failedCount += 1;
    else if (reward !== episode.reward) wrongCount += 1;
    else rightCount += 1;
  });
  return { failedCount, wrongCount, rightCount };
}

/** A share of the values: `quantile(latencies, 0.99)`. NaN without any. */
export function quantile(values, share) {
  if (values.length === 0) return NaN;
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}
