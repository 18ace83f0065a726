import { availableParallelism } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { Piscina } from 'piscina';
import { CancelSource } from '../cancel.ts';
import { expectThread } from './heap-growth.ts';
import type { EngineReply, LoadedMessage, WorkerMessage, WorkerReply } from './messages.ts';
import { loadGuard } from './native-guard.ts';
import { packMessage, unpackReply, type PackedMessage, type PackedReply } from './packed.ts';
import { ThreadState } from './thread-state.ts';

/** Workers run from the built bundle: Node 20 can't start a `.ts` file in a thread, and one file loads faster than eighty. */
const WORKER_FILE = fileURLToPath(
  import.meta.url.endsWith('.ts')
    ? new URL('../../dist/src/sqlite/worker.cjs', import.meta.url)
    : new URL('./worker.cjs', import.meta.url),
);

/** How long a thread over the minimum may be idle before it ends, milliseconds. */
const IDLE_MS = 600_000;

/** How long after a thread's death the lane sees to it that there is one, milliseconds. */
const REVIVE_MS = 100;

/** Threads that may die in a row while they are started before what waits for them is given up. */
const FAILED_START_COUNT_MAX = 30;

/** How long closing waits for threads that are still loading, milliseconds. */
const LOAD_MS = 10_000;

/** How many threads a lane has. */
export interface LaneSize {
  readonly threadCountMin: number;
  readonly threadCountMax: number;
  readonly connectionCountMax: number;
}

/** A worker died under a message. */
export class WorkerLostError extends Error {
  override readonly name = 'WorkerLostError';
}

/**
 * A piscina pool whose queue stays empty: the executor hands over only what a thread can start at once, so that order,
 * bounds and cancellation are in one place.
 */
export class Lane {
  readonly capacity: number;
  /** How many of them run side by side unless some are held up. */
  readonly wanted: number;
  readonly #pool: Piscina<readonly PackedMessage[], readonly PackedReply[]>;
  readonly #states = new Map<number, ThreadState>();
  #reviving: NodeJS.Timeout | undefined;
  #wake: CancelSource | undefined;
  /** What waits for threads that can't be started is given up with it. */
  #giveUp = new CancelSource();
  #failedStartCount = 0;
  #runningCount = 0;
  #closed = false;

  constructor(lane: 'fast' | 'slow', size: LaneSize) {
    this.capacity = size.threadCountMax;
    this.wanted =
      lane === 'fast' ? Math.min(size.threadCountMax, availableParallelism()) : size.threadCountMax;
    // A larger young generation that the process was started with is for the main thread: the flag would go before the limit below.
    setFlagsFromString('--max-semi-space-size=0');
    this.#pool = new Piscina({
      filename: WORKER_FILE,
      minThreads: size.threadCountMin,
      maxThreads: size.threadCountMax,
      idleTimeout: IDLE_MS,
      // Its queue holds what waits for a thread that is being started, and one message that makes it start one.
      maxQueue: size.threadCountMax + 1,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
      argv: [lane, String(size.connectionCountMax)],
      // Far over what the caps on rows and texts allow: running out of it inside better-sqlite3 would end the process.
      resourceLimits: {
        maxOldGenerationSizeMb: 4_096,
        maxYoungGenerationSizeMb: 32,
        stackSizeMb: 4,
      },
    });
    this.#pool.on('message', ({ loadedThreadId, state }: LoadedMessage) => {
      this.#states.set(loadedThreadId, new ThreadState(state));
      this.#failedStartCount = 0;
    });
    // Without a listener a thread that dies while idle would end the process; piscina replaces it by itself.
    this.#pool.on('error', () => undefined);
    this.#pool.on('workerDestroy', () => this.#reviveLater());
  }

  get threadCount(): number {
    return this.#pool.threads.length;
  }

  /**
   * Runs messages on one thread, one after the other, and gives the replies to the first of them: as soon as it has taken long, the
   * others are left as they are, and must be run again. Waking a thread and being woken by
   * it costs as much as many a query, so they travel together. Throws {@link WorkerLostError} if the thread dies, or none can be
   * started.
   */
  async run(messages: readonly WorkerMessage[]): Promise<readonly WorkerReply[]> {
    this.#runningCount += 1;
    try {
      if (this.#runningCount > this.threadCount) expectThread();
      const packed = messages.map(packMessage);
      const replies = await this.#pool.run(packed, { signal: this.#giveUp });
      return replies.map((reply, index) => unpackReply(reply, messages[index]));
    } catch (error) {
      throw new WorkerLostError('a worker thread died', { cause: error });
    } finally {
      this.#runningCount -= 1;
    }
  }

  /** Starts a thread if none is there, and asks it which SQLite this is. Throws what keeps threads from starting. */
  async describeEngine(): Promise<EngineReply> {
    return (await this.#pool.run(undefined as never, { name: 'describeEngine' })) as never;
  }

  /** Ends one thread under whatever it does; for tests of that fault. */
  async killThread(index: number): Promise<void> {
    const thread = this.#pool.threads[index];
    if (!thread) return;
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    while (this.#isLoading(thread)) await sleep(2);
    const state = this.#states.get(thread.threadId);
    const queryId = state?.doom();
    if (queryId === undefined) await thread.terminate();
    else {
      loadGuard().cancel(queryId);
      await ended;
    }
  }

  /**
   * Ends the threads, which must be idle. One that still loads its modules is waited for: ended at that moment, it takes the
   * whole process with it (Node 20: "v8::Module::IsGraphAsync must be used on an instantiated module").
   */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#reviving);
    const giveUpMs = performance.now() + LOAD_MS;
    const isLoading = () => this.#pool.threads.some((thread) => this.#isLoading(thread));
    while (isLoading() && performance.now() < giveUpMs) await sleep(2);
    await this.#pool.destroy();
  }

  /**
   * For a thread that dies while it is being started piscina starts no other: what waits for it would wait for good, and keep its
   * place in the lane. Another message makes it start one, and is tried again until a thread lives, or too many have died (there are
   * no descriptors left, say): then all that waits fails instead of waiting for as long as its caller has patience.
   */
  #reviveLater(): void {
    if (this.#closed) return;
    this.#reviving ??= setTimeout(() => {
      this.#reviving = undefined;
      if (this.#closed || this.#pool.queueSize === 0 || this.#pool.threads.length > 0) return;
      // Where there are no threads nothing runs, so that taking the last one back ends nothing.
      this.#wake?.abort();
      this.#failedStartCount += 1;
      if (this.#failedStartCount > FAILED_START_COUNT_MAX) {
        this.#failedStartCount = 0;
        this.#giveUp.abort();
        this.#giveUp = new CancelSource();
        return;
      }
      this.#wake = new CancelSource();
      expectThread();
      const options = { name: 'describeEngine', signal: this.#wake };
      this.#pool.run(undefined as never, options).catch(() => undefined);
    }, REVIVE_MS);
  }

  #isLoading({ threadId }: { readonly threadId: number }): boolean {
    // A thread that has ended has the id -1.
    return threadId >= 0 && !this.#states.has(threadId);
  }
}
