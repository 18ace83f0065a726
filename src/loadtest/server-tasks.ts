import type { SqlenvClient } from '../rpc/client.ts';
import type { ScriptTask } from './policies.ts';

const PAGE_SIZE = 1_000;

/** Databases that are looked at side by side. */
const LOOK_COUNT = 16;

/**
 * The tasks of a server with their golds and a table of their databases, in the server's order. Rejects with `CallError`.
 */
export async function readTasks(client: SqlenvClient, split: string): Promise<ScriptTask[]> {
  const found: { taskId: string; databaseId: string; goldSql: string }[] = [];
  let pageToken = '';
  do {
    const page = await client.listTasks({
      pageSize: PAGE_SIZE,
      pageToken,
      split,
      includeGold: true,
    });
    found.push(...page.tasks);
    pageToken = page.nextPageToken;
  } while (pageToken !== '');
  const tables = await firstTables(client, [...new Set(found.map((task) => task.databaseId))]);
  return found.map(({ taskId, databaseId, goldSql }) => ({
    taskId,
    databaseId,
    goldSql,
    tableName: tables.get(databaseId) ?? NO_TABLE,
  }));
}

/** Every database has this one. */
const NO_TABLE = 'sqlite_master';

async function firstTables(
  client: SqlenvClient,
  databaseIds: readonly string[],
): Promise<Map<string, string>> {
  const tables = new Map<string, string>();
  const query = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name LIMIT 1";
  for (let start = 0; start < databaseIds.length; start += LOOK_COUNT) {
    await Promise.all(
      databaseIds.slice(start, start + LOOK_COUNT).map(async (databaseId) => {
        const { message } = await client.runSql({
          databaseId,
          query,
          observation: { textSizeMax: 0 },
        });
        const { rows } = JSON.parse(message?.content ?? '{"rows": []}') as { rows?: string[][] };
        tables.set(databaseId, rows?.[0]?.[0] ?? NO_TABLE);
      }),
    );
  }
  return tables;
}
