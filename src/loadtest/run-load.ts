import { createHash } from 'node:crypto';
import { ClientLost, ClientPool } from './client-pool.ts';
import { LoadBook } from './load-book.ts';
import type { ClientOptions } from './messages.ts';
import { openSource } from './open-source.ts';
import type { EpisodeSource } from './plan.ts';
import { ServerProbe } from './server-probe.ts';
import { ServerWatch } from './server-watch.ts';
import type { LoadEnd, LoadOutcome, LoadProgress } from './outcome.ts';

/** A whole load. */
export interface LoadOptions extends ClientOptions {
  /** Client processes. */
  readonly clientCount: number;
  /** Batches that are played first and not counted. */
  readonly warmupCount: number;
  /** Batches that are counted, at most. */
  readonly batchCountMax: number;
  /** No batch begins, and no episode arrives, after so long; undefined for no such bound. Milliseconds, warm-up not counted. */
  readonly measureMsMax: number | undefined;
  /** The load is cut off after so long, milliseconds. */
  readonly timeLimitMs: number;
  /** Where the server's metrics are; undefined if that is not known. */
  readonly metricsUrl: string | undefined;
}

/** Ends a load early, and watches it. */
export interface LoadControl {
  readonly signal: AbortSignal;
  /** Is called some times a second; the progress is worked out when it is asked for. */
  readonly onProgress: (progress: () => LoadProgress) => void;
  /** Is told the ids of the client processes, for tests of their loss. */
  readonly onClients?: (processIds: readonly number[]) => void;
}

/** How long nothing but failures may come back before the server counts as gone, milliseconds. */
const GONE_MS = 10_000;

/** Plays a load and gives what was measured, however it ends. Rejects only if it can't begin. */
export async function runLoad(options: LoadOptions, control: LoadControl): Promise<LoadOutcome> {
  const source = await openSource(options.source);
  try {
    return await new LoadRun(options, control, source).run();
  } finally {
    await source.close();
  }
}

class LoadRun {
  readonly #options: LoadOptions;
  readonly #control: LoadControl;
  readonly #source: EpisodeSource;
  readonly #book: LoadBook;
  readonly #watch: ServerWatch;
  readonly #planHash = createHash('sha256');
  #ended = false;

  constructor(options: LoadOptions, control: LoadControl, source: EpisodeSource) {
    const { metricsUrl } = options;
    this.#options = options;
    this.#control = control;
    this.#source = source;
    this.#book = new LoadBook(options);
    this.#watch = new ServerWatch(
      metricsUrl === undefined ? undefined : new ServerProbe(metricsUrl),
    );
  }

  async run(): Promise<LoadOutcome> {
    const { clientCount } = this.#options;
    const pool = await ClientPool.start(this.#options, clientCount, {
      onNews: (batches, clientIndex, openCount) => {
        this.#book.addNews(batches, clientIndex, openCount);
        this.#control.onProgress(() => this.#book.progress());
      },
    });
    this.#control.onClients?.(pool.processIds);
    let end: LoadEnd;
    try {
      end = await this.#untilEnd(pool);
    } finally {
      this.#ended = true;
      this.#book.cutOff(await pool.stop());
      this.#watch.close();
    }
    const { usage, problem } = this.#watch;
    return {
      ...this.#book.books(),
      end,
      server: usage,
      serverProblem: problem,
      planSha256: this.#planHash.digest('hex'),
      sourceProblems: this.#source.problems,
    };
  }

  async #untilEnd(pool: ClientPool): Promise<LoadEnd> {
    const { timeLimitMs, loop } = this.#options;
    const { signal } = this.#control;
    const timers: NodeJS.Timeout[] = [];
    const stopped = new Promise<LoadEnd>((resolve) => {
      const interrupt = (): void => resolve({ kind: 'interrupted' });
      signal.addEventListener('abort', interrupt, { once: true });
      if (signal.aborted) interrupt();
      timers.push(setTimeout(() => resolve({ kind: 'time_limit' }), timeLimitMs));
      timers.push(
        setInterval(() => {
          if (this.#book.failingMs > GONE_MS) resolve({ kind: 'server_gone' });
        }, 1_000),
      );
    });
    try {
      const playing = loop.kind === 'closed' ? this.#playBatches(pool) : this.#playOpen(pool);
      return await Promise.race([playing, stopped]);
    } catch (error) {
      if (error instanceof ClientLost) return { kind: 'client_lost', message: error.message };
      throw error;
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  /** As a trainer: a batch begins when the one before has ended. */
  async #playBatches(pool: ClientPool): Promise<LoadEnd> {
    const { warmupCount, batchCountMax, measureMsMax = Number.POSITIVE_INFINITY } = this.#options;
    let measureStartMs = Number.POSITIVE_INFINITY;
    for (let batchIndex = 0; batchIndex < warmupCount + batchCountMax; batchIndex += 1) {
      const warmup = batchIndex < warmupCount;
      if (!warmup) {
        measureStartMs = Math.min(measureStartMs, performance.now());
        if (performance.now() - measureStartMs >= measureMsMax) break;
      }
      await pool.prepare(batchIndex);
      this.#planHash.update(this.#source.digest(batchIndex));
      const before = warmup ? undefined : await this.#watch.begin();
      if (this.#ended) break;
      this.#book.begin(batchIndex);
      const startMs = performance.now();
      const usages = await pool.play(batchIndex);
      const wallMs = performance.now() - startMs;
      const server = warmup ? undefined : await this.#watch.end(before);
      this.#book.end(batchIndex, wallMs, usages, server);
      if (this.#book.lastBatchFailed) return { kind: 'server_gone' };
    }
    return { kind: 'complete' };
  }

  /** Episodes arrive by the clock, whatever the server does. */
  async #playOpen(pool: ClientPool): Promise<LoadEnd> {
    const { warmupCount, batchCountMax, measureMsMax, loop, source } = this.#options;
    if (loop.kind !== 'open') throw new Error('an open loop needs an arrival rate');
    const size = source.plan.promptCount * source.plan.rolloutCount;
    const warmupMs = (warmupCount * size * 1_000) / loop.rate;
    this.#planHash.update(JSON.stringify(loop));
    for (let index = 0; index < Math.min(warmupCount + batchCountMax, 16); index += 1) {
      this.#planHash.update(this.#source.digest(index));
    }
    let before: Awaited<ReturnType<ServerWatch['begin']>>;
    this.#book.begin(0);
    const measuring = setTimeout(() => {
      this.#book.beginMeasuring();
      void this.#watch.begin().then((sample) => (before = sample));
    }, warmupMs);
    try {
      const usages = await pool.playOpen({
        batchCountMax: warmupCount + batchCountMax,
        arriveMsMax: measureMsMax === undefined ? Number.MAX_SAFE_INTEGER : warmupMs + measureMsMax,
      });
      this.#book.endOpen(usages);
      await this.#watch.end(before);
      return { kind: 'complete' };
    } finally {
      clearTimeout(measuring);
    }
  }
}
