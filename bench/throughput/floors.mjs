// What nothing can be cheaper than: the same queries without threads, without a wire; threads alone; gRPC alone.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { Client, credentials } from '@grpc/grpc-js';
import Database from 'better-sqlite3';
import { Piscina } from 'piscina';
import { DEFAULT_LIMITS } from '../../dist/env/limits.js';
import { Connection } from '../../dist/src/sqlite/connection.js';
import { loadGuard } from '../../dist/src/sqlite/native-guard.js';
import { runQuery } from '../../dist/src/sqlite/run-query.js';
import { cpuMsOf, ownCpuUs } from './cpu.mjs';

const MEASURE_MS = 600;

/** How long the floor is measured beside each round of a server, milliseconds. */
const BESIDE_MS = 150;

/** The tasks' queries in this process with plain better-sqlite3: prepare, columns, rows, `JSON.stringify`. */
export class PlainQueries {
  #databases = new Map();
  #tasks;

  constructor(tasks) {
    this.#tasks = tasks;
    for (let round = 0; round < 5; round += 1) this.#runAll();
  }

  /** Microseconds of CPU a query. */
  measure(ms = BESIDE_MS) {
    return measureUs(ms, this.#tasks.length, () => this.#runAll());
  }

  close() {
    for (const database of this.#databases.values()) database.close();
  }

  #runAll() {
    for (const { file, goldSql } of this.#tasks) {
      let database = this.#databases.get(file);
      if (database === undefined) {
        database = new Database(file, { readonly: true });
        this.#databases.set(file, database);
      }
      const statement = database.prepare(goldSql);
      const columns = statement.columns().map(({ name }) => name);
      JSON.stringify({ columns, rows: statement.raw(true).all() });
    }
  }
}

/** CPU of a query of {@link PlainQueries}. Microseconds. */
export async function plainQueryUs(tasks) {
  const plain = new PlainQueries(tasks);
  const us = await plain.measure(MEASURE_MS);
  plain.close();
  return us;
}

/** The same with the guard, the limits and the bytes that the model reads. */
export async function guardedQueryUs(tasks) {
  const guard = loadGuard();
  const empty = Connection.openEmpty(guard);
  const connections = new Map();
  const run = ({ file, goldSql }) => {
    let connection = connections.get(file);
    if (connection === undefined) {
      connection = Connection.open(file, guard);
      connections.set(file, connection);
    }
    return runQuery(guard, connection, {
      kind: 'run_query',
      sql: goldSql,
      limits: DEFAULT_LIMITS,
      observation: { textSizeMax: 256, truncateSide: 'middle' },
      queryId: guard.queryId(),
      clocks: { cpuMs: 2_000, wallMs: 10_000 },
      trial: false,
    });
  };
  const us = await repeated(tasks, run);
  for (const connection of connections.values()) connection.close();
  empty.close();
  return us;
}

async function repeated(tasks, run) {
  for (let round = 0; round < 5; round += 1) tasks.forEach(run);
  return await measureUs(MEASURE_MS, tasks.length, () => tasks.forEach(run));
}

async function measureUs(ms, unitCount, work) {
  return await ownCpuUs(() => {
    const end = performance.now() + ms;
    let count = 0;
    while (performance.now() < end) {
      work();
      count += unitCount;
    }
    return count;
  });
}

/** CPU of an empty task of piscina, threads included, when a thread gets so many at once. Microseconds a task. */
export async function piscinaTaskUs(batchCount) {
  const filename = fileURLToPath(new URL('empty-task.mjs', import.meta.url));
  const pool = new Piscina({ filename, minThreads: 4, maxThreads: 4, recordTiming: false });
  const task = { sql: 'SELECT count(*) FROM singer', limits: DEFAULT_LIMITS };
  const batch = Array.from({ length: batchCount }, () => task);
  const lane = async (until) => {
    let count = 0;
    while (performance.now() < until) {
      await pool.run(batch);
      count += batchCount;
    }
    return count;
  };
  const lanes = async (ms) => {
    const until = performance.now() + ms;
    const counts = await Promise.all([lane(until), lane(until), lane(until), lane(until)]);
    return counts.reduce((sum, count) => sum + count, 0);
  };
  await lanes(200);
  const us = await ownCpuUs(() => lanes(MEASURE_MS));
  await pool.destroy();
  return us;
}

/** CPU of a gRPC server that echoes bytes, a call: unary, and as messages on one stream. Microseconds. */
export async function echoUs(kind) {
  const server = fork(fileURLToPath(new URL('echo-server.mjs', import.meta.url)));
  const [port] = await once(server, 'message');
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure());
  const message = Buffer.alloc(300, 0x61);
  const same = (bytes) => bytes;
  const unary = () =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest('/echo/Unary', same, same, message, (error, answer) =>
        error ? reject(error) : resolve(answer),
      );
    });
  const stream = client.makeBidiStreamRequest('/echo/Stream', same, same);
  const waiting = [];
  stream.on('data', () => waiting.shift()?.());
  // The server goes while it is open: that is its end.
  stream.on('error', () => undefined);
  const streamed = () =>
    new Promise((resolve) => {
      waiting.push(resolve);
      stream.write(message);
    });
  const call = kind === 'unary' ? unary : streamed;
  const play = async (count) => {
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        for (let index = 0; index < count; index += 1) await call();
      }),
    );
  };
  await play(40);
  const before = cpuMsOf(server.pid);
  await play(100);
  const us = ((cpuMsOf(server.pid) - before) * 1_000) / (64 * 100);
  stream.end();
  client.close();
  server.disconnect();
  await once(server, 'exit');
  return us;
}
