import type { BatchNews, ClientUsage } from './messages.ts';
import { rounded, tallyMetrics } from './metrics.ts';
import {
  clientOutcome,
  type BatchOutcome,
  type LoadOutcome,
  type LoadProgress,
} from './outcome.ts';
import type { LoadOptions } from './run-load.ts';
import type { ServerUsage } from './server-probe.ts';
import { Tally, type TallyData } from './tally.ts';
import { STEP_TIMES, Timeline } from './timeline.ts';

/** How far back the rates of the progress look, milliseconds. */
const RECENT_MS = 3_000;

/** Failures in a row, with nothing good between, that make a server look gone. */
const FAILING_COUNT = 16;

/** What came in at a time. */
interface Recent {
  readonly atMs: number;
  readonly episodeCount: number;
  readonly stepCount: number;
}

/** The part of an outcome that is counted here. */
type LoadBooks = Pick<
  LoadOutcome,
  'tally' | 'warmupFailureCount' | 'measuredMs' | 'batches' | 'timeline' | 'clients'
>;

/** Keeps the books of a load: what the clients tell, by batch, by second and in all. */
export class LoadBook {
  readonly #options: LoadOptions;
  readonly #startMs = performance.now();
  readonly #total = new Tally();
  readonly #timeline = new Timeline();
  readonly #pending = new Map<number, Tally>();
  readonly #batches: BatchOutcome[] = [];
  /** Of the measured batches, by client. */
  readonly #usages = new Map<number, ClientUsage[]>();
  readonly #openCounts = new Map<number, number>();
  #warmup: boolean;
  #warmupFailureCount = 0;
  #measuredMs = 0;
  /** Start of the piece that is measured now. */
  #pieceMs: number | undefined;
  #goodMs = performance.now();
  #failingCount = 0;
  #lastBatchFailed = false;
  #recent: Recent[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#warmup = options.warmupCount > 0;
  }

  /** How long nothing but failures has come back, milliseconds; 0 if something good has. */
  get failingMs(): number {
    return this.#failingCount < FAILING_COUNT ? 0 : performance.now() - this.#goodMs;
  }

  /** Whether the batch that ended last had not one episode that was played to its end. */
  get lastBatchFailed(): boolean {
    return this.#lastBatchFailed;
  }

  /** A batch of a closed loop begins, or an open loop. */
  begin(batchIndex: number): void {
    this.#warmup = batchIndex < this.#options.warmupCount;
    this.#goodMs = performance.now();
    if (!this.#warmup) this.beginMeasuring();
  }

  /** From here on time counts. */
  beginMeasuring(): void {
    this.#warmup = false;
    this.#pieceMs = performance.now();
  }

  /** What a client has counted since it last said so. */
  addNews(batches: readonly BatchNews[], clientIndex: number, openCount: number): void {
    const nowMs = performance.now();
    this.#openCounts.set(clientIndex, openCount);
    for (const { batchIndex, tally: data } of batches) {
      const warmup = batchIndex < this.#options.warmupCount;
      this.#timeline.add(nowMs - this.#startMs, data, warmup);
      const tally = this.#pending.get(batchIndex) ?? new Tally();
      this.#pending.set(batchIndex, tally);
      tally.merge(data);
      const errorCount = Object.values(data.errors).reduce((sum, { count }) => sum + count, 0);
      if (warmup) this.#warmupFailureCount += errorCount + wrongCountOf(data);
      else this.#total.merge(data);
      if (data.stepCount + data.endedCount > 0) {
        this.#goodMs = nowMs;
        this.#failingCount = 0;
      }
      this.#failingCount += errorCount;
      const { endedCount: episodeCount, stepCount } = data;
      this.#recent.push({ atMs: nowMs, episodeCount, stepCount });
      if (this.#options.loop.kind === 'open') this.#closeIfWhole(batchIndex, tally);
    }
    this.#recent = this.#recent.filter(({ atMs }) => atMs > nowMs - RECENT_MS);
  }

  /** A batch of a closed loop has ended. */
  end(
    batchIndex: number,
    wallMs: number,
    usages: readonly ClientUsage[],
    server: ServerUsage | undefined,
  ): void {
    const tally = this.#pending.get(batchIndex) ?? new Tally();
    this.#pending.delete(batchIndex);
    this.#lastBatchFailed = tally.endedCount === 0;
    this.#pieceMs = undefined;
    if (this.#warmup) return;
    this.#measuredMs += wallMs;
    this.#addUsages(usages);
    const thinkMs = usages.reduce((max, { thinkMsMax }) => Math.max(max, thinkMsMax), 0);
    const environmentMs = Math.max(0, wallMs - thinkMs);
    const seconds = wallMs / 1_000;
    const cpuS = server?.cpuS;
    this.#batches.push({
      batchIndex,
      wallMs: rounded(wallMs),
      environmentMs: rounded(environmentMs),
      metrics: {
        ...tallyMetrics(tally),
        'batch.median': rounded(wallMs),
        'environment.median': rounded(environmentMs),
        episodes_per_s: rounded(tally.endedCount / seconds),
        steps_per_s: rounded(tally.stepCount / seconds),
        ...(cpuS === undefined || tally.stepCount === 0
          ? {}
          : { 'server.cpu_per_1000_steps': rounded((cpuS * 1_000) / tally.stepCount) }),
      },
    });
  }

  /** An open loop has ended. */
  endOpen(usages: readonly ClientUsage[]): void {
    this.#endPiece();
    this.#addUsages(usages);
  }

  /** The load is over; what the clients used in a piece that was cut off. */
  cutOff(usages: readonly ClientUsage[]): void {
    if (this.#pieceMs === undefined) return;
    this.#endPiece();
    this.#addUsages(usages);
  }

  /** How far it is. */
  progress(): LoadProgress {
    const nowMs = performance.now();
    const { endedCount, lostCount, wrongCount, errorCount } = this.#total;
    const steps = this.#total.together(STEP_TIMES);
    const seconds = Math.min(RECENT_MS, Math.max(250, nowMs - this.#startMs)) / 1_000;
    const sum = (of: (each: Recent) => number): number =>
      this.#recent.reduce((total, each) => total + of(each), 0);
    return {
      isWarmup: this.#warmup,
      elapsedMs: nowMs - this.#startMs,
      batchCount: this.#batches.length,
      episodeCount: endedCount,
      openCount: [...this.#openCounts.values()].reduce((total, count) => total + count, 0),
      lostCount,
      wrongCount,
      errorCount: errorCount + this.#warmupFailureCount,
      episodesPerS: sum(({ episodeCount }) => episodeCount) / seconds,
      stepsPerS: sum(({ stepCount }) => stepCount) / seconds,
      stepP50Ms: steps.quantile(0.5),
      stepP99Ms: steps.quantile(0.99),
    };
  }

  /** All that was counted. */
  books(): LoadBooks {
    return {
      tally: this.#total,
      warmupFailureCount: this.#warmupFailureCount,
      measuredMs: this.#measuredMs,
      batches: this.#batches,
      timeline: { windowS: this.#timeline.windowS, points: this.#timeline.points() },
      clients: [...this.#usages.values()].map(clientOutcome),
    };
  }

  #endPiece(): void {
    if (this.#pieceMs !== undefined) this.#measuredMs += performance.now() - this.#pieceMs;
    this.#pieceMs = undefined;
  }

  #addUsages(usages: readonly ClientUsage[]): void {
    for (const [index, usage] of usages.entries()) {
      const known = this.#usages.get(index);
      if (known === undefined) this.#usages.set(index, [usage]);
      else known.push(usage);
    }
  }

  /** In an open loop batches overlap: one is whole when all its episodes are over. */
  #closeIfWhole(batchIndex: number, tally: Tally): void {
    const { promptCount, rolloutCount } = this.#options.source.plan;
    if (tally.endedCount + tally.lostCount < promptCount * rolloutCount) return;
    this.#pending.delete(batchIndex);
    if (batchIndex < this.#options.warmupCount) return;
    const metrics = tallyMetrics(tally);
    this.#batches.push({ batchIndex, wallMs: undefined, environmentMs: undefined, metrics });
  }
}

function wrongCountOf({ policies }: TallyData): number {
  return Object.values(policies).reduce((sum, { wrongCount }) => sum + wrongCount, 0);
}
