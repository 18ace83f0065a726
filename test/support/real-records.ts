import type { Action } from '../../env/action.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import type { ResetRequest } from '../../src/episodes/requests.ts';
import { createTaskSource } from '../../src/episodes/task-source.ts';
import { createTestBed, NEVER } from './executor.ts';
import { startService } from './service-fixture.ts';

/** What an episode of a test does. */
export interface EpisodePlan {
  readonly episodeId: string;
  readonly actions: readonly Action[];
  readonly reset?: Partial<ResetRequest>;
  /** What ends it if its actions don't; by default a Close call. */
  readonly end?: 'closed' | 'expired' | 'abandoned';
}

/** A turn with tool calls as a model writes them. */
export function turn(...queries: readonly string[]): Action {
  const calls = queries.map(
    (query) =>
      `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`,
  );
  return { kind: 'assistant_text', text: `Let me look.\n${calls.join('\n')}` };
}

/** A final answer. */
export function answer(sql: string): Action {
  return { kind: 'final_text', text: `The answer:\n\`\`\`sql\n${sql}\n\`\`\`` };
}

const GOLD = 'SELECT name FROM singer WHERE age > 30';

const RUNAWAY =
  'WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n';

/** Episodes of all kinds: every end, every verdict, every status, text that is hard on JSON. */
export const ALL_KINDS: readonly EpisodePlan[] = [
  { episodeId: 'match', actions: [turn('SELECT * FROM singer'), answer(GOLD)] },
  { episodeId: 'mismatch', actions: [turn('SELECT 1'), answer('SELECT name FROM singer')] },
  {
    episodeId: 'no-answer',
    actions: [{ kind: 'final_text', text: 'I do not know.' }],
    reset: { score: { fallback: 'none' } },
  },
  { episodeId: 'answer-error', actions: [answer('SELECT nothing FROM nowhere')] },
  { episodeId: 'answer-forbidden', actions: [answer('DROP TABLE singer')] },
  {
    episodeId: 'both-empty',
    actions: [answer('SELECT 1 WHERE 0')],
    reset: inline('SELECT 2 WHERE 0'),
  },
  {
    episodeId: 'malformed',
    actions: [{ kind: 'assistant_text', text: '<tool_call>\n{"name": \n</tool_call>' }],
  },
  {
    episodeId: 'malformed-observed',
    actions: [{ kind: 'assistant_text', text: '<tool_call>{</tool_call>' }, answer(GOLD)],
    reset: { onMalformed: 'observe' },
  },
  {
    episodeId: 'hostile',
    actions: [
      turn('DELETE FROM singer'),
      turn("ATTACH DATABASE '/tmp/x.db' AS x"),
      turn('SELEC'),
      turn(RUNAWAY),
    ],
    reset: { limits: { queryCpuMsMax: 50 } },
  },
  {
    episodeId: 'unknown-tool',
    actions: [
      { kind: 'tool_call', name: 'remove_file', argumentsJson: '{"path": "/"}' },
      { kind: 'tool_call', name: 'run_sql', argumentsJson: '[1, 2' },
    ],
  },
  {
    episodeId: 'step-limit',
    actions: [turn('SELECT 1'), turn('SELECT 2')],
    reset: { limits: { stepCountMax: 2 } },
  },
  {
    episodeId: 'parallel',
    actions: [turn('SELECT 1', 'SELECT 2', 'SELECT 3'), answer(GOLD)],
    reset: { limits: { parallelCallCountMax: 2 } },
  },
  {
    episodeId: 'shortened',
    actions: [turn('SELECT name, name, name, name FROM singer'), answer(GOLD)],
    reset: { observation: { textSizeMax: 20, truncateSide: 'right' } },
  },
  {
    episodeId: 'odd-texts',
    actions: [
      turn(`SELECT 'quote " backslash \\ newline \n tab \t null \u0001 é 漢字 🎤'`),
      answer(GOLD),
    ],
    reset: { labels: { run: '7', Ключ: 'é"\\' }, mode: 'eval', groupId: 'g/1' },
  },
  { episodeId: 'strict', actions: [answer("SELECT 'Ann'")], reset: { score: { guard: 'strict' } } },
  { episodeId: 'closed', actions: [turn('SELECT 1')] },
  { episodeId: 'nothing', actions: [] },
  { episodeId: 'abandoned', actions: [turn('SELECT 1')], end: 'abandoned' },
  { episodeId: 'expired', actions: [turn('SELECT 1')], end: 'expired' },
];

function inline(goldSql: string): Partial<ResetRequest> {
  const task = { taskId: 'inline', databaseId: 'db', question: 'Which of none?', goldSql };
  return { task: { kind: 'inline', ...task } };
}

/** Plays episodes on real SQLite and gives their records as they come out of a file. */
export async function playRecords(
  plans: readonly EpisodePlan[],
  recordGold: boolean,
): Promise<Trajectory[]> {
  const bed = await createTestBed(
    "CREATE TABLE singer (name TEXT, age INT); INSERT INTO singer VALUES ('Ann', 20), ('Bo', 40), ('Çelik', 50);",
    { fastThreadCount: 1, slowThreadCountMax: 1 },
  );
  const task = { databaseId: 'db', question: 'Who is "older" than 30?', split: 'dev' };
  const tasks = [{ ...task, taskId: 'singers/1', goldSql: GOLD, difficulty: 'easy' }];
  const { service, recorded, advance } = startService({
    executor: bed.executor,
    engine: bed.executor.engine,
    tasks: createTaskSource(tasks, new Map([['db', 'd'.repeat(64)]])),
    recordGold,
  });
  try {
    for (const { episodeId, actions, reset, end = 'closed' } of plans) {
      await service.reset({ ...RESET, ...reset, episodeId }, NEVER);
      let ended = false;
      for (const [stepIndex, action] of actions.entries()) {
        advance(250);
        const request = { episodeId, stepIndex, action, completionTokenCount: 11 };
        const outcome = await service.step(request, NEVER);
        ended = outcome.terminated || outcome.truncated;
      }
      if (ended) continue;
      if (end === 'abandoned') service.abandonAll();
      if (end === 'expired') advance(3_600_000);
      service.close(episodeId);
    }
    return recorded.map((record) => JSON.parse(JSON.stringify(record)) as Trajectory);
  } finally {
    service.abandonAll();
    await bed.close();
  }
}

const RESET: ResetRequest = {
  episodeId: '',
  task: { kind: 'named', taskId: 'singers/1' },
  limits: {},
  observation: {},
  mode: 'train',
  groupId: '',
  labels: {},
  score: {},
  goldSha256: '',
};
