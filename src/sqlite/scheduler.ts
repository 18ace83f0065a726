import { setTimeout as sleep } from 'node:timers/promises';
import type { CancelSignal } from '../cancel.ts';
import type { ExecutorStats, QueryTelemetry } from '../episodes/ports.ts';
import { Slots } from '../slots.ts';
import { beginBatch } from './begin-batch.ts';
import { overdueReply } from './overdue.ts';
import { newJob, type Job, type JobOrder, type JobReply } from './job.ts';
import { reportEnd, reportShared } from './job-telemetry.ts';
import type { Lane } from './lane.ts';
import type { WorkerMessage } from './messages.ts';
import { nowUs } from './monotonic-clock.ts';
import { ReplySharing } from './reply-sharing.ts';
import { withHistory } from './reply-times.ts';
import type { ResultCache } from './result-cache.ts';
import type { NativeGuard } from './native-guard.ts';
import {
  BATCH_COUNT_MAX,
  freeThreads,
  HELD_UP_MS,
  takeJobs,
  type Waiting,
} from './waiting-jobs.ts';
import { LRUCache } from 'lru-cache';

/** How often running queries are looked at, milliseconds: the guard may tell one in vain to stop. */
const LOOK_MS = 20;

/** How long closing waits for threads to leave SQLite, milliseconds. */
const CLOSE_MS = 5_000;
const SLOW_KEY_COUNT_MAX = 4_096;

type SchedulerStats = Pick<
  ExecutorStats,
  'queuedCount' | 'runningCount' | 'slowCount' | 'lostWorkerCount' | 'oldestQueryMs'
>;

/**
 * Two lanes. Every query starts in the fast one, under short clocks. One that outlasts them is stopped and started anew in the
 * slow lane, whose threads run at the lowest priority: so honest queries find a thread whatever the slow ones do. What the
 * trial used counts towards the query's limits.
 */
export class Scheduler {
  readonly #lanes: { readonly fast: Lane; readonly slow: Lane };
  readonly #waiting = {
    fast: { jobs: [], batches: new Set() } as Waiting,
    slow: { jobs: [], batches: new Set() } as Waiting,
  };
  readonly #guard: NativeGuard;
  readonly #queueCountMax: number;
  readonly #telemetry: QueryTelemetry | undefined;
  readonly #slowKeys = new LRUCache<string, true>({ max: SLOW_KEY_COUNT_MAX });
  readonly #running = new Slots<Job>();
  readonly #sharing: ReplySharing;
  #pumpPlanned = false;
  #laterPump: NodeJS.Timeout | undefined;
  #queuedCount = 0;
  #lostCount = 0;
  #closed = false;
  #look: NodeJS.Timeout | undefined;

  constructor(
    guard: NativeGuard,
    lanes: { fast: Lane; slow: Lane },
    queueCountMax: number,
    cache: ResultCache,
    telemetry?: QueryTelemetry,
  ) {
    this.#telemetry = telemetry;
    this.#sharing = new ReplySharing(cache);
    this.#guard = guard;
    this.#lanes = lanes;
    this.#queueCountMax = queueCountMax;
  }

  /** Runs a job. Resolves as soon as the signal fires or the job's own limits are over, whatever its thread does. */
  run(order: JobOrder, signal: CancelSignal): Promise<JobReply> {
    if (signal.aborted || this.#closed) return Promise.resolve({ kind: 'cancelled' });
    const kept = this.#sharing.find(order);
    if (kept !== undefined) {
      if (this.#telemetry) reportShared(this.#telemetry, order, kept);
      return Promise.resolve(kept);
    }
    // What idle threads take in this very turn does not wait.
    const { jobs, batches } = this.#waiting.fast;
    const startingCount = Math.min(jobs.length, this.#lanes.fast.capacity - batches.size);
    if (this.#queuedCount - startingCount >= this.#queueCountMax) {
      this.#telemetry?.queryEnded(order.purpose, 'none', 'overloaded');
      return Promise.resolve({ kind: 'overloaded' });
    }
    return new Promise((resolve) => {
      const cancel = () => this.#cancel(job);
      const job: Job = {
        ...newJob(order, this.#slowKeys.has(order.key) ? 'slow' : 'fast'),
        settle: (reply) => {
          if (job.settled) return;
          job.settled = true;
          if (job.queued) {
            job.queued = false;
            this.#queuedCount -= 1;
          }
          signal.removeEventListener('abort', cancel);
          if (this.#telemetry) reportEnd(this.#telemetry, job, reply);
          resolve(reply);
          // Given up before it ran: those who waited for its reply must get one of their own.
          if (job.running === undefined) this.#handOver(job);
        },
      };
      signal.addEventListener('abort', cancel, { once: true });
      this.#admit(job);
    });
  }

  /** What it is doing now; the oldest query's age in milliseconds. */
  get stats(): SchedulerStats {
    const sinceUs = [...this.#running].map(({ running }) => running?.sinceUs ?? Infinity);
    return {
      queuedCount: this.#queuedCount,
      runningCount: this.#running.size,
      slowCount: this.#waiting.slow.batches.size,
      lostWorkerCount: this.#lostCount,
      oldestQueryMs: Math.max(0, nowUs() - Math.min(...sinceUs)) / 1_000,
    };
  }

  /** Stops everything that waits or runs, for good, and waits for the threads to be idle; for a stuck one not forever. */
  async cancelAll(): Promise<void> {
    this.#closed = true; // piscina would start a thread for what comes after its end
    for (const lane of [this.#waiting.fast, this.#waiting.slow]) {
      for (const job of lane.jobs) job.settle({ kind: 'cancelled' });
      lane.jobs = [];
    }
    for (const job of this.#sharing.followers()) job.settle({ kind: 'cancelled' });
    for (const job of this.#running) this.#cancel(job);
    const giveUpMs = performance.now() + CLOSE_MS;
    while (this.#running.size > 0 && performance.now() < giveUpMs) await sleep(1);
    clearInterval(this.#look);
    clearTimeout(this.#laterPump);
  }

  /** Nobody shares its reply any more: those who waited for it run by themselves. */
  #release(job: Job): void {
    for (const follower of this.#sharing.release(job)) {
      if (follower.settled) continue;
      follower.queued = false;
      this.#queuedCount -= 1;
      follower.lane = this.#slowKeys.has(follower.order.key) ? 'slow' : 'fast';
      this.#admit(follower);
    }
  }

  /** Whoever follows a job that was given up waits for the first of them instead. */
  #handOver(job: Job): void {
    if (this.#slowKeys.has(job.order.key)) return this.#release(job);
    const next = this.#sharing.handOver(job);
    if (next === undefined) return;
    this.#queuedCount -= 1;
    this.#enqueue(next);
  }

  /** Lets it wait for a thread, or for the reply of another one that asks the same. */
  #admit(job: Job): void {
    if (!this.#sharing.follow(job)) this.#enqueue(job);
    else {
      job.queued = true;
      this.#queuedCount += 1;
    }
  }

  #enqueue(job: Job): void {
    job.queued = true;
    this.#queuedCount += 1;
    this.#waiting[job.lane].jobs.push(job);
    this.#planPump();
  }

  /** Jobs that arrive in the same turn of the event loop start together, so that they can share a message to a thread. */
  #planPump(): void {
    if (this.#pumpPlanned) return;
    this.#pumpPlanned = true;
    setImmediate(() => {
      this.#pumpPlanned = false;
      this.#pump('fast');
      this.#pump('slow');
    });
  }

  #pump(name: 'fast' | 'slow'): void {
    const waiting = this.#waiting[name];
    while (waiting.jobs.length > 0) {
      const free = freeThreads(waiting, this.#lanes[name]);
      if (free <= 0) return this.#pumpLater(waiting, name);
      const share = Math.ceil(waiting.jobs.length / free);
      const jobs = takeJobs(waiting, Math.min(share, BATCH_COUNT_MAX[name]));
      if (jobs.length === 0) return;
      for (const job of jobs) job.queued = false;
      this.#queuedCount -= jobs.length;
      void this.#start(jobs, name);
    }
  }

  /** Jobs wait although a thread is idle: what runs now may turn out to be slow. */
  #pumpLater(waiting: Waiting, name: 'fast' | 'slow'): void {
    if (this.#laterPump || waiting.batches.size >= this.#lanes[name].capacity) return;
    this.#laterPump = setTimeout(() => {
      this.#laterPump = undefined;
      this.#pump(name);
    }, HELD_UP_MS);
  }

  async #start(jobs: readonly Job[], name: 'fast' | 'slow'): Promise<void> {
    const waiting = this.#waiting[name];
    const { batch, messages } = beginBatch(waiting, this.#lanes[name], jobs, this.#guard);
    const slots = jobs.map((job) => this.#running.add(job));
    this.#look ??= setInterval(() => this.#lookAtRunning(), LOOK_MS).unref();
    const replies = await this.#repliesTo(messages, name);
    waiting.batches.delete(batch);
    for (const slot of slots) this.#running.remove(slot);
    const unbegun: Job[] = [];
    for (const [index, job] of jobs.entries()) {
      const message = messages[index];
      if (message !== undefined) this.#guard.forget(message.queryId);
      job.running = undefined;
      const reply = replies?.[index];
      job.alone = replies === undefined;
      if (reply !== undefined) this.#finish(job, reply);
      else if (job.settled) this.#release(job);
      else unbegun.push(job);
    }
    this.#putBack(unbegun);
    this.#pump('fast');
    this.#pump('slow');
    if (this.#running.size === 0) {
      clearInterval(this.#look);
      this.#look = undefined;
    }
  }

  /** The replies to the first of the messages; undefined if the thread died, and nobody knows under which of them. */
  async #repliesTo(
    messages: readonly WorkerMessage[],
    name: 'fast' | 'slow',
  ): Promise<readonly JobReply[] | undefined> {
    try {
      return await this.#lanes[name].run(messages);
    } catch {
      this.#lostCount += 1;
      return messages.length === 1 ? [{ kind: 'worker_lost' }] : undefined;
    }
  }

  /** Puts jobs that were handed over and not begun before all others again. */
  #putBack(jobs: readonly Job[]): void {
    for (const job of jobs) job.queued = true;
    this.#queuedCount += jobs.length;
    this.#waiting.fast.jobs.unshift(...jobs);
  }

  #finish(job: Job, reply: JobReply): void {
    if (reply.kind === 'slow') this.#slowKeys.set(job.order.key, true);
    // Also if nobody waits for this one any more: it has been run.
    if ('lasting' in reply && reply.lasting) this.#sharing.share(job, reply);
    else {
      if ('lasting' in reply) this.#sharing.shareNoMore(job);
      this.#release(job);
    }
    if (job.settled) return;
    if (reply.kind === 'slow') {
      job.spentCpuUs += reply.times.cpuUs;
      job.spentWallUs += reply.times.wallUs;
      job.lane = 'slow';
      this.#telemetry?.trialOverrun();
      this.#enqueue(job);
      return;
    }
    job.settle('times' in reply ? withHistory(job, reply) : reply);
  }

  #cancel(job: Job): void {
    job.settle({ kind: 'cancelled' });
    if (!job.running) return;
    this.#handOver(job); // it may take a while to stop, and others wait for its reply
    this.#guard.cancel(job.running.message.queryId);
  }

  /** Answers jobs whose query does not stop although the guard tells it to. Their threads stay taken until it does. */
  #lookAtRunning(): void {
    for (const job of this.#running) {
      const reply = overdueReply(this.#guard, job);
      if (reply === undefined) continue;
      job.settle('times' in reply ? withHistory(job, reply) : reply);
      this.#slowKeys.set(job.order.key, true);
      this.#release(job);
    }
  }
}
