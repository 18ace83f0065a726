import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { createExecutor, type SqliteExecutor } from '../../src/sqlite/executor.ts';
import { databasesOf, NEVER, WHOLE } from '../support/executor.ts';
import { HAS_SPIDER, SPIDER_DIR } from '../support/spider.ts';
import { compareTexts } from './compare-texts.ts';

interface Gold {
  readonly databaseId: string;
  readonly sql: string;
}

/** Golds of the release that do not run, with databases that are there: a fact of Spider, measured with Python too. */
const BROKEN_GOLD_COUNT = { dev: 0, train: 3 };

const root = fileURLToPath(new URL('../..', import.meta.url));

describe.skipIf(!HAS_SPIDER)('the untruncated observation of every Spider gold', () => {
  let executor: SqliteExecutor;
  const golds = { dev: readGolds('dev.json'), train: readGolds('train_spider.json') };

  beforeAll(async () => {
    const paths = Object.fromEntries(
      [...golds.dev, ...golds.train].map(({ databaseId }) => [
        databaseId,
        databasePath(databaseId),
      ]),
    );
    executor = await createExecutor({ databases: databasesOf(paths), queueCountMax: 10_000 });
  });

  afterAll(() => executor.close());

  it.each(['dev', 'train'] as const)(
    'equals what Python says, byte for byte: %s',
    async (split) => {
      const [{ version, texts }, observations] = await Promise.all([
        askPython(golds[split]),
        askExecutor(golds[split]),
      ]);
      const counts = { same: 0, float: 0, tie: 0, different: 0, broken: 0 };
      const unexplained: unknown[] = [];
      golds[split].forEach((gold, index) => {
        const ours = observations[index] ?? '';
        const theirs = texts[index] ?? '';
        const verdict = compareTexts(ours, theirs);
        // Newer versions sum floats with compensation, so only aggregates may differ, and only between versions.
        const explained =
          verdict === 'same' ||
          (verdict !== 'different' &&
            version !== executor.engine.sqliteVersion &&
            /\b(?:avg|sum|total)\s*\(/i.test(gold.sql));
        counts[verdict] += 1;
        if (ours.startsWith('{"error"')) counts.broken += 1;
        if (!explained)
          unexplained.push({ ...gold, ours: ours.slice(0, 300), theirs: theirs.slice(0, 300) });
      });
      process.stderr.write(
        `parity ${split}: ${JSON.stringify(counts)} (Python ${version}, ours ${executor.engine.sqliteVersion})\n`,
      );
      expect(unexplained).toEqual([]);
      expect(counts.broken).toBe(BROKEN_GOLD_COUNT[split]);
      expect(counts.same + counts.float + counts.tie).toBe(golds[split].length);
    },
    180_000,
  );

  async function askExecutor(list: readonly Gold[]): Promise<string[]> {
    return await Promise.all(
      list.map(async ({ databaseId, sql }) => {
        const reply = await executor.runQuery(
          {
            databaseId,
            sql,
            limits: { ...DEFAULT_LIMITS, queryWallMsMax: 60_000 },
            observation: WHOLE,
          },
          NEVER,
        );
        return reply.kind === 'ran' ? reply.text : JSON.stringify(reply);
      }),
    );
  }
});

/** Rows whose database is on disk; the release here lacks a few large ones. */
function readGolds(file: string): Gold[] {
  if (!HAS_SPIDER) return [];
  const rows = JSON.parse(readFileSync(path.join(SPIDER_DIR, file), 'utf8')) as {
    db_id: string;
    query: string;
  }[];
  return rows
    .map((row) => ({ databaseId: row.db_id, sql: row.query }))
    .filter(({ databaseId }) => existsSync(databasePath(databaseId)));
}

function databasePath(databaseId: string): string {
  return path.join(SPIDER_DIR, 'database', databaseId, `${databaseId}.sqlite`);
}

async function askPython(list: readonly Gold[]): Promise<{ version: string; texts: string[] }> {
  const python = spawn(process.env['SQLENV_PYTHON'] ?? 'python3', ['test/parity/reference.py'], {
    cwd: root,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(python, 'exit');
  const lines = createInterface({ input: python.stdout });
  python.stdin.end(
    list
      .map(({ databaseId, sql }) => `${JSON.stringify({ path: databasePath(databaseId), sql })}\n`)
      .join(''),
  );
  const texts: string[] = [];
  for await (const line of lines) texts.push(JSON.parse(line) as string);
  expect((await exited)[0]).toBe(0);
  const [version = '', ...rest] = texts;
  return { version, texts: rest };
}
