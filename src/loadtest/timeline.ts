import { Histogram } from './histogram.ts';
import { Tally, type TallyData } from './tally.ts';

/** What happened in one window of time. */
export interface TimelinePoint {
  /** From the start of the load to the start of the window, seconds. */
  readonly atS: number;
  readonly episodeCount: number;
  readonly stepCount: number;
  readonly errorCount: number;
  /** Of the steps, milliseconds; 0 without any. */
  readonly stepP50Ms: number;
  readonly stepP99Ms: number;
  /** Part of the warm-up. */
  readonly warmup: boolean;
}

/** Windows that are kept; if there were more, they become twice as long. */
const WINDOW_COUNT_MAX = 600;

/** The names of what is timed of steps. */
export const STEP_TIMES = ['step.tool', 'step.answer'] as const;

interface Window {
  episodeCount: number;
  stepCount: number;
  errorCount: number;
  warmup: boolean;
  readonly steps: Histogram;
}

/** A load by the second. However long it lasts, it takes the same memory. */
export class Timeline {
  #windowS = 1;
  #windows: Window[] = [];

  /** Length of a window, seconds. */
  get windowS(): number {
    return this.#windowS;
  }

  /** Adds what was counted at a time, milliseconds from the start of the load. */
  add(atMs: number, data: TallyData, warmup: boolean): void {
    while (atMs >= WINDOW_COUNT_MAX * this.#windowS * 1_000) this.#halve();
    const index = Math.max(0, Math.floor(atMs / 1_000 / this.#windowS));
    while (this.#windows.length <= index) this.#windows.push(emptyWindow(warmup));
    const window = this.#windows[index];
    if (window === undefined) return;
    const tally = new Tally();
    tally.merge(data);
    mergeInto(window, {
      episodeCount: tally.endedCount,
      stepCount: tally.stepCount,
      errorCount: tally.errorCount,
      warmup,
      steps: tally.together(STEP_TIMES),
    });
  }

  /** The windows in the order of time; those in which nothing happened are there, too. */
  points(): TimelinePoint[] {
    return this.#windows.map(({ steps, ...window }, index) => ({
      atS: index * this.#windowS,
      ...window,
      stepP50Ms: steps.quantile(0.5),
      stepP99Ms: steps.quantile(0.99),
    }));
  }

  #halve(): void {
    this.#windowS *= 2;
    const halved: Window[] = [];
    for (const [index, window] of this.#windows.entries()) {
      const before = halved[index >> 1];
      if (before === undefined) halved.push(window);
      else mergeInto(before, window);
    }
    this.#windows = halved;
  }
}

function emptyWindow(warmup: boolean): Window {
  return { episodeCount: 0, stepCount: 0, errorCount: 0, warmup, steps: new Histogram() };
}

function mergeInto(window: Window, other: Window): void {
  window.episodeCount += other.episodeCount;
  window.stepCount += other.stepCount;
  window.errorCount += other.errorCount;
  window.warmup &&= other.warmup;
  window.steps.merge(other.steps.data());
}
