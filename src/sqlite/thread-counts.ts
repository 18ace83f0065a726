import { availableParallelism } from 'node:os';
import type { LaneSize } from './lane.ts';

/** How many threads are asked for; undefined takes what suits the machine. */
export interface ThreadOptions {
  readonly fastThreadCount?: number | undefined;
  readonly slowThreadCountMax?: number | undefined;
  /** Slow threads that are kept ready; a short run that may need none starts sooner with 0. */
  readonly slowThreadCountMin?: number | undefined;
}

/** Slow threads a core: slow queries share what the fast ones leave, so many can wait for their clocks side by side. */
const SLOW_THREADS_PER_CORE = 16;

/** Slow threads a core that are kept: starting one takes about 80 ms of CPU, keeping one about 13 MB. */
const SLOW_THREADS_KEPT_PER_CORE = 4;

/** File descriptors that a thread of Node takes for its event loop, counted on Linux. */
const DESCRIPTORS_PER_THREAD = 6;

/** Descriptors that sockets, logs and records may need. */
const DESCRIPTORS_RESERVED = 128;

/** Databases that one thread keeps open at most; a connection costs one descriptor and up to 2 MB of cache. */
const CONNECTION_COUNT_MAX = 32;

/** Sizes of both lanes for this machine, within its limit on open files. */
export function laneSizes(
  options: ThreadOptions,
  cores: number = availableParallelism(),
  descriptorCountMax: number = openFilesLimit(),
): { readonly fast: LaneSize; readonly slow: LaneSize } {
  const free = Math.max(0, descriptorCountMax - DESCRIPTORS_RESERVED);
  const fastCount = options.fastThreadCount ?? cores + 2;
  const slowWanted = options.slowThreadCountMax ?? SLOW_THREADS_PER_CORE * cores;
  // Half of the descriptors for the threads themselves, half for databases.
  const affordable = Math.floor(free / 2 / DESCRIPTORS_PER_THREAD) - fastCount;
  const slowCount = Math.max(1, Math.min(slowWanted, affordable));
  const perThread = Math.floor(free / 2 / (fastCount + slowCount));
  const connectionCountMax = Math.max(1, Math.min(CONNECTION_COUNT_MAX, perThread));
  return {
    fast: { threadCountMin: fastCount, threadCountMax: fastCount, connectionCountMax },
    slow: {
      threadCountMin: Math.min(
        options.slowThreadCountMin ?? SLOW_THREADS_KEPT_PER_CORE * cores,
        slowCount,
      ),
      threadCountMax: slowCount,
      connectionCountMax,
    },
  };
}

/** The process's soft limit on open files. */
function openFilesLimit(): number {
  const report = process.report.getReport() as unknown as {
    readonly userLimits?: { readonly open_files?: { readonly soft?: number | string } };
  };
  const soft = report.userLimits?.open_files?.soft;
  return typeof soft === 'number' ? soft : 65_536;
}
