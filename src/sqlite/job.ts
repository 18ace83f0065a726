import type { QueryPurpose } from '../episodes/ports.ts';
import { nowUs } from './monotonic-clock.ts';
import type { RunClocks, RunTimes, WorkerMessage, WorkerReply } from './messages.ts';

/** What the executor can make of a job besides a worker's reply. */
export type JobReply =
  WorkerReply | { readonly kind: 'overloaded' } | { readonly kind: 'worker_lost' };

/** How a job is put together for each attempt. */
export interface JobOrder {
  readonly purpose: QueryPurpose;
  /** Equal for jobs that take equally long: the database and the SQL. */
  readonly key: string;
  /** Equal for jobs that get the same reply, byte for byte, if that is one that lasts; undefined shares nothing. */
  readonly shareKey?: string | undefined;
  /**
   * Whether a reply from before counts: the file is known to be the one that was served. Where it isn't, the reply of a job under
   * way still does, since its thread looks at the file after the run.
   */
  readonly keptCounts?: boolean;
  /** The query's own limits; an attempt in the fast lane gets less. */
  readonly clocks: RunClocks;
  build(attempt: Attempt): WorkerMessage;
  /** What is answered for a query that does not stop in time: it is inside one long step of SQLite. */
  timedOut(message: WorkerMessage, timeLimit: 'cpu' | 'wall', times: RunTimes): WorkerReply;
}

/** One try of a job on a thread. */
export interface Attempt {
  readonly queryId: number;
  readonly clocks: RunClocks;
  readonly trial: boolean;
}

/** A job on its way. Times are on the clock of `process.hrtime`. */
export interface Job {
  readonly order: JobOrder;
  readonly arrivedUs: number;
  readonly settle: (reply: JobReply) => void;
  settled: boolean;
  queued: boolean;
  /** Jobs that wait for this one's reply, since they ask the same. */
  followers: Job[] | undefined;
  lane: 'fast' | 'slow';
  /** A thread died under it and others: the next one gets it alone, so that nobody else pays for it. */
  alone: boolean;
  /** CPU time and wall time that earlier attempts ran for, microseconds; waiting is in neither. */
  spentCpuUs: number;
  spentWallUs: number;
  /** What runs now, and since when. */
  running: { readonly message: WorkerMessage; readonly sinceUs: number } | undefined;
}

/** A job that has just arrived, all but its way to settle. */
export function newJob(order: JobOrder, lane: Job['lane']): Omit<Job, 'settle'> {
  return {
    order,
    arrivedUs: nowUs(),
    settled: false,
    queued: false,
    followers: undefined,
    lane,
    alone: false,
    spentCpuUs: 0,
    spentWallUs: 0,
    running: undefined,
  };
}
