import { setTimeout as sleep } from 'node:timers/promises';
import type { StepOutcome } from '../../env/episode.ts';
import type { EngineInfo } from '../episodes/ports.ts';
import type {
  ResetRequest,
  ResetResult,
  RunSqlRequest,
  RunSqlResult,
  ScoreRequest,
  ScoreResult,
  StepRequest,
} from '../episodes/requests.ts';
import { CallError, connectClient, type SqlenvClient } from '../rpc/client.ts';
import {
  decodeResetResponse,
  decodeRunSqlResponse,
  decodeScoreResponse,
  decodeStepResponse,
} from '../rpc/decode-responses.ts';
import {
  encodeResetRequest,
  encodeRunSqlRequest,
  encodeScoreRequest,
  encodeStepRequest,
} from '../rpc/encode-requests.ts';
import type { GoldFound, ReplayEnvironment, ReplaySource } from './ports.ts';

/** Golds and queries under the longest limits are waited for. */
const DEADLINE_MS = 300_000;

/** Pauses before a call is tried again that the load or a lost thread has failed, milliseconds. */
const PAUSES_MS = [200, 1_000, 3_000];

const PASSING_REASONS = ['OVERLOADED', 'WORKER_LOST'];

/** Connects to a running server, where all episodes are played. Rejects with `CallError` if it isn't there. */
export async function connectServer(address: string): Promise<ReplaySource> {
  const client = connectClient(address, DEADLINE_MS);
  try {
    const info = await client.getInfo({}, { deadlineMs: 10_000 });
    const engine = { sqliteVersion: info.sqliteVersion, engineSha256: info.engineSha256 };
    const environment = new ServerEnvironment(client, {
      engine,
      serverVersion: info.version,
      catalogSha256: info.catalogSha256,
    });
    return {
      engine,
      serverVersion: info.version,
      catalogSha256: info.catalogSha256,
      warnings: [],
      environmentOf: () => Promise.resolve(environment),
      findGold: ({ task_id: taskId, gold_sha256: hash }) => environment.findGold(taskId, hash),
      stop: () => {
        client.disconnect();
        return Promise.resolve();
      },
    };
  } catch (error) {
    client.disconnect();
    throw error;
  }
}

/** What a server says of itself. */
type ServerFacts = Pick<ReplayEnvironment, 'engine' | 'serverVersion'> & {
  readonly catalogSha256: string;
};

/** {@link ReplayEnvironment} over the wire. Episodes that it opens are recorded by the server as any others. */
class ServerEnvironment implements ReplayEnvironment {
  readonly engine: EngineInfo;
  readonly serverVersion: string;
  readonly catalogSha256: string;
  readonly #client: SqlenvClient;

  constructor(client: SqlenvClient, { engine, serverVersion, catalogSha256 }: ServerFacts) {
    this.engine = engine;
    this.serverVersion = serverVersion;
    this.catalogSha256 = catalogSha256;
    this.#client = client;
  }

  async reset(request: ResetRequest, signal: AbortSignal): Promise<ResetResult> {
    const wire = encodeResetRequest(request);
    return decodeResetResponse(await retried(signal, () => this.#client.reset(wire, { signal })));
  }

  async step(request: StepRequest, signal: AbortSignal): Promise<StepOutcome> {
    const wire = encodeStepRequest(request);
    return decodeStepResponse(await retried(signal, () => this.#client.step(wire, { signal })));
  }

  async closeEpisode(episodeId: string): Promise<void> {
    await this.#client.close({ episodeId });
  }

  async score(request: ScoreRequest, signal: AbortSignal): Promise<ScoreResult> {
    const wire = encodeScoreRequest(request);
    return decodeScoreResponse(await retried(signal, () => this.#client.score(wire, { signal })));
  }

  async runSql(request: RunSqlRequest, signal: AbortSignal): Promise<RunSqlResult> {
    const wire = encodeRunSqlRequest(request);
    return decodeRunSqlResponse(await retried(signal, () => this.#client.runSql(wire, { signal })));
  }

  async findGold(taskId: string, goldSha256: string): Promise<GoldFound> {
    try {
      // There is no call for a gold; the score of any answer comes with it.
      const wire = { taskId, sql: 'SELECT 1', includeGold: true, goldSha256 };
      const { goldSql } = await this.#client.score(wire);
      return { kind: 'found', goldSql };
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (error.reason === 'TASK_MISMATCH') return { kind: 'changed' };
      if (error.reason !== 'TASK_NOT_FOUND') throw error;
      return { kind: 'unknown', reason: `the server has no task ${taskId}` };
    }
  }
}

/** Repeats of a call get the response of the first one, or run nothing twice that counts. */
async function retried<Value>(signal: AbortSignal, call: () => Promise<Value>): Promise<Value> {
  for (const pauseMs of PAUSES_MS) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CallError) || !PASSING_REASONS.includes(error.reason)) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
  return await call();
}
