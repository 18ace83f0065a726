import type { Job } from './job.ts';
import { nowUs } from './monotonic-clock.ts';

/** A batch that has run for so long is held up by a long query: another thread may take its place, milliseconds. */
export const HELD_UP_MS = 8;

/** Messages that a thread gets at once. A slow query would hold up those behind it, so each has a slow thread of its own. */
export const BATCH_COUNT_MAX = { fast: 16, slow: 1 } as const;

/** A lane's waiting jobs, first come first served. Jobs that were given up stay until their turn comes, and are skipped. */
export interface Waiting {
  jobs: Job[];
  /** Those that run now, one a thread. */
  readonly batches: Set<Batch>;
}

/** Jobs that a thread has been given. */
export interface Batch {
  readonly sinceUs: number;
  readonly jobCount: number;
}

/** How many batches of a lane may run side by side. */
export interface LaneRoom {
  /** Threads. */
  readonly capacity: number;
  /** As many as there are cores: more of them only take turns, and each warms its own caches. */
  readonly wanted: number;
}

/** How many batches may begin now: threads beyond the cores are for when others are held up by long queries. */
export function freeThreads({ batches }: Waiting, { capacity, wanted }: LaneRoom): number {
  if (batches.size < wanted) return wanted - batches.size;
  const now = nowUs();
  let heldUp = 0;
  for (const { sinceUs } of batches) if (now - sinceUs >= HELD_UP_MS * 1_000) heldUp += 1;
  return Math.min(capacity - batches.size, wanted + heldUp - batches.size);
}

/** Takes the first jobs that still wait for a thread, as many as can travel together. */
export function takeJobs(waiting: Waiting, countMax: number): Job[] {
  const jobs: Job[] = [];
  let taken = 0;
  for (const job of waiting.jobs) {
    if (jobs.length >= countMax) break;
    if (job.alone && jobs.length > 0) break;
    taken += 1;
    if (job.settled) continue;
    jobs.push(job);
    if (job.alone) break;
  }
  waiting.jobs.splice(0, taken);
  return jobs;
}
