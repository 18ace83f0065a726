import type { Connection } from './connection.ts';
import { classifyFailure, type RunFailure } from './failure.ts';
import type { RunClocks, RunTimes } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';

/** Why the guard stopped a query. */
export type StopReason = 'none' | 'cpu' | 'wall' | 'cancel';

/** What the guard knows of a query that has ended. */
export interface RunFacts {
  readonly stop: StopReason;
  /** Uses of tables that hold data, as the authorizer saw them. */
  readonly tableReadCount: number;
  readonly denied: boolean;
  /** It went over the memory or the temporary space of a query. */
  readonly spaceFull: boolean;
  /** The system had no memory left: not the query's fault. */
  readonly outOfMemory: boolean;
  /** It calls the clock or a random function, itself or through a view: asked again it may give something else. */
  readonly volatile: boolean;
}

/** How a guarded run ended. */
export type RunOutcome<T> =
  | {
      readonly kind: 'value';
      readonly value: T;
      readonly facts: RunFacts;
      readonly times: RunTimes;
    }
  | {
      readonly kind: 'failed';
      readonly failure: RunFailure;
      readonly facts: RunFacts;
      readonly times: RunTimes;
    };

const STOP_REASONS: readonly StopReason[] = ['none', 'cpu', 'wall', 'cancel'];

/** Filled by the guard: stop reason, CPU us, wall us, tables read, denials, space full, out of memory, volatile calls. */
const facts = new Float64Array(8);

/** What is charged for something that is answered without running. */
export function noTimes(): RunTimes {
  return { startedUs: nowUs(), cpuUs: 0, wallUs: 0 };
}

function nowUs(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/**
 * Runs `body` on a connection with the guard's clocks on it. Everything that SQL can do to it comes back as a value: the
 * clocks are stopped whatever happens, so nothing of this query can hit the next one.
 */
export function guardedRun<T>(
  guard: NativeGuard,
  connection: Connection,
  query: { readonly queryId: number; readonly clocks: RunClocks },
  body: () => T,
): RunOutcome<T> {
  const startedUs = nowUs();
  let value: T | undefined;
  let thrown: { readonly error: unknown } | undefined;
  guard.arm(connection.number, query.queryId, query.clocks.cpuMs, query.clocks.wallMs);
  try {
    value = body();
  } catch (error) {
    thrown = { error };
  } finally {
    guard.disarm(connection.number, facts);
  }
  const times = { startedUs, cpuUs: Math.round(facts[1] ?? 0), wallUs: Math.round(facts[2] ?? 0) };
  const known: RunFacts = {
    stop: STOP_REASONS[facts[0] ?? 0] ?? 'none',
    tableReadCount: facts[3] ?? 0,
    denied: (facts[4] ?? 0) > 0,
    spaceFull: (facts[5] ?? 0) > 0,
    outOfMemory: (facts[6] ?? 0) > 0,
    volatile: (facts[7] ?? 0) > 0,
  };
  const failure = classifyFailure(thrown, known);
  if (failure) return { kind: 'failed', failure, facts: known, times };
  return { kind: 'value', value: value as T, facts: known, times };
}
