import { setTimeout as sleep } from 'node:timers/promises';
import type { TimeLimit } from '../../env/query.ts';
import type { Attempt, Job, JobOrder, JobReply } from './job.ts';
import type { Lane } from './lane.ts';
import type { RunClocks, RunTimes, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';
import { LRUCache } from 'lru-cache';

/**
 * What a query may take in the fast lane before it counts as slow. On Spider's dev set the slowest gold takes 3.3 ms of CPU
 * time, so honest queries stay; a runaway costs the lane this much and no more.
 */
export const TRIAL_CLOCKS = { cpuMs: 20, wallMs: 250 } as const;

/** How long the guard may be trying to stop a query before it is answered without waiting for its thread, milliseconds. */
const OVERDUE_MS = 25;

/** How often running queries are looked at for that, milliseconds. */
const LOOK_MS = 20;

/** How long closing waits for threads to leave SQLite, milliseconds. */
const CLOSE_MS = 5_000;

/** Queries that are known to be slow, by key: they go to the slow lane at once. */
const SLOW_KEY_COUNT_MAX = 4_096;

/** A lane's waiting jobs, first come first served. Jobs that were given up stay until their turn comes, and are skipped. */
interface Waiting {
  jobs: Job[];
  running: number;
}

/**
 * Two lanes. Every query starts in the fast one, under short clocks. One that outlasts them is stopped and started anew in the
 * slow lane, whose threads run at the lowest priority: so honest queries find a thread whatever the slow ones do. What the
 * trial used counts towards the query's limits.
 */
export class Scheduler {
  readonly #lanes: { readonly fast: Lane; readonly slow: Lane };
  readonly #waiting = {
    fast: { jobs: [], running: 0 } as Waiting,
    slow: { jobs: [], running: 0 } as Waiting,
  };
  readonly #guard: NativeGuard;
  readonly #queueCountMax: number;
  readonly #slowKeys = new LRUCache<string, true>({ max: SLOW_KEY_COUNT_MAX });
  readonly #running = new Set<Job>();
  #queuedCount = 0;
  #lostCount = 0;
  #closed = false;
  #look: NodeJS.Timeout | undefined;

  constructor(guard: NativeGuard, lanes: { fast: Lane; slow: Lane }, queueCountMax: number) {
    this.#guard = guard;
    this.#lanes = lanes;
    this.#queueCountMax = queueCountMax;
  }

  /** Runs a job. Resolves as soon as the signal fires or the job's own limits are over, whatever its thread does. */
  run(order: JobOrder, signal: AbortSignal): Promise<JobReply> {
    if (signal.aborted || this.#closed) return Promise.resolve({ kind: 'cancelled' });
    if (this.#queuedCount >= this.#queueCountMax) return Promise.resolve({ kind: 'overloaded' });
    return new Promise((resolve) => {
      const cancel = () => this.#cancel(job);
      const job: Job = {
        order,
        arrivedUs: nowUs(),
        settled: false,
        queued: false,
        lane: this.#slowKeys.has(order.key) ? 'slow' : 'fast',
        spentCpuUs: 0,
        spentWallUs: 0,
        running: undefined,
        settle: (reply) => {
          if (job.settled) return;
          job.settled = true;
          if (job.queued) {
            job.queued = false;
            this.#queuedCount -= 1;
          }
          signal.removeEventListener('abort', cancel);
          resolve(reply);
        },
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#enqueue(job);
      this.#pump(job.lane);
    });
  }

  get queuedCount(): number {
    return this.#queuedCount;
  }

  get runningCount(): number {
    return this.#running.size;
  }

  get slowCount(): number {
    return this.#waiting.slow.running;
  }

  get lostCount(): number {
    return this.#lostCount;
  }

  /** For how long the oldest running query has been running, milliseconds. */
  get oldestMs(): number {
    let oldest = 0;
    const now = nowUs();
    for (const job of this.#running) oldest = Math.max(oldest, now - (job.running?.sinceUs ?? now));
    return oldest / 1_000;
  }

  /** Stops everything that waits or runs, for good, and waits for the threads to be idle; for a stuck one not forever. */
  async cancelAll(): Promise<void> {
    this.#closed = true; // piscina would start a thread for what comes after its end
    for (const lane of [this.#waiting.fast, this.#waiting.slow]) {
      for (const job of lane.jobs) job.settle({ kind: 'cancelled' });
      lane.jobs = [];
    }
    for (const job of this.#running) this.#cancel(job);
    const giveUpMs = performance.now() + CLOSE_MS;
    while (this.#running.size > 0 && performance.now() < giveUpMs) await sleep(1);
    clearInterval(this.#look);
  }

  #enqueue(job: Job): void {
    job.queued = true;
    this.#queuedCount += 1;
    this.#waiting[job.lane].jobs.push(job);
  }

  #pump(name: 'fast' | 'slow'): void {
    const waiting = this.#waiting[name];
    while (waiting.running < this.#lanes[name].capacity) {
      const job = waiting.jobs.shift();
      if (!job) return;
      if (job.settled) continue;
      job.queued = false;
      this.#queuedCount -= 1;
      void this.#start(job, waiting);
    }
  }

  async #start(job: Job, waiting: Waiting): Promise<void> {
    const attempt = this.#attempt(job);
    const message = job.order.build(attempt);
    waiting.running += 1;
    job.running = { message, sinceUs: nowUs() };
    this.#running.add(job);
    this.#look ??= setInterval(() => this.#lookAtRunning(), LOOK_MS).unref();
    let reply: JobReply;
    try {
      reply = await this.#lanes[job.lane].run(message);
    } catch {
      this.#lostCount += 1;
      reply = { kind: 'worker_lost' };
    }
    this.#guard.forget(attempt.queryId);
    waiting.running -= 1;
    job.running = undefined;
    this.#running.delete(job);
    this.#finish(job, reply);
    this.#pump('fast');
    this.#pump('slow');
    if (this.#running.size === 0) {
      clearInterval(this.#look);
      this.#look = undefined;
    }
  }

  #attempt(job: Job): Attempt {
    const { clocks } = job.order;
    const queryId = this.#guard.queryId();
    const trial = job.lane === 'fast' && clocks.cpuMs > TRIAL_CLOCKS.cpuMs;
    if (trial) {
      return {
        queryId,
        trial,
        clocks: { cpuMs: TRIAL_CLOCKS.cpuMs, wallMs: Math.min(TRIAL_CLOCKS.wallMs, clocks.wallMs) },
      };
    }
    return {
      queryId,
      trial,
      clocks: {
        cpuMs: Math.max(1, clocks.cpuMs - job.spentCpuUs / 1_000),
        wallMs: Math.max(1, clocks.wallMs - job.spentWallUs / 1_000),
      },
    };
  }

  #finish(job: Job, reply: JobReply): void {
    if (reply.kind === 'slow') this.#slowKeys.set(job.order.key, true);
    if (job.settled) return;
    if (reply.kind === 'slow') {
      job.spentCpuUs += reply.times.cpuUs;
      job.spentWallUs += reply.times.wallUs;
      job.lane = 'slow';
      this.#enqueue(job);
      return;
    }
    job.settle('times' in reply ? withHistory(job, reply) : reply);
  }

  #cancel(job: Job): void {
    if (job.running) this.#guard.cancel(job.running.message.queryId);
    job.settle({ kind: 'cancelled' });
  }

  /** Answers jobs whose query does not stop although the guard tells it to. Their threads stay taken until it does. */
  #lookAtRunning(): void {
    for (const job of this.#running) {
      if (job.settled || !job.running) continue;
      const { message } = job.running;
      if (this.#guard.overdue(message.queryId) < OVERDUE_MS) continue;
      const cpuMs = this.#guard.usedCpuMs(message.queryId);
      if (cpuMs < 0) continue; // it has stopped just now
      const wallMs = this.#guard.usedWallMs(message.queryId);
      const timeLimit = message.trial
        ? limitOver(job.order.clocks, cpuMs, wallMs)
        : this.#guard.stopping(message.queryId) === 1
          ? 'cpu'
          : 'wall';
      if (timeLimit === 'none') continue;
      const wallUs = Math.round(wallMs * 1_000);
      const times: RunTimes = {
        startedUs: nowUs() - wallUs,
        cpuUs: Math.round(cpuMs * 1_000),
        wallUs,
      };
      // No trial any more: what it has used is its answer.
      const reply = job.order.timedOut({ ...message, trial: false }, timeLimit, times);
      job.settle('times' in reply ? withHistory(job, reply) : reply);
    }
  }
}

/** Which of its own limits a query has gone over that is stuck in its trial. */
function limitOver(clocks: RunClocks, cpuMs: number, wallMs: number): TimeLimit {
  if (cpuMs >= clocks.cpuMs + OVERDUE_MS) return 'cpu';
  return wallMs >= clocks.wallMs + OVERDUE_MS ? 'wall' : 'none';
}

type TimedReply = Extract<WorkerReply, { readonly times: RunTimes }>;

/** Adds what earlier attempts used; all other time since the job's arrival was spent waiting. */
function withHistory(job: Job, reply: TimedReply): WorkerReply {
  const queueUs = Math.max(0, Math.round(reply.times.startedUs - job.arrivedUs - job.spentWallUs));
  const times: RunTimes = {
    startedUs: reply.times.startedUs,
    cpuUs: reply.times.cpuUs + job.spentCpuUs,
    wallUs: reply.times.wallUs + job.spentWallUs,
  };
  const shown = { queueUs, queryCpuUs: times.cpuUs, queryUs: times.wallUs };
  switch (reply.kind) {
    case 'ran':
      return { ...reply, times, query: { ...reply.query, ...shown } };
    case 'graded':
      return {
        ...reply,
        times,
        judgements: reply.judgements.map((each) => ({
          ...each,
          answerQuery: each.answerQuery && { ...each.answerQuery, ...shown },
        })),
      };
    case 'spider_graded':
    case 'spider_batch':
    case 'gold':
    case 'gold_broken':
    case 'schema':
    case 'slow':
      return { ...reply, times };
  }
}

/** The monotonic clock that all threads share, microseconds. */
export function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
