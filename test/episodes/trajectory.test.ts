import { readFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Action } from '../../env/action.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import type { ResetRequest } from '../../src/episodes/requests.ts';
import { goldHash } from '../../src/episodes/task-source.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';
import { startService, type ServiceFixture } from '../support/service-fixture.ts';

let fixture: ServiceFixture | undefined;

afterEach(() => fixture?.service.abandonAll());

async function play(
  actions: readonly Action[],
  reset: Partial<ResetRequest> = {},
  recordGold = false,
): Promise<Trajectory> {
  fixture = startService({ recordGold });
  const { service, recorded, advance } = fixture;
  const signal = new AbortController().signal;
  await service.reset(
    {
      episodeId: 'e',
      task: { kind: 'named', taskId: 't/1' },
      limits: { stepCountMax: 9 },
      observation: { textSizeMax: 0 },
      mode: 'eval',
      groupId: 'g',
      labels: { run: '7' },
      score: { guard: 'strict' },
      goldSha256: '',
      ...reset,
    },
    signal,
  );
  for (const [stepIndex, action] of actions.entries()) {
    advance(250);
    await service.step({ episodeId: 'e', stepIndex, action, completionTokenCount: 11 }, signal);
  }
  if (recorded.length === 0) service.close('e');
  return recorded[0] as Trajectory;
}

const CALL: Action = {
  kind: 'tool_call',
  name: 'run_sql',
  argumentsJson: '{"query": "SELECT 5"}',
};
const ANSWER: Action = { kind: 'final_text', text: '```sql\nSELECT 2\n```' };

test('a line holds the whole episode', async () => {
  expect(await play([CALL, ANSWER])).toEqual({
    version: 1,
    episode_id: 'e',
    task_id: 't/1',
    database_id: 'pets',
    question: 'Question 1?',
    split: 'train',
    difficulty: 'easy',
    gold_sha256: goldHash('SELECT 1'),
    inline_task: false,
    group_id: 'g',
    labels: { run: '7' },
    mode: 'eval',
    server_version: '0.0.1',
    engine: { sqlite_version: '3.53.2', engine_sha256: 'e'.repeat(64) },
    catalog_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    limits: {
      step_count_max: 9,
      invalid_call_count_max: 5,
      parallel_call_count_max: 1,
      completion_token_count_max: 2_048,
      query_cpu_ms_max: 2_000,
      query_wall_ms_max: 10_000,
      row_count_max: 100_000,
      cell_bytes_max: 1_000_000,
      result_bytes_max: 3_000_000,
    },
    observation: { text_size_max: 0, truncate_side: 'middle' },
    score: {
      comparison_mode: 'bag@1',
      guard: 'strict',
      scope: 'last_turn',
      fallback: 'statement',
    },
    prompt_style: 'ddl',
    on_malformed: 'end',
    messages: [
      { role: 'system', content: expect.stringContaining('CREATE TABLE singer') as string },
      { role: 'user', content: 'Question 1?' },
    ],
    steps: [
      {
        step_index: 0,
        action: { kind: 'tool_call', name: 'run_sql', arguments_json: '{"query": "SELECT 5"}' },
        completion_token_count: 11,
        messages: [{ role: 'tool', content: '{"columns":["sql"],"rows":[["SELECT 5"]]}' }],
        queries: [
          {
            status: 'ok',
            sql: 'SELECT 5',
            row_count: 1,
            capped: false,
            text_truncated: false,
            text_size: 10,
            query_cpu_us: 5,
            query_us: 7,
            queue_us: 1,
            time_limit: 'none',
          },
        ],
        reward: 0,
        ignored_call_count: 0,
        started_ms: 250,
        step_ms: 0,
      },
      expect.objectContaining({
        step_index: 1,
        action: { kind: 'final_text', text: '```sql\nSELECT 2\n```' },
        messages: [],
        queries: [],
        started_ms: 500,
      }) as never,
    ],
    end: 'terminated',
    termination_reason: 'answer',
    truncation_reason: '',
    return: 0,
    completion_token_count: 22,
    grade: {
      comparison_mode: 'bag@1',
      verdict: 'mismatch',
      matched: false,
      reward: 0,
      flags: [],
      answer_sql: 'SELECT 2',
      error_text: '',
      answer_query: expect.objectContaining({ sql: 'SELECT 2', status: 'ok' }) as never,
      gold_row_count: 3,
    },
    started_at: '2023-11-14T22:13:21.000Z',
    ended_at: '2023-11-14T22:13:21.500Z',
  } satisfies Trajectory);
});

test('the gold is in it only if the server was told to record it', async () => {
  expect(JSON.stringify(await play([CALL]))).not.toContain('SELECT 1');
  expect((await play([CALL], {}, true)).gold_sql).toBe('SELECT 1');
});

test('an episode without an answer has no grade', async () => {
  expect(await play([CALL])).toMatchObject({ end: 'closed', grade: null, termination_reason: '' });
});

test('a truncated one says which limit', async () => {
  expect(await play([CALL], { limits: { stepCountMax: 1 } })).toMatchObject({
    end: 'truncated',
    truncation_reason: 'step_limit',
    termination_reason: '',
  });
});

test('an inline task is marked', async () => {
  const task = { kind: 'inline', taskId: 'inline', databaseId: 'pets', question: 'q' } as const;
  const line = await play([ANSWER], { task: { ...task, goldSql: 'SELECT 2' } });
  expect(line).toMatchObject({ inline_task: true, task_id: 'inline', split: '', return: 1 });
});

test('docs/trajectories.md names every key', async () => {
  const text = readFileSync(path.join(PACKAGE_ROOT, 'docs/trajectories.md'), 'utf8');
  const keysOf = (value: unknown): string[] => {
    if (typeof value !== 'object' || value === null) return [];
    if (Array.isArray(value)) return value.flatMap(keysOf);
    return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
  };
  // What is free, or named by another page.
  const elsewhere = ['labels', 'limits', 'messages', 'observation', 'score'];
  const line = Object.entries(await play([CALL, ANSWER], {}, true)).filter(
    ([key]) => !elsewhere.includes(key),
  );
  for (const key of new Set(keysOf(Object.fromEntries(line)))) {
    if (key === 'role' || key === 'content') continue;
    expect(text, key).toContain(`\`${key}\``);
  }
});
