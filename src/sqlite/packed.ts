import type { ObservationOptions, QueryStatus, TimeLimit } from '../../env/query.ts';
import type { QueryLimits } from '../../env/limits.ts';
import type { DatabaseFile, WorkerMessage, WorkerReply } from './messages.ts';

type RunQueryMessage = Extract<WorkerMessage, { kind: 'run_query' }>;
type RanReply = Extract<WorkerReply, { kind: 'ran' }>;

/**
 * Nearly all that goes between threads is a query and its reply. As lists they are copied in half the time that objects take, whose
 * every field travels by its name.
 */
type PackedQuery = readonly [
  queryId: number,
  file: DatabaseFile,
  cpuMs: number,
  wallMs: number,
  trial: boolean,
  sql: string,
  limits: QueryLimits,
  observation: ObservationOptions,
];

/** Without the SQL, which the main thread has. */
type PackedRan = readonly [
  text: string,
  lasting: boolean,
  startedUs: number,
  cpuUs: number,
  wallUs: number,
  status: QueryStatus,
  rowCount: number,
  capped: boolean,
  textTruncated: boolean,
  textSize: number,
  timeLimit: TimeLimit,
];

/** A message on its way to a thread. */
export type PackedMessage = PackedQuery | Exclude<WorkerMessage, RunQueryMessage>;

/** A reply on its way back. */
export type PackedReply = PackedRan | Exclude<WorkerReply, RanReply>;

export function packMessage(message: WorkerMessage): PackedMessage {
  if (message.kind !== 'run_query') return message;
  const { queryId, file, clocks, trial, sql, limits, observation } = message;
  return [queryId, file, clocks.cpuMs, clocks.wallMs, trial, sql, limits, observation];
}

export function unpackMessage(packed: PackedMessage): WorkerMessage {
  if (!isList(packed)) return packed;
  const [queryId, file, cpuMs, wallMs, trial, sql, limits, observation] = packed;
  const clocks = { cpuMs, wallMs };
  return { kind: 'run_query', queryId, file, clocks, trial, sql, limits, observation };
}

export function packReply(reply: WorkerReply): PackedReply {
  if (reply.kind !== 'ran') return reply;
  const { text, lasting, times, query } = reply;
  const { status, rowCount, capped, textTruncated, textSize, timeLimit } = query;
  return [
    text,
    lasting,
    times.startedUs,
    times.cpuUs,
    times.wallUs,
    status,
    rowCount,
    capped,
    textTruncated,
    textSize,
    timeLimit,
  ];
}

/** `message`: what it is the reply to. */
export function unpackReply(packed: PackedReply, message: WorkerMessage | undefined): WorkerReply {
  if (!isList(packed)) return packed;
  const [text, lasting, startedUs, cpuUs, wallUs] = packed;
  const query = {
    status: packed[5],
    sql: message?.kind === 'run_query' ? message.sql : '',
    rowCount: packed[6],
    capped: packed[7],
    textTruncated: packed[8],
    textSize: packed[9],
    queryCpuUs: cpuUs,
    queryUs: wallUs,
    queueUs: 0,
    timeLimit: packed[10],
  };
  return { kind: 'ran', text, query, lasting, times: { startedUs, cpuUs, wallUs } };
}

function isList<List extends readonly unknown[], Other>(value: List | Other): value is List {
  return Array.isArray(value);
}
