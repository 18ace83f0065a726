import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { concurrently } from '../../src/evaluate/concurrently.ts';
import { runSqlenv } from '../support/cli.ts';
import { spawnServer } from '../support/spawn-server.ts';
import { HAS_SPIDER, SPIDER_DIR } from '../support/spider.ts';

const DEV_COUNT = 1_034;

test.skipIf(!HAS_SPIDER)(
  'the golds of Spider dev, played through a server and recorded, come out as recorded',
  { timeout: 600_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-replay-'));
    try {
      const server = await spawnServer([
        ...['--spider', SPIDER_DIR, '--split', 'dev', '--record', folder, '--log-level', 'warn'],
      ]);
      const { client } = server;
      const page = { split: 'dev', pageSize: 1_000, includeGold: true };
      const first = await client.listTasks(page);
      const rest = await client.listTasks({ ...page, pageToken: first.nextPageToken });
      const tasks = [...first.tasks, ...rest.tasks];
      expect(tasks).toHaveLength(DEV_COUNT);
      const rewards = await concurrently(tasks, 16, async ({ taskId, goldSql }) => {
        const episodeId = `gold/${taskId}`;
        await client.reset({ episodeId, taskId });
        const argumentsJson = JSON.stringify({ query: goldSql });
        const toolCall = { name: 'run_sql', argumentsJson };
        await client.step({ episodeId, stepIndex: 0, toolCall });
        const finalText = `\`\`\`sql\n${goldSql}\n\`\`\``;
        return (await client.step({ episodeId, stepIndex: 1, finalText })).reward;
      });
      expect(rewards.filter((reward) => reward === 1)).toHaveLength(DEV_COUNT);
      client.disconnect();
      server.child.kill('SIGTERM');
      expect(await server.exit).toBe(0);

      const { exitCode, stdout } = await runSqlenv(['replay', folder, '--check', '--json']);
      expect(JSON.parse(stdout)).toMatchObject({
        episode_count: DEV_COUNT,
        same_count: DEV_COUNT,
        reward_unchecked_count: 0,
        episodes: [],
      });
      expect(exitCode).toBe(0);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
);
