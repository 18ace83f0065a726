import type { QueryLane, QueryOutcome, QueryPurpose, QueryTelemetry } from '../episodes/ports.ts';
import {
  CounterFamily,
  HistogramFamily,
  type Cell,
  type Family,
  type HistogramCell,
} from './families.ts';

/** Upper bounds of all durations, seconds: a query takes tens of microseconds or, in the slow lane, seconds. */
export const SECONDS_BOUNDS = [
  0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5,
  10, 30,
];

interface LaneTimes {
  readonly queue: HistogramCell;
  readonly cpu: HistogramCell;
  readonly wall: HistogramCell;
}

/** Counts what the executor runs. */
export class QueryMetrics implements QueryTelemetry {
  readonly families: readonly Family[];
  readonly #queries: CounterFamily;
  /** By purpose, lane and outcome; a cell is made when its first query ends. */
  readonly #cells: Partial<
    Record<QueryPurpose, Partial<Record<QueryLane, Partial<Record<QueryOutcome, Cell>>>>>
  > = {};
  readonly #times: Readonly<Record<QueryLane, LaneTimes>>;
  readonly #overruns: Cell;

  constructor() {
    this.#queries = new CounterFamily(
      'sqlenv_queries_total',
      'Queries that ended, by what they were run for, the lane they ended in, and how; failures of ours included.',
      ['purpose', 'lane', 'status'],
    );
    const overruns = new CounterFamily(
      'sqlenv_trial_overruns_total',
      'Queries that outlasted their trial in the fast lane and were moved to the slow one.',
    );
    const queue = laneHistogram(
      'sqlenv_queue_wait_seconds',
      'Time that queries waited for a thread, all waits of one query together.',
    );
    const cpu = laneHistogram('sqlenv_query_cpu_seconds', 'CPU time of queries.');
    const wall = laneHistogram('sqlenv_query_wall_seconds', 'Wall time that queries ran for.');
    const timesOf = (lane: string): LaneTimes => ({
      queue: queue.cell([lane]),
      cpu: cpu.cell([lane]),
      wall: wall.cell([lane]),
    });
    const [fast, slow] = [timesOf('fast'), timesOf('slow')];
    // Those that reach no lane are not timed.
    this.#times = { fast, slow, none: fast };
    this.#overruns = overruns.cell([], true);
    this.families = [this.#queries, overruns, queue, cpu, wall];
  }

  queryEnded(purpose: QueryPurpose, lane: QueryLane, outcome: QueryOutcome): void {
    const lanes = (this.#cells[purpose] ??= {});
    const outcomes = (lanes[lane] ??= {});
    const cell = (outcomes[outcome] ??= this.#queries.cell([purpose, lane, outcome]));
    cell.value += 1;
  }

  queryTimed(lane: QueryLane, queueUs: number, cpuUs: number, wallUs: number): void {
    const times = this.#times[lane];
    times.queue.observe(queueUs / 1_000_000);
    times.cpu.observe(cpuUs / 1_000_000);
    times.wall.observe(wallUs / 1_000_000);
  }

  trialOverrun(): void {
    this.#overruns.value += 1;
  }
}

function laneHistogram(name: string, help: string): HistogramFamily {
  return new HistogramFamily(name, help, SECONDS_BOUNDS, ['lane']);
}
