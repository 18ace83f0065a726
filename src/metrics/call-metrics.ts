import type { CallHeaders, CallObserver, CallTelemetry } from '../episodes/telemetry.ts';
import {
  CounterFamily,
  HistogramFamily,
  ReadFamily,
  type Cell,
  type Family,
  type HistogramCell,
} from './families.ts';
import { SECONDS_BOUNDS } from './query-metrics.ts';

/** Names of the gRPC status codes, in their order. */
const STATUS_NAMES = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const;

/** Counts and times calls. */
export class CallMetrics implements CallTelemetry {
  readonly families: readonly Family[];
  readonly #calls: CounterFamily;
  readonly #seconds: HistogramFamily;
  readonly #methods = new Map<string, MethodCells>();

  constructor() {
    this.#calls = new CounterFamily(
      'sqlenv_calls_total',
      'Calls that ended, by method, gRPC status and error reason; no reason for calls that went well or were given up.',
      ['method', 'status', 'reason'],
    );
    this.#seconds = new HistogramFamily(
      'sqlenv_call_seconds',
      'Time from the arrival of a call to its answer, in the server.',
      SECONDS_BOUNDS,
      ['method', 'status'],
    );
    const running = new ReadFamily(
      'gauge',
      'sqlenv_running_calls',
      'Calls under way.',
      () => [...this.#methods].map(([method, { runningCount }]) => [[method], runningCount]),
      ['method'],
    );
    this.families = [this.#calls, this.#seconds, running];
  }

  begin(method: string, _headers: CallHeaders, _request: unknown): CallObserver {
    let cells = this.#methods.get(method);
    if (cells === undefined) {
      cells = new MethodCells(method, this.#calls, this.#seconds);
      this.#methods.set(method, cells);
    }
    return new TimedCall(cells);
  }
}

/** The numbers of one method; those of failures are made when the first call fails in that way. */
class MethodCells {
  runningCount = 0;
  readonly #method: string;
  readonly #calls: CounterFamily;
  readonly #seconds: HistogramFamily;
  readonly #counts: Record<string | number, Cell> = {};
  readonly #times: HistogramCell[] = [];

  constructor(method: string, calls: CounterFamily, seconds: HistogramFamily) {
    this.#method = method;
    this.#calls = calls;
    this.#seconds = seconds;
  }

  count(code: number, reason: string, seconds: number): void {
    const status = STATUS_NAMES[code] ?? 'UNKNOWN';
    // Every reason has one status code, and calls without a reason are told apart by theirs.
    const key = reason === '' ? code : reason;
    const cell = (this.#counts[key] ??= this.#calls.cell([this.#method, status, reason]));
    cell.value += 1;
    const times = (this.#times[code] ??= this.#seconds.cell([this.#method, status]));
    times.observe(seconds);
  }
}

class TimedCall implements CallObserver {
  readonly #cells: MethodCells;
  readonly #startedMs = performance.now();

  constructor(cells: MethodCells) {
    this.#cells = cells;
    cells.runningCount += 1;
  }

  answered(): void {}

  ended(code: number, reason: string): void {
    this.#cells.runningCount -= 1;
    this.#cells.count(code, reason, (performance.now() - this.#startedMs) / 1_000);
  }
}
