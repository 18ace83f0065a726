// A query when the only thread has died and the process can open nothing; a test starts it. Under a limit of 3 nothing more can be
// opened whatever is closed meanwhile: to hold all descriptors that there are left those of the dying thread to its successor.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
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

const limiter = spawn(
  'sh',
  [
    '-c',
    'while read -r count; do prlimit --pid $PPID --nofile="$count": && echo set || echo failed; done',
  ],
  { stdio: ['pipe', 'pipe', 'inherit'] },
);
await limitDescriptors(3);
await executor.killThread(0);
const without = await run('SELECT 1');
const again = await run('SELECT 2');
await limitDescriptors(256);
const after = await run('SELECT 3');
limiter.stdin.end();
await executor.close();
rmSync(folder, { recursive: true });
process.stdout.write(`${JSON.stringify({ without, again, after })}\n`);

async function run(sql) {
  const observation = { textSizeMax: 1_000, truncateSide: 'middle' };
  const request = { databaseId: 'd', sql, limits: DEFAULT_LIMITS, observation };
  const { kind } = await executor.runQuery(request, new AbortController().signal);
  return kind;
}

async function limitDescriptors(count) {
  const answered = once(limiter.stdout, 'data');
  limiter.stdin.write(`${count}\n`);
  const [answer] = await answered;
  if (String(answer).trim() !== 'set') throw new Error('prlimit has not set the limit');
}
