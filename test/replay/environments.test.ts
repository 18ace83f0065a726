import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startServer, type RunningServer } from '../../src/rpc/server.ts';
import { CallError } from '../../src/rpc/client.ts';
import { connectServer } from '../../src/replay/server-environment.ts';
import type { ReplayEnvironment, ReplaySource } from '../../src/replay/ports.ts';
import { createReplayer } from '../../src/replay/replayer.ts';
import { resetRequestOf, scoreRequestOf } from '../../src/replay/recorded-requests.ts';
import type { ResetRequest } from '../../src/episodes/requests.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import { NEVER } from '../support/executor.ts';
import { recordingLog } from '../support/log.ts';
import { answer, call, createReplayBed, written, type ReplayBed } from '../support/replay-bed.ts';

const GOLD = 'SELECT name FROM singer WHERE age = 30 ORDER BY name';

let bed: ReplayBed;
let server: RunningServer;
let served: ReplaySource;
let local: ReplaySource;
let trajectory: Trajectory;
let environments: readonly ReplayEnvironment[];

beforeAll(async () => {
  bed = await createReplayBed([GOLD]);
  server = await startServer({
    service: bed.service,
    host: '127.0.0.1',
    port: 0,
    log: recordingLog(),
    selfTest: async () => {},
  });
  served = await connectServer(`127.0.0.1:${server.port}`);
  local = await bed.source();
  trajectory = await bed.play(
    [
      written('SELECT * FROM singer'),
      call('SELECT nothing FROM singer'),
      { kind: 'tool_call', name: 'other', argumentsJson: '{"a": "\u00e9\ud83d\ude00"}' },
      written('DROP TABLE singer'),
      answer(GOLD),
    ],
    { observation: { textSizeMax: 30, truncateSide: 'left' }, onMalformed: 'observe' },
  );
  environments = await Promise.all(
    [local, served].map((source) => source.environmentOf(trajectory)),
  );
});

afterAll(async () => {
  await served.stop();
  await server.drain({ drainMs: 0, quietMs: 0 });
  await bed.close();
});

/** Times are measured anew each time. */
function withoutTimes(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, inner: unknown) => (key.endsWith('Us') ? 0 : inner)),
  );
}

/** The same call to both, with the times left out. */
async function both<Value>(
  make: (environment: ReplayEnvironment) => Promise<Value>,
): Promise<readonly [unknown, unknown]> {
  const [here, there] = await Promise.all(environments.map(make));
  return [withoutTimes(here), withoutTimes(there)];
}

describe('this process and a server give the same', () => {
  test.each([
    ['of the record', {}],
    ['with everything left to the defaults', { limits: {}, observation: {}, score: {} }],
    ['that observes whole texts', { observation: { textSizeMax: 0 } }],
  ] as const)('for an episode %s', async (name, changes) => {
    const reset = (episodeId: string): ResetRequest => ({
      ...resetRequestOf(trajectory, episodeId, GOLD),
      ...changes,
    });
    const id = `both/${name}`;
    const [here, there] = await both((environment) => environment.reset(reset(id), NEVER));
    expect(there).toEqual(here);
    for (const [stepIndex, action] of [
      written('SELECT * FROM singer'),
      call('SELECT 1.5, NULL, x\'00\', "Ann"'),
      { kind: 'tool_call', name: '', argumentsJson: '' } as const,
      { kind: 'assistant_text', text: '<tool_call>{"name": 1}</tool_call>' } as const,
      answer(`${GOLD} DESC`),
    ].entries()) {
      const request = { episodeId: id, stepIndex, action, completionTokenCount: 7 };
      const [mine, theirs] = await both((environment) => environment.step(request, NEVER));
      expect(theirs).toEqual(mine);
    }
  });

  test.each(['bag@1', 'set@1', 'rows@1'] as const)('for a score under %s', async (mode) => {
    for (const sql of [GOLD, 'SELECT 1', 'SELECT nothing', '', 'PRAGMA user_version']) {
      const request = scoreRequestOf(trajectory, GOLD, sql, mode);
      const [here, there] = await both((environment) => environment.score(request, NEVER));
      expect(there).toEqual(here);
    }
  });

  test.each([
    { kind: 'query', sql: 'SELECT * FROM singer' },
    { kind: 'query', sql: 'SELECT' },
    { kind: 'arguments', argumentsJson: '{"query": "SELECT 1"}' },
    { kind: 'arguments', argumentsJson: '[]' },
  ] as const)('for a query: %j', async (input) => {
    const request = { databaseId: 'db', input, observation: { textSizeMax: 0 }, limits: {} };
    const [here, there] = await both((environment) => environment.runSql(request, NEVER));
    expect(there).toEqual(here);
  });

  test('for a gold that is known, changed or unknown', async () => {
    const known = await both((each) => each.findGold('t/0', trajectory.gold_sha256));
    expect(known).toEqual([
      { kind: 'found', goldSql: GOLD },
      { kind: 'found', goldSql: GOLD },
    ]);
    const changed = await both((each) => each.findGold('t/0', 'a'.repeat(64)));
    expect(changed).toEqual([{ kind: 'changed' }, { kind: 'changed' }]);
    const unknown = await both((each) => each.findGold('t/9', trajectory.gold_sha256));
    expect(unknown).toMatchObject([{ kind: 'unknown' }, { kind: 'unknown' }]);
  });
});

test('an episode that is checked on the server is the same', async () => {
  const replayer = createReplayer(served);
  expect(await replayer.check(trajectory, NEVER)).toEqual({ kind: 'same' });
  const fork = await replayer.fork(trajectory, 1, NEVER);
  const outcome = await fork.answer(GOLD, NEVER);
  expect(outcome.reward).toBe(1);
  expect(fork.trajectory.catalog_sha256).toBe(trajectory.catalog_sha256);
});

test('a database that the server does not have makes an episode unplayable', async () => {
  const found = await createReplayer(served).check({ ...trajectory, database_id: 'none' }, NEVER);
  expect(found).toEqual({
    kind: 'unplayable',
    reason: expect.stringContaining('there is no database none') as string,
  });
});

test('a server that is not there is an error with its address', async () => {
  await expect(connectServer('127.0.0.1:1')).rejects.toBeInstanceOf(CallError);
});
