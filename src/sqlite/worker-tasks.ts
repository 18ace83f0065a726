import { parentPort, threadId } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { EngineInfo } from '../episodes/ports.ts';
import { Connection, sqliteErrorCode } from './connection.ts';
import { fetchRows } from './fetch-keys.ts';
import { gradeAnswer } from './grade-answer.ts';
import { gradeSpider, gradeSpiderBatch } from './grade-spider.ts';
import { fileFingerprint } from './fingerprint.ts';
import { sha256 } from './hash.ts';
import type {
  DatabaseFile,
  EngineReply,
  LoadedMessage,
  WorkerMessage,
  WorkerReply,
} from './messages.ts';
import { loadGuard } from './native-guard.ts';
import { readSchema } from './read-schema.ts';
import { runQuery } from './run-query.ts';
import { summarizeGold } from './summarize-gold.ts';
import { ThreadState } from './thread-state.ts';

/** How long a file is trusted after it was looked at, milliseconds. */
const FILE_TRUST_MS = 250;

interface OpenDatabase {
  readonly connection: Connection;
  readonly fingerprint: string;
  checkedMs: number;
}

// As arguments: piscina's own `workerData` would have every thread load all of piscina.
const [, connectionCountMax] = process.argv.slice(2);
const guard = loadGuard();
// Opened first, and kept: the guard's file layer is in place before any database is opened on this thread.
const empty = Connection.openEmpty(guard);

const databases = new LRUCache<string, OpenDatabase>({
  max: Number(connectionCountMax),
  dispose: (open) => open.connection.close(),
});

const state = new ThreadState();
const loaded: LoadedMessage = { loadedThreadId: threadId, state: state.memory };
parentPort?.postMessage(loaded);

type SpiderBatchMessage = Extract<WorkerMessage, { kind: 'grade_spider_batch' }>;
/** All other messages are about one database. */
type SingleMessage = Exclude<WorkerMessage, SpiderBatchMessage>;

/** Answers one message. Never throws on purpose: an error would lose its class on its way to the main thread. */
export function answer(message: WorkerMessage): WorkerReply {
  if (!state.begin(message.queryId)) process.exit(1);
  const reply = answerSafely(message);
  if (!state.finish()) process.exit(1);
  return reply;
}

function answerSafely(message: WorkerMessage): WorkerReply {
  return message.kind === 'grade_spider_batch' ? answerBatch(message) : answerOne(message);
}

function answerBatch(message: SpiderBatchMessage): WorkerReply {
  try {
    return gradeSpiderBatch(guard, openConnection, message);
  } catch (error) {
    return internal(error);
  }
}

function answerOne(message: SingleMessage): WorkerReply {
  try {
    const open = openDatabase(message.file);
    if ('kind' in open) return open;
    const reply = dispatch(open.connection, message);
    if (reply.kind === 'database_broken' || reply.kind === 'internal')
      databases.delete(message.file.path);
    return reply;
  } catch (error) {
    databases.delete(message.file.path);
    return internal(error);
  }
}

/** Tells which SQLite this is. */
export function describeEngine(): EngineReply {
  try {
    const [row] = fetchRows(empty, 'SELECT sqlite_version()', 1);
    const sqliteVersion = typeof row?.[0] === 'string' ? row[0] : '';
    const engine: EngineInfo = {
      sqliteVersion,
      engineSha256: sha256([sqliteVersion, ...Connection.compileOptions()].join('\n')),
    };
    return { kind: 'engine', engine };
  } catch (error) {
    return internal(error);
  }
}

function dispatch(connection: Connection, message: SingleMessage): WorkerReply {
  switch (message.kind) {
    case 'run_query':
      return runQuery(guard, connection, message);
    case 'grade_answer':
      return gradeAnswer(guard, connection, message);
    case 'summarize_gold':
      return summarizeGold(guard, connection, message);
    case 'read_schema':
      return readSchema(guard, connection, message);
    case 'grade_spider':
      return gradeSpider(guard, openConnection, message);
  }
}

function openConnection(file: DatabaseFile): Connection | WorkerReply {
  const open = openDatabase(file);
  return 'kind' in open ? open : open.connection;
}

function openDatabase(file: DatabaseFile): OpenDatabase | WorkerReply {
  const nowMs = performance.now();
  const known = databases.get(file.path);
  if (known && nowMs - known.checkedMs < FILE_TRUST_MS) return known;
  let fingerprint: string;
  try {
    fingerprint = fileFingerprint(file.path);
  } catch {
    databases.delete(file.path);
    return { kind: 'database_broken', message: 'the database file is missing' };
  }
  if (fingerprint !== file.fingerprint) {
    databases.delete(file.path);
    return { kind: 'database_broken', message: 'the database file has changed since the start' };
  }
  if (known) {
    known.checkedMs = nowMs;
    return known;
  }
  try {
    const open = { connection: Connection.open(file.path, guard), fingerprint, checkedMs: nowMs };
    databases.set(file.path, open);
    return open;
  } catch (error) {
    const code = sqliteErrorCode(error);
    if (code === undefined) return internal(error);
    const message = code.startsWith('SQLITE_BUSY')
      ? 'the database is locked by another program'
      : 'the database file cannot be opened';
    return { kind: 'database_broken', message };
  }
}

function internal(error: unknown): { readonly kind: 'internal'; readonly message: string } {
  return {
    kind: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
