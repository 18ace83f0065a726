import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { TOOL_SCHEMA, TOOL_SCHEMA_JSON } from '../../env/prompt.ts';
import type { Task } from '../../env/task.ts';
import { planPlay, play } from '../../src/cli/run-policy.ts';
import { pairRows } from '../../src/evaluate/answer-rows.ts';
import { findDatabaseFiles, type DatabaseFiles } from '../../src/evaluate/database-files.ts';
import { behaviourProfile } from '../../src/evaluate/profile.ts';
import { evaluateRows } from '../../src/evaluate/score-tasks.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';
import { loadTasks } from '../../src/tasks/load-tasks.ts';
import { startChatServer, type ChatRequest, type Failure } from '../support/chat-server.ts';

const FLAGS = {
  attempts: '1',
  concurrency: '8',
  prompt: 'ddl',
  tools: 'text',
  temperature: '0',
  topP: '1',
  maxTokens: '500',
  stepCountMax: '4',
  completionTokenCountMax: '2048',
  retries: '12',
  requestMs: '2000',
} as const;

/** What a policy says in each turn of a task: right, wrong, lost and broken ones in turn. */
function turnsOf(task: Task, index: number): string[] {
  const call = (sql: string): string =>
    `Let me look.\n<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query: sql } })}\n</tool_call>`;
  const answer = (sql: string): string => `So:\n\`\`\`sql\n${sql}\n\`\`\``;
  const tables = "SELECT name, sql FROM sqlite_master WHERE type = 'table'";
  switch (index % 7) {
    case 0:
      return [call(task.goldSql), answer(task.goldSql)];
    case 1:
      return [call(tables), call('SELECT nothing'), answer("SELECT 'wrong'")];
    case 2:
      return ['<tool_call>not JSON</tool_call>'];
    case 3:
      return [call(tables), call(tables), call(tables), call(tables), answer(task.goldSql)];
    case 4:
      return [answer(task.goldSql)];
    case 5:
      return ['I do not know, sorry!'];
    default:
      return [''];
  }
}

describe('evaluate --policy', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-policy-'));
  const demo = path.resolve(import.meta.dirname, '../../databases');
  let tasks: Task[] = [];
  let databases: DatabaseFiles;
  let executor: SqliteExecutor;
  let scripted: Awaited<ReturnType<typeof playWith>>;

  beforeAll(async () => {
    const databaseFolder = path.join(demo, 'build');
    const taskFile = path.join(demo, 'tasks.jsonl');
    const set = loadTasks({ kind: 'files', databaseFolder, taskFile }, undefined);
    tasks = set.tasks.map(({ task }) => task).filter((_, index) => index % 4 === 0);
    databases = findDatabaseFiles(databaseFolder, new Set(tasks.map((task) => task.databaseId)));
    executor = await createExecutor({
      databases: databases.files,
      queueCountMax: 1_000,
      fastThreadCount: 2,
      slowThreadCountMax: 1,
    });
    const lines = tasks.map((task, index) =>
      JSON.stringify({ task_id: task.taskId, turns: turnsOf(task, index) }),
    );
    const script = path.join(folder, 'script.jsonl');
    writeFileSync(script, lines.join('\n'));
    scripted = await playWith({ policy: `script:${script}` });
  });

  afterAll(async () => {
    await executor.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function playWith(flags: { readonly policy: string; readonly [flag: string]: string }) {
    const plan = planPlay({ ...FLAGS, ...flags });
    const played = await play(executor, tasks, databases, plan);
    return { played, verdicts: verdictsOf(played) };
  }

  function verdictsOf({ episodes }: Awaited<ReturnType<typeof play>>) {
    const entries = episodes.map(({ record }) => {
      const { task_id: taskId, grade, end, termination_reason: reason, steps } = record;
      const queries = steps.flatMap((step) => step.queries.map((query) => query.status));
      return [taskId, { verdict: grade?.verdict, sql: grade?.answer_sql, end, reason, queries }];
    });
    return Object.fromEntries(entries) as Record<string, unknown>;
  }

  /** Answers by the task whose question is asked and by the number of turns so far. */
  function scriptedAnswer({ messages }: ChatRequest): { text: string } {
    const question = messages.find((message) => message.role === 'user')?.content;
    const index = tasks.findIndex((task) => task.question === question);
    const task = tasks[index];
    if (task === undefined) throw new Error(`unknown question: ${question}`);
    const turn = messages.filter((message) => message.role === 'assistant').length;
    return { text: turnsOf(task, index)[turn] ?? '' };
  }

  it('gives a scripted policy all kinds of ends', () => {
    const verdicts = Object.values(scripted.verdicts);
    expect(scripted.played.problems).toEqual([]);
    expect(verdicts).toHaveLength(tasks.length);
    expect(new Set(verdicts.map((each) => (each as { verdict: string }).verdict))).toEqual(
      new Set(['match', 'mismatch', 'answer_sql_error', 'answer_missing']),
    );
  });

  it('gives the same scores over HTTP, though requests fail in every way', async () => {
    const failures: readonly Failure[] = [
      'status 500',
      'status 429',
      'reset',
      'cut json',
      'no choices',
    ];
    const server = await startChatServer(scriptedAnswer, (index, tryIndex) => {
      if (index === 3) return 'hang';
      // A message fails never, once or twice.
      return tryIndex < index % 3 ? failures[index % failures.length] : undefined;
    });
    try {
      const record = path.join(folder, 'http');
      const { played, verdicts } = await playWith({
        policy: 'openai',
        endpoint: server.url,
        model: 'tiny',
        record,
      });
      expect(played.problems).toEqual([]);
      expect(verdicts).toEqual(scripted.verdicts);
      expect(server.failureCount).toBeGreaterThan(10);
    } finally {
      await server.close();
    }
  });

  it("sends the prompts of training, and gives the model's words back as they were", async () => {
    const server = await startChatServer(scriptedAnswer);
    try {
      const record = path.join(folder, 'prompts');
      await playWith({ policy: 'openai', endpoint: server.url, model: 'tiny', record });
    } finally {
      await server.close();
    }
    const [task] = tasks;
    const own = server.requests.filter(({ messages }) => messages[1]?.content === task?.question);
    const [first, second] = own;
    expect(first?.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(first?.messages[0]?.content).toContain('You are a SQL assistant for a SQLite database');
    expect(first?.messages[0]?.content).toContain(`<tools>\n${TOOL_SCHEMA_JSON}\n</tools>`);
    expect(first).toMatchObject({ model: 'tiny', temperature: 0, max_tokens: 500 });
    expect(second?.messages.map(({ role }) => role)).toEqual([
      'system',
      'user',
      'assistant',
      'tool',
    ]);
    expect(second?.messages[2]?.content).toBe(task && turnsOf(task, 0)[0]);
    const tools = server.requests.flatMap(({ messages }) =>
      messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
    );
    const cut = tools.filter((content) => content.includes('...(truncated)...'));
    expect(cut.length).toBeGreaterThan(0);
    for (const content of cut) expect(content).toHaveLength(256 + '...(truncated)...'.length);
  });

  it('takes tool calls that the server has parsed', async () => {
    const [task] = tasks;
    const query = JSON.stringify({ query: task?.goldSql });
    const server = await startChatServer((request) => {
      expect(request.tools).toEqual([TOOL_SCHEMA]);
      expect(request.tool_choice).toBe('auto');
      return request.messages.length === 2
        ? { toolCall: { name: 'run_sql', arguments: query } }
        : { text: `\`\`\`sql\n${task?.goldSql}\n\`\`\`` };
    });
    try {
      const plan = planPlay({
        ...FLAGS,
        policy: 'openai',
        endpoint: server.url,
        model: 'tiny',
        tools: 'auto',
        record: path.join(folder, 'auto'),
      });
      const played = await play(executor, tasks.slice(0, 1), databases, plan);
      const [episode] = played.episodes;
      expect(episode?.record.grade?.verdict).toBe('match');
      expect(episode?.record.steps[0]?.queries[0]?.sql).toBe(task?.goldSql);
      expect(episode?.record.completion_token_count).toBe(14);
    } finally {
      await server.close();
    }
  });

  it('goes on where it was stopped, and refuses a folder of other settings', async () => {
    const record = path.join(folder, 'resumed');
    const refusing = new Set(tasks.slice(10).map((task) => task.question));
    const flags = { policy: 'openai', model: 'tiny', record, retries: '0' } as const;
    const lame = await startChatServer((request) =>
      refusing.has(request.messages[1]?.content ?? '')
        ? { status: 400, body: 'the prompt is too long' }
        : scriptedAnswer(request),
    );
    const first = await playWith({ ...flags, endpoint: lame.url });
    await lame.close();
    expect(first.played.episodes).toHaveLength(10);
    expect(first.played.problems).toHaveLength(tasks.length - 10);
    expect(first.played.problems[0]?.message).toMatch(/answers 400: the prompt is too long/u);
    // Closed episodes are in the folder too: they have no verdict, and are played again.
    const server = await startChatServer(scriptedAnswer);
    try {
      const second = await playWith({ ...flags, endpoint: server.url });
      expect(second.verdicts).toEqual(scripted.verdicts);
      const asked = new Set(server.requests.map(({ messages }) => messages[1]?.content));
      expect(asked).toEqual(refusing);
      await expect(playWith({ ...flags, endpoint: server.url, temperature: '1' })).rejects.toThrow(
        'played with other settings',
      );
    } finally {
      await server.close();
    }
  });

  it('stops at once where the model is not there', async () => {
    const server = await startChatServer(() => ({ status: 404, body: 'no model tiny' }));
    try {
      const record = path.join(folder, 'hopeless');
      await expect(
        playWith({ policy: 'openai', endpoint: server.url, model: 'tiny', record }),
      ).rejects.toThrow('the endpoint answers 404: no model tiny');
      expect(server.requests.length).toBeLessThanOrEqual(8);
    } finally {
      await server.close();
    }
  });

  it('stops when nobody answers at all', async () => {
    const server = await startChatServer(() => ({ status: 400, body: 'no' }));
    try {
      const record = path.join(folder, 'silent');
      await expect(
        playWith({ policy: 'openai', endpoint: server.url, model: 'tiny', record }),
      ).rejects.toThrow('the first 16 episodes failed: the endpoint answers 400: no');
      expect(server.requests.length).toBeLessThan(tasks.length);
    } finally {
      await server.close();
    }
  });

  it('plays the gold to a full score and the wrong policy to none, and profiles them', async () => {
    for (const [policy, share] of [
      ['gold', 1],
      ['wrong', 0],
    ] as const) {
      const { played } = await playWith({ policy });
      const { rows } = pairRows(tasks, played, { allowMissing: false });
      const scored = await evaluateRows(executor, databases, new Map(), rows, {
        execution: { keepDistinct: false, plugValue: false },
        clocks: { cpuMs: 5_000, wallMs: 20_000 },
        concurrency: 4,
      });
      expect(scored.every(({ execution }) => execution?.matched === (share === 1))).toBe(true);
      expect(behaviourProfile(scored)).toMatchObject({
        episodeCount: tasks.length,
        meanReturn: share,
        answerExecutes: 1,
        answerIsRunQuery: share,
        runSqlPerEpisode: share,
        turnsPerEpisode: 1 + share,
        ends: { answer: tasks.length },
      });
    }
  });
});
