import { readdir } from 'node:fs/promises';
import { monitorEventLoopDelay, performance, type IntervalHistogram } from 'node:perf_hooks';
import { HistogramFamily, ReadFamily, type Family, type HistogramCell } from './families.ts';

/** How often the event loop's timer is due, milliseconds. */
const RESOLUTION_MS = 10;

/** How long the lag is watched before its longest is counted, milliseconds. */
const WINDOW_MS = 1_000;

const LAG_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5];

/** The process and its event loop, under the names that Prometheus' own clients give them. */
export class ProcessMetrics {
  readonly families: readonly Family[];
  readonly #delay: IntervalHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  readonly #lag: HistogramCell;
  readonly #timer: NodeJS.Timeout;

  constructor() {
    const lag = new HistogramFamily(
      'sqlenv_event_loop_lag_seconds',
      'The longest time in each second that the event loop was late by: all calls wait for it.',
      LAG_BOUNDS,
    );
    this.#lag = lag.cell();
    this.#delay.enable();
    this.#timer = setInterval(() => this.#countLag(), WINDOW_MS).unref();
    this.families = [lag, loopTime(), ...processFamilies()];
  }

  /** Stops watching; idempotent. */
  close(): void {
    clearInterval(this.#timer);
    this.#delay.disable();
  }

  /**
   * One value a second, so that every scraper sees the same, however often it comes. The histogram of Node holds whole
   * intervals of its timer, the time between two that are on time included.
   */
  #countLag(): void {
    if (this.#delay.count === 0) return;
    const lagMs = this.#delay.max / 1_000_000 - RESOLUTION_MS;
    this.#delay.reset();
    this.#lag.observe(Math.max(0, lagMs) / 1_000);
  }
}

function loopTime(): Family {
  return new ReadFamily(
    'counter',
    'sqlenv_event_loop_active_seconds_total',
    'Time that the event loop of the main thread was at work; its rate is 1 when it is the bound.',
    () => performance.eventLoopUtilization().active / 1_000,
  );
}

function processFamilies(): Family[] {
  return [
    new ReadFamily(
      'counter',
      'process_cpu_seconds_total',
      'CPU time of the process, all threads together.',
      () => {
        const { user, system } = process.cpuUsage();
        return (user + system) / 1_000_000;
      },
    ),
    new ReadFamily('gauge', 'process_resident_memory_bytes', 'Resident memory.', () =>
      process.memoryUsage.rss(),
    ),
    new ReadFamily(
      'gauge',
      'nodejs_heap_size_used_bytes',
      'Heap of the main thread in use.',
      () => process.memoryUsage().heapUsed,
    ),
    new ReadFamily(
      'gauge',
      'nodejs_external_memory_bytes',
      'Memory outside of the heap that objects of the main thread hold.',
      () => process.memoryUsage().external,
    ),
    new ReadFamily(
      'gauge',
      'process_open_fds',
      'Open file descriptors; only where /proc has them.',
      openDescriptors,
    ),
    new ReadFamily(
      'gauge',
      'process_start_time_seconds',
      'When the process started, seconds since 1970.',
      () => performance.timeOrigin / 1_000,
    ),
  ];
}

async function openDescriptors(): Promise<number | undefined> {
  try {
    // One of them is the one that the folder is read through.
    return (await readdir('/proc/self/fd')).length - 1;
  } catch {
    return undefined;
  }
}
