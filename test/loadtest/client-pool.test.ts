import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ClientPool } from '../../src/loadtest/client-pool.ts';
import { parseShares } from '../../src/loadtest/policies.ts';
import { runLoad, type LoadOptions } from '../../src/loadtest/run-load.ts';
import { readTasks } from '../../src/loadtest/server-tasks.ts';
import { spawnServer, type ServerProcess } from '../support/spawn-server.ts';

let server: ServerProcess;
let options: LoadOptions;

beforeAll(async () => {
  server = await spawnServer(['--demo', '--no-record', '--log-level', 'error']);
  options = {
    address: server.welcome.address,
    transport: 'unary',
    connectionCount: 2,
    clientCount: 2,
    deadlineMs: 30_000,
    loop: { kind: 'closed' },
    score: false,
    runId: 'test',
    warmupCount: 0,
    batchCountMax: 1_000_000,
    measureMsMax: undefined,
    timeLimitMs: 120_000,
    metricsUrl: undefined,
    source: {
      kind: 'scripted',
      plan: {
        seed: 1,
        promptCount: 4,
        rolloutCount: 2,
        tasks: await readTasks(server.client, 'dev'),
        shares: parseShares('', 'gold=1'),
        turns: { kind: 'fixed', count: 2 },
        think: { kind: 'fixed', ms: 20 },
        queryMsMax: 0,
      },
    },
  };
});

afterAll(async () => {
  server.client.disconnect();
  server.child.kill('SIGTERM');
  await server.exit;
});

const NEVER = new AbortController().signal;

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
    return true;
  } catch {
    return false;
  }
}

async function untilDead(processIds: readonly number[]): Promise<void> {
  const deadline = Date.now() + 20_000;
  while (processIds.some(isAlive)) {
    if (Date.now() > deadline) throw new Error(`still alive: ${processIds.filter(isAlive).join()}`);
    await sleep(20);
  }
}

describe('client processes', () => {
  it('one that dies ends the load with what was measured, and takes the others along', async () => {
    let clients: readonly number[] = [];
    let killed = false;
    const outcome = await runLoad(
      { ...options, runId: 'dies' },
      {
        signal: NEVER,
        onClients: (processIds) => (clients = processIds),
        onProgress: (progress) => {
          const [, victim] = clients;
          if (killed || victim === undefined || progress().episodeCount <= 8) return;
          killed = true;
          process.kill(victim, 'SIGKILL');
        },
      },
    );
    expect(outcome.end).toEqual({
      kind: 'client_lost',
      message: 'client process 1 ended by itself (SIGKILL)',
    });
    expect(outcome.tally.endedCount).toBeGreaterThan(8);
    expect(outcome.tally.errorCount).toBe(0);
    await untilDead(clients);
  });

  it('one that hangs is noticed and killed', async () => {
    const news = { onNews: () => undefined };
    const pool = await ClientPool.start({ ...options, runId: 'hangs' }, 2, news, {
      silentMs: 10_000,
    });
    await pool.prepare(0);
    const [first = 0] = pool.processIds;
    process.kill(first, 'SIGSTOP');
    await expect(pool.prepare(1)).rejects.toThrow('client process 0 has said nothing for 10 s');
    await pool.stop();
    await untilDead(pool.processIds);
  });

  it('one that can not do what it is told says why', async () => {
    const { source } = options;
    if (source.kind !== 'scripted') throw new Error('scripted');
    const empty = { ...source, plan: { ...source.plan, tasks: [] } };
    const news = { onNews: () => undefined };
    const pool = await ClientPool.start({ ...options, source: empty }, 1, news);
    await expect(pool.prepare(0)).rejects.toThrow('at least one task');
    await pool.stop();
  });

  it('stopping twice, and stopping while a batch is played, is well', async () => {
    const pool = await ClientPool.start({ ...options, runId: 'twice' }, 2, {
      onNews: () => undefined,
    });
    await pool.prepare(0);
    const playing = pool.play(0).catch((error: unknown) => error);
    const usages = await pool.stop();
    expect(usages).toHaveLength(2);
    await pool.stop();
    pool.kill();
    await playing;
    await untilDead(pool.processIds);
  });
});
