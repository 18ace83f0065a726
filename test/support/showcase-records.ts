import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Task } from '../../env/task.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import { createTaskSource } from '../../src/episodes/task-source.ts';
import { createExecutor } from '../../src/sqlite/executor.ts';
import { databasesOf, NEVER } from './executor.ts';
import { startService } from './service-fixture.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** A turn of a showcase: words with queries or an answer in the form that a model writes them, or the whole text. */
interface ShowcaseTurn {
  readonly say?: string;
  readonly queries?: readonly string[];
  readonly answer?: string;
  readonly text?: string;
}

interface ShowcaseEpisode {
  readonly task: string;
  readonly turns: readonly ShowcaseTurn[];
}

/** The text of a turn as a model would write it. */
export function turnText({ say = '', queries = [], answer, text }: ShowcaseTurn): string {
  if (text !== undefined) return text;
  const calls = queries.map(
    (query) =>
      `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`,
  );
  const fence = answer === undefined || answer === '' ? [] : [`\`\`\`sql\n${answer}\n\`\`\``];
  return [...(say === '' ? [] : [say]), ...calls, ...fence].join('\n');
}

/**
 * Plays the episodes of the screenshots on the demo databases and gives their records. Nothing in them depends on the machine:
 * ids are counted, the clock of the service moves only by steps, and the times of queries are made up.
 */
export async function playShowcase(): Promise<Trajectory[]> {
  const file = path.join(root, 'scripts', 'showcase-episodes.json');
  const episodes = JSON.parse(readFileSync(file, 'utf8')) as ShowcaseEpisode[];
  const tasks = demoTasks();
  const ids = [...new Set(tasks.map(({ databaseId }) => databaseId))];
  const executor = await createExecutor({
    databases: databasesOf(
      Object.fromEntries(
        ids.map((id) => [id, path.join(root, 'databases', 'build', id, `${id}.sqlite`)]),
      ),
    ),
    queueCountMax: 64,
    fastThreadCount: 1,
    slowThreadCountMax: 1,
  });
  const hashes = new Map(ids.map((id) => [id, 'd'.repeat(64)]));
  const { service, recorded, advance } = startService({
    executor,
    engine: executor.engine,
    tasks: createTaskSource(tasks, hashes),
  });
  try {
    for (const [index, episode] of episodes.entries()) {
      const episodeId = `demo/${String(index + 1).padStart(8, '0')}`;
      await service.reset(
        {
          episodeId,
          task: { kind: 'named', taskId: episode.task },
          limits: { queryCpuMsMax: 100, parallelCallCountMax: 2 },
          observation: {},
          mode: 'train',
          groupId: `step-7/${episode.task}`,
          labels: {},
          score: {},
          goldSha256: '',
        },
        NEVER,
      );
      for (const [stepIndex, turn] of episode.turns.entries()) {
        advance(180 + 40 * index);
        const action = { kind: 'assistant_text', text: turnText(turn) } as const;
        const completionTokenCount = 20 + action.text.length;
        await service.step({ episodeId, stepIndex, action, completionTokenCount }, NEVER);
      }
    }
    return recorded.map((record) => withFixedTimes(record));
  } finally {
    service.abandonAll();
    await executor.close();
  }
}

/** Writes records as a server does. */
export function writeRecords(folder: string, records: readonly unknown[]): string {
  const file = path.join(folder, 'trajectories-000001.jsonl');
  writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''));
  return file;
}

function withFixedTimes(record: Trajectory): Trajectory {
  return {
    ...record,
    steps: record.steps.map((step) => ({
      ...step,
      step_ms: 1.5 + step.step_index,
      queries: step.queries.map((query) => ({
        ...query,
        queue_us: query.sql === '' ? 0 : 120,
        query_us: query.sql === '' ? 0 : 480,
        query_cpu_us: query.sql === '' ? 0 : 310,
      })),
    })),
  };
}

function demoTasks(): Task[] {
  const lines = readFileSync(path.join(root, 'databases', 'tasks.jsonl'), 'utf8');
  return lines
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const task = JSON.parse(line) as Record<string, string>;
      return {
        taskId: task['task_id'] ?? '',
        databaseId: task['database_id'] ?? '',
        question: task['question'] ?? '',
        goldSql: task['gold_sql'] ?? '',
        split: task['split'] ?? '',
        difficulty: task['difficulty'] ?? '',
      };
    });
}
