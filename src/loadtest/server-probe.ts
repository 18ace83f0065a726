import { setTimeout as sleep } from 'node:timers/promises';
import { parseMetrics, sumOf, type MetricLine } from './prometheus-text.ts';

/** Methods that a load calls. */
const METHODS = ['Reset', 'Step', 'Score'] as const;

/** A method that a load calls. */
export type ServerMethod = (typeof METHODS)[number];

/** What a server says of itself at one moment. What it does not tell is undefined. */
export interface ServerSample {
  /** Clock of this process, milliseconds. */
  readonly atMs: number;
  /** CPU of all its threads since its start, seconds. */
  readonly cpuS: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Time that its event loop was at work, seconds since its start. */
  readonly loopActiveS: number | undefined;
  /** Seconds in which the loop's longest lag was at most this long, by bound in seconds; cumulative. */
  readonly lagCounts: readonly (readonly [boundS: number, count: number])[];
  /** Calls that went well, and their time in the server, seconds. */
  readonly calls: Readonly<Record<ServerMethod, { readonly count: number; readonly sumS: number }>>;
}

/** What a server used between two samples. */
export interface ServerUsage {
  readonly cpuS: number | undefined;
  /** Largest of the samples in between. */
  readonly memoryBytesMax: number | undefined;
  readonly memoryBytesStart: number | undefined;
  readonly memoryBytesEnd: number | undefined;
  /** Share of the time that its event loop was at work, 0 to 1. */
  readonly loopBusyShare: number | undefined;
  /** A bound that the loop's lag did not exceed, milliseconds: that of its highest bucket. */
  readonly loopLagMsMax: number | undefined;
  /** Mean time of a call in the server, milliseconds; undefined for methods that were not called. */
  readonly meanMs: Readonly<Record<ServerMethod, number | undefined>>;
}

/** How long a scrape may take, milliseconds. */
const SCRAPE_MS = 5_000;

/** A server gives the same text out for so long, milliseconds; asked sooner, it would tell of the past. */
const FRESH_MS = 120;

/** Reads a server's metrics. */
export class ServerProbe {
  readonly #url: string;
  #askedMs = Number.NEGATIVE_INFINITY;
  #problem: string | undefined;

  constructor(url: string) {
    this.#url = url;
  }

  /** Why the last sample could not be had; undefined if it could. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What the server says now; undefined if it does not answer. */
  async sample(): Promise<ServerSample | undefined> {
    const waitMs = this.#askedMs + FRESH_MS - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    this.#askedMs = performance.now();
    const stop = new AbortController();
    // Not AbortSignal.timeout: on Node 20 the garbage collector can take it, and the request hangs forever.
    const timer = setTimeout(() => stop.abort(), SCRAPE_MS);
    try {
      const response = await fetch(this.#url, { signal: stop.signal });
      const text = await response.text();
      if (!response.ok) throw new Error(`it answers ${response.status}`);
      this.#problem = undefined;
      return sampleOf(parseMetrics(text), performance.now());
    } catch (error) {
      this.#problem = `${this.#url}: ${describe(error)}`;
      return undefined;
    } finally {
      clearTimeout(timer);
    }
  }
}

/** The sample that a scrape holds. */
export function sampleOf(lines: readonly MetricLine[], atMs: number): ServerSample {
  const call = (method: ServerMethod) => {
    const labels = { method, status: 'OK' };
    return {
      count: sumOf(lines, 'sqlenv_call_seconds_count', labels) ?? 0,
      sumS: sumOf(lines, 'sqlenv_call_seconds_sum', labels) ?? 0,
    };
  };
  return {
    atMs,
    cpuS: sumOf(lines, 'process_cpu_seconds_total'),
    memoryBytes: sumOf(lines, 'process_resident_memory_bytes'),
    loopActiveS: sumOf(lines, 'sqlenv_event_loop_active_seconds_total'),
    lagCounts: lines
      .filter(({ name }) => name === 'sqlenv_event_loop_lag_seconds_bucket')
      .map(
        ({ labels, value }) => [Number(labels['le']?.replace('+Inf', 'Infinity')), value] as const,
      )
      .toSorted(([a], [b]) => a - b),
    calls: { Reset: call('Reset'), Step: call('Step'), Score: call('Score') },
  };
}

/** What happened from the first of the samples to the last, in the order of time; undefined for fewer than two. */
export function usageBetween(samples: readonly ServerSample[]): ServerUsage | undefined {
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  const memory = samples.flatMap(({ memoryBytes }) => memoryBytes ?? []);
  const activeS = difference(last.loopActiveS, first.loopActiveS);
  const wallS = (last.atMs - first.atMs) / 1_000;
  const mean = (method: ServerMethod): number | undefined => {
    const count = last.calls[method].count - first.calls[method].count;
    const sumS = last.calls[method].sumS - first.calls[method].sumS;
    return count > 0 ? (sumS / count) * 1_000 : undefined;
  };
  return {
    cpuS: difference(last.cpuS, first.cpuS),
    memoryBytesMax: memory.length === 0 ? undefined : Math.max(...memory),
    memoryBytesStart: first.memoryBytes,
    memoryBytesEnd: last.memoryBytes,
    loopBusyShare: activeS === undefined ? undefined : activeS / wallS,
    loopLagMsMax: lagBetween(first, last),
    meanMs: { Reset: mean('Reset'), Step: mean('Step'), Score: mean('Score') },
  };
}

function lagBetween(first: ServerSample, last: ServerSample): number | undefined {
  const before = new Map(first.lagCounts);
  const total = (last.lagCounts.at(-1)?.[1] ?? 0) - (first.lagCounts.at(-1)?.[1] ?? 0);
  if (total <= 0) return undefined;
  for (const [boundS, count] of last.lagCounts) {
    if (count - (before.get(boundS) ?? 0) >= total) return boundS * 1_000;
  }
  return undefined;
}

/** Undefined if either is, or if the server was started anew in between. */
function difference(last: number | undefined, first: number | undefined): number | undefined {
  if (last === undefined || first === undefined || last < first) return undefined;
  return last - first;
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.name === 'AbortError') return `no answer within ${SCRAPE_MS} ms`;
  // fetch hides what happened in the cause.
  const cause = error.cause instanceof Error ? error.cause : undefined;
  return (cause as NodeJS.ErrnoException | undefined)?.code ?? cause?.message ?? error.message;
}
