import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startChildServer, type ChildServer } from '../../src/cli/child-server.ts';
import type { Task__Output } from '../../src/generated/sqlenv/v1/Task.ts';
import { connectClient, type SqlenvClient } from '../../src/rpc/client.ts';
import { hostilePack, RUNAWAY_PACK } from '../support/hostile-pack.ts';

const HONEST_TASK_COUNT = 60;
const ROLLOUT_COUNT = 8;
const HOSTILE_COUNT = 32;
const HOSTILE_LIMITS = { queryCpuMsMax: 300, queryWallMsMax: 1_000 };

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
let server: ChildServer;
let client: SqlenvClient;
let tasks: Task__Output[];

beforeAll(async () => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-hostile-'));
  cpSync(path.join(root, 'databases/build'), folder, { recursive: true });
  const taskFile = path.join(root, 'databases/tasks.jsonl');
  server = await startChildServer([
    ...['--databases', folder, '--tasks', taskFile],
    ...['--log-level', 'warn', '--slow-threads', '8'],
  ]);
  client = connectClient(server.address);
  tasks = (await client.listTasks({ pageSize: 1_000, includeGold: true })).tasks;
});

afterAll(async () => {
  client.disconnect();
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

it('gives 480 honest episodes the same bytes and rewards beside 32 hostile ones as without them', async () => {
  const filesBefore = hashFiles();
  const alone = await Promise.all(honestEpisodes('alone'));
  // Every thread opens every database once, and keeps it: only what comes on top of that is a leak.
  await Promise.all(hostileEpisodes('warm-up'));
  const descriptorsBefore = descriptorCount();

  const hostile = hostileEpisodes('hostile');
  const beside = await Promise.all(honestEpisodes('beside'));
  const attacks = (await Promise.all(hostile)).flat();

  expect(beside).toEqual(alone);
  expect(alone.filter(({ reward }) => reward === 1)).toHaveLength(
    HONEST_TASK_COUNT * (ROLLOUT_COUNT / 2),
  );
  expect(attacks.filter(({ reward }) => reward !== 0)).toEqual([]);
  expect(attacks.length).toBeGreaterThan(HOSTILE_COUNT * 2);
  for (const { text } of attacks) expect(text).not.toContain(folder);

  expect(hashFiles()).toEqual(filesBefore);
  await sleep(1_000);
  // A thread may open a database that it had not met; a leak would be at least one for each of 150 attacks.
  expect(descriptorCount() - descriptorsBefore).toBeLessThan(HOSTILE_COUNT);
  expect(deletedFileCount()).toBe(0);
  expect(await cpuSecondsDuring(500)).toBeLessThan(0.2);
  expect((await client.getInfo({})).lostWorkerCount).toBe(0);
}, 120_000);

interface Played {
  readonly reward: number;
  readonly texts: readonly string[];
}

/** Half of the rollouts answer with the gold, the others with something else; each looks first. */
function honestEpisodes(run: string): Promise<Played>[] {
  return tasks.slice(0, HONEST_TASK_COUNT).flatMap((task, taskIndex) =>
    Array.from({ length: ROLLOUT_COUNT }, async (_, rolloutIndex) => {
      const episodeId = `${run}/${taskIndex}/${rolloutIndex}`;
      await client.reset({ episodeId, taskId: task.taskId, groupId: task.taskId });
      const answer = rolloutIndex % 2 === 0 ? task.goldSql : 'SELECT name FROM sqlite_master';
      const look = await client.step({ episodeId, stepIndex: 0, toolCall: toolCall(task.goldSql) });
      const schema = await client.step({
        episodeId,
        stepIndex: 1,
        toolCall: toolCall("SELECT sql FROM sqlite_master WHERE type = 'table'"),
      });
      const last = await client.step({ episodeId, stepIndex: 2, finalText: fenced(answer) });
      const texts = [...look.messages, ...schema.messages].map(({ content }) => content);
      return { reward: last.reward, texts };
    }),
  );
}

function hostileEpisodes(run: string): Promise<{ reward: number; text: string }[]>[] {
  return Array.from({ length: HOSTILE_COUNT }, (_, index) => playHostile(run, index));
}

async function playHostile(
  run: string,
  index: number,
): Promise<{ reward: number; text: string }[]> {
  const task = tasks[index % tasks.length];
  if (!task) throw new Error('no task');
  const { rows } = JSON.parse(
    (
      await client.runSql({
        databaseId: task.databaseId,
        query: "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT 1",
        observation: { textSizeMax: 0 },
      })
    ).message?.content ?? '',
  ) as { rows: string[][] };
  const pack = [...hostilePack(rows[0]?.[0] ?? '', folder), ...RUNAWAY_PACK];
  const mine = pack.filter((_, position) => position % 8 === index % 8);
  const played: { reward: number; text: string }[] = [];
  for (const [position, sql] of mine.entries()) {
    const episodeId = `${run}/${index}/${position}`;
    await client.reset({ episodeId, taskId: task.taskId, limits: HOSTILE_LIMITS });
    const look = await client.step({ episodeId, stepIndex: 0, toolCall: toolCall(sql) });
    const last = await client.step({ episodeId, stepIndex: 1, finalText: fenced(sql) });
    const text = `${look.messages[0]?.content ?? ''} ${last.grade?.errorText ?? ''}`;
    played.push({ reward: last.reward, text });
  }
  return played;
}

function toolCall(query: string): { name: string; argumentsJson: string } {
  return { name: 'run_sql', argumentsJson: JSON.stringify({ query }) };
}

function fenced(sql: string): string {
  return `\`\`\`sql\n${sql}\n\`\`\``;
}

/** Every file below the folder of the databases by its hash: a changed, new or missing one shows. */
function hashFiles(): Record<string, string> {
  const files = readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return [file, createHash('sha256').update(readFileSync(file)).digest('hex')];
    }),
  );
}

function descriptorCount(): number {
  return readdirSync(`/proc/${server.processId}/fd`).length;
}

/** Temporary files of SQLite are deleted as soon as they are open: one that stays open was leaked. */
function deletedFileCount(): number {
  const links = readdirSync(`/proc/${server.processId}/fd`).map((name) => {
    try {
      return readlinkSync(`/proc/${server.processId}/fd/${name}`);
    } catch {
      return '';
    }
  });
  return links.filter((link) => link.endsWith('(deleted)')).length;
}

/** CPU time that the server uses while nobody asks it anything. */
async function cpuSecondsDuring(ms: number): Promise<number> {
  const before = cpuTicks();
  await sleep(ms);
  return (cpuTicks() - before) / 100;
}

function cpuTicks(): number {
  // proc(5): utime and stime are fields 14 and 15, counted after the command's closing bracket.
  const fields =
    readFileSync(`/proc/${server.processId}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return Number(fields[11]) + Number(fields[12]);
}
