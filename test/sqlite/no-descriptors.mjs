// A query when the only thread has died and the process can open nothing; started by a test under a low `ulimit -n`.
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Database from 'better-sqlite3';
import { DEFAULT_LIMITS } from '../../dist/env/limits.js';
import { createExecutor } from '../../dist/src/sqlite/executor.js';
import { fileFingerprint } from '../../dist/src/sqlite/fingerprint.js';

const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-descriptors-'));
const file = { databaseId: 'd', path: path.join(folder, 'd.sqlite') };
new Database(file.path).exec('CREATE TABLE t (a)').close();
const executor = await createExecutor({
  databases: new Map([['d', { ...file, fingerprint: fileFingerprint(file.path) }]]),
  queueCountMax: 100,
  fastThreadCount: 1,
  slowThreadCountMax: 1,
});

const taken = [];
try {
  for (;;) taken.push(openSync('/dev/null', 'r'));
} catch {
  // None is left.
}
await executor.killThread(0);
const without = await run('SELECT 1');
const again = await run('SELECT 2');
for (const descriptor of taken) closeSync(descriptor);
const after = await run('SELECT 3');
await executor.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify({ without, again, after })}\n`);

async function run(sql) {
  const observation = { textSizeMax: 1_000, truncateSide: 'middle' };
  const request = { databaseId: 'd', sql, limits: DEFAULT_LIMITS, observation };
  const { kind } = await executor.runQuery(request, new AbortController().signal);
  return kind;
}
