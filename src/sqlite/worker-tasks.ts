import { closeSync, openSync } from 'node:fs';
import { parentPort, threadId } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { EngineInfo } from '../episodes/ports.ts';
import { Connection, sqliteErrorCode } from './connection.ts';
import { fetchRows } from './fetch-keys.ts';
import { gradeAnswer } from './grade-answer.ts';
import { filesOf, gradeSpider, gradeSpiderBatch } from './grade-spider.ts';
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

/** How long a file is trusted before a run after it was looked at, milliseconds; after a batch it is looked at always. */
const FILE_TRUST_MS = 250;

interface OpenDatabase {
  readonly connection: Connection;
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

/** After so long, what is left of a batch goes back: it must not wait behind a slow query, milliseconds. */
const BATCH_MS = 4;

/**
 * Answers messages, one after the other, the first ones at least. Those that get no reply have not been begun. Never throws on
 * purpose: an error would lose its class on its way to the main thread.
 */
export function answer(messages: readonly WorkerMessage[]): WorkerReply[] {
  const replies: WorkerReply[] = [];
  const startedMs = performance.now();
  for (const message of messages) {
    replies.push(answerNext(message));
    if (performance.now() - startedMs > BATCH_MS) break;
  }
  return dropUnproven(messages, replies);
}

/**
 * What ran while its file changed proves nothing: an emptied one has no tables, which reads like a wrong answer. Each file is
 * looked at once for all that ran on it.
 */
function dropUnproven(messages: readonly WorkerMessage[], replies: WorkerReply[]): WorkerReply[] {
  const problems = new Map<string, WorkerReply | undefined>();
  for (const [index, message] of messages.slice(0, replies.length).entries()) {
    if (message.kind === 'grade_spider_batch') {
      const reply = replies[index];
      if (reply?.kind !== 'spider_batch') continue;
      const outcomes = reply.outcomes.map((outcome, item) => {
        const files = message.items[item];
        // Judged on its own, it will be told what is wrong.
        return files && firstProblem(filesOf(files), problems) ? undefined : outcome;
      });
      replies[index] = { ...reply, outcomes };
    } else {
      const files = message.kind === 'grade_spider' ? filesOf(message) : [message.file];
      const problem = firstProblem(files, problems);
      if (problem) replies[index] = problem;
    }
  }
  return replies;
}

function firstProblem(
  files: readonly DatabaseFile[],
  problems: Map<string, WorkerReply | undefined>,
): WorkerReply | undefined {
  for (const file of files) {
    if (!problems.has(file.path)) {
      const problem = fileProblem(file);
      problems.set(file.path, problem);
      if (problem) closeDatabase(file);
    }
    const problem = problems.get(file.path);
    if (problem) return problem;
  }
  return undefined;
}

/** Between queries: a thread that is to end must not be inside better-sqlite3. */
function closeDatabase({ path }: DatabaseFile): void {
  if (!state.begin(guard.queryId())) process.exit(1);
  databases.delete(path);
  if (!state.finish()) process.exit(1);
}

function answerNext(message: WorkerMessage): WorkerReply {
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
  const problem = fileProblem(file);
  if (problem) {
    databases.delete(file.path);
    return problem;
  }
  if (known) {
    known.checkedMs = nowMs;
    return known;
  }
  try {
    const open = { connection: Connection.open(file.path, guard), checkedMs: nowMs };
    databases.set(file.path, open);
    return open;
  } catch (error) {
    const code = sqliteErrorCode(error);
    if (code === undefined) return internal(error);
    if (!canOpenFiles()) return { kind: 'out_of_files' };
    const message = code.startsWith('SQLITE_BUSY')
      ? 'the database is locked by another program'
      : 'the database file cannot be opened';
    return { kind: 'database_broken', message };
  }
}

/** What keeps the file from being the one that was found at the start; undefined if it is. Takes about 4 us. */
function fileProblem(file: DatabaseFile): WorkerReply | undefined {
  let fingerprint: string;
  try {
    fingerprint = fileFingerprint(file.path);
  } catch {
    return { kind: 'database_broken', message: 'the database file is missing' };
  }
  if (fingerprint === file.fingerprint) return undefined;
  return { kind: 'database_broken', message: 'the database file has changed since the start' };
}

/** Without descriptors left nothing can be opened, and no database is to blame. */
function canOpenFiles(): boolean {
  try {
    closeSync(openSync('/dev/null', 'r'));
    return true;
  } catch {
    return false;
  }
}

function internal(error: unknown): { readonly kind: 'internal'; readonly message: string } {
  return {
    kind: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}
