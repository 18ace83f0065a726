import { availableParallelism } from 'node:os';
import { randomUUID } from 'node:crypto';
import { ConfigError } from '../config.ts';
import type { Loop } from '../loadtest/arrivals.ts';
import { parseThink, parseTurns, type ThinkDistribution } from '../loadtest/distributions.ts';
import type { SourceOptions } from '../loadtest/messages.ts';
import { parseShares, type ScriptTask } from '../loadtest/policies.ts';
import type { LoadOptions } from '../loadtest/run-load.ts';
import { parseThreshold, type Threshold } from '../loadtest/thresholds.ts';
import { TRANSPORTS } from '../loadtest/transport.ts';
import { suggest } from '../suggest.ts';
import type { LoadtestFlags } from './loadtest.ts';
import { PROGRESS_KINDS, type ProgressKind } from './live-lines.ts';
import { decimalNumber, wholeNumber } from './numbers.ts';

/** The flags of a load test, checked. */
export interface LoadtestPlan {
  /** All of the load that does not depend on the server. */
  readonly load: Omit<LoadOptions, 'address' | 'metricsUrl' | 'source'>;
  /** Where episodes come from, given the server's tasks. */
  readonly sourceOf: (tasks: readonly ScriptTask[]) => SourceOptions;
  readonly isRecorded: boolean;
  readonly metricsUrl: string | undefined;
  readonly stepSeconds: number;
  readonly progress: ProgressKind;
  readonly thresholds: readonly Threshold[];
  /** Batches that are measured, if not only time bounds them. */
  readonly batchCount: number | undefined;
  readonly seconds: number | undefined;
  /** What the report says of the load. */
  readonly facts: Readonly<Record<string, string | number | boolean | null>>;
}

/** Enough for every purpose, and still a whole number in JSON. */
const BATCHES_UNBOUNDED = 1e9;

const DEFAULT_BATCH_COUNT = 5;
const DEFAULT_QUERY_MS = 2_000;
const DEFAULT_TIME_LIMIT_S = 600;

/** Checks the flags. Throws `ConfigError`. */
export function planLoadtest(flags: LoadtestFlags): LoadtestPlan {
  const promptCount = wholeNumber('--prompts', flags.prompts, 1, 100_000);
  const rolloutCount = wholeNumber('--rollouts', flags.rollouts, 1, 10_000);
  const connectionCount = wholeNumber('--connections', flags.connections, 1, 1_000);
  const bounds = boundsOf(flags);
  const seed = wholeNumber('--seed', flags.seed, 0, Number.MAX_SAFE_INTEGER);
  const shape = { promptCount, rolloutCount, seed };
  const loop = loopOf(flags);
  const clientCount = clientCountOf(flags, connectionCount);
  const { sourceOf, think } = sourcePlan(flags, shape);
  return {
    load: {
      transport: oneOf('--transport', flags.transport, TRANSPORTS),
      connectionCount,
      deadlineMs: wholeNumber('--deadline-ms', flags.deadlineMs, 1, 86_400_000),
      loop,
      score: flags.score === true,
      runId: `loadtest/${randomUUID()}`,
      clientCount,
      ...bounds.load,
    },
    sourceOf,
    isRecorded: flags.trajectories !== undefined,
    metricsUrl: flags.metricsAddress === undefined ? undefined : metricsUrl(flags.metricsAddress),
    stepSeconds: decimalNumber('--step-seconds', flags.stepSeconds, 0.001, 1e6),
    progress: oneOf('--progress', flags.progress, PROGRESS_KINDS),
    thresholds: (flags.failIf ?? []).map((text) => parseThreshold('--fail-if', text)),
    batchCount: bounds.batchCount,
    seconds: bounds.seconds,
    facts: {
      seed,
      prompts: promptCount,
      rollouts: rolloutCount,
      batches: bounds.batchCount ?? null,
      seconds: bounds.seconds ?? null,
      warmup: bounds.load.warmupCount,
      turns: flags.trajectories === undefined ? flags.turns : 'recorded',
      think: think.kind === 'none' || think.kind === 'recorded' ? think.kind : (flags.think ?? ''),
      policies: flags.trajectories === undefined ? flags.policies : 'recorded',
      query_ms_max: flags.queryMsMax ?? null,
      score: flags.score === true,
      arrival_rate: loop.kind === 'open' ? loop.rate : null,
      arrivals: loop.kind === 'open' ? loop.arrivals : null,
      connections: connectionCount,
      client_workers: clientCount,
      transport: flags.transport,
      deadline_ms: Number(flags.deadlineMs),
    },
  };
}

function boundsOf(flags: LoadtestFlags) {
  const seconds =
    flags.seconds === undefined ? undefined : decimalNumber('--seconds', flags.seconds, 0.001, 1e6);
  const given =
    flags.batches === undefined ? undefined : wholeNumber('--batches', flags.batches, 1, 1e9);
  const batchCount = given ?? (seconds === undefined ? DEFAULT_BATCH_COUNT : undefined);
  const timeLimitS =
    flags.timeLimit === undefined
      ? Math.max(DEFAULT_TIME_LIMIT_S, 2 * (seconds ?? 0) + 60)
      : decimalNumber('--time-limit', flags.timeLimit, 0.1, 2e6);
  return {
    batchCount,
    seconds,
    load: {
      warmupCount: wholeNumber('--warmup', flags.warmup, 0, 1e6),
      batchCountMax: batchCount ?? BATCHES_UNBOUNDED,
      measureMsMax: seconds === undefined ? undefined : seconds * 1_000,
      timeLimitMs: timeLimitS * 1_000,
    },
  };
}

function loopOf(flags: LoadtestFlags): Loop {
  const arrivals = oneOf('--arrivals', flags.arrivals, ['poisson', 'uniform'] as const);
  if (flags.arrivalRate === undefined) return { kind: 'closed' };
  const rate = decimalNumber('--arrival-rate', flags.arrivalRate, 0.001, 1e6);
  return { kind: 'open', rate, arrivals };
}

function clientCountOf({ clientWorkers }: LoadtestFlags, connectionCount: number): number {
  if (clientWorkers === undefined) return Math.min(connectionCount, availableParallelism());
  const count = wholeNumber('--client-workers', clientWorkers, 1, 256);
  if (count <= connectionCount) return count;
  throw new ConfigError([
    `--client-workers: ${count} processes can't share ${connectionCount} connections; give as many --connections`,
  ]);
}

interface Shape {
  readonly promptCount: number;
  readonly rolloutCount: number;
  readonly seed: number;
}

function sourcePlan(
  flags: LoadtestFlags,
  shape: Shape,
): { readonly sourceOf: LoadtestPlan['sourceOf']; readonly think: ThinkDistribution } {
  const queryMs =
    flags.queryMsMax === undefined
      ? undefined
      : wholeNumber('--query-ms-max', flags.queryMsMax, 1, 600_000);
  const turns = parseTurns('--turns', flags.turns);
  const shares = parseShares('--policies', flags.policies);
  const paths = flags.trajectories;
  if (paths !== undefined) {
    const think = parseThink('--think', flags.think ?? 'recorded');
    const plan = { ...shape, think, queryMsMax: queryMs ?? 0 };
    return { sourceOf: () => ({ kind: 'recorded', paths, plan }), think };
  }
  const think = parseThink('--think', flags.think ?? 'none');
  if (think.kind === 'recorded') {
    throw new ConfigError(['--think recorded goes with --trajectories']);
  }
  const queryMsMax = queryMs ?? DEFAULT_QUERY_MS;
  return {
    sourceOf: (tasks) => ({
      kind: 'scripted',
      plan: { ...shape, tasks, shares, turns, think, queryMsMax },
    }),
    think,
  };
}

function oneOf<T extends string>(flag: string, text: string, allowed: readonly T[]): T {
  const found = allowed.find((each) => each === text);
  if (found !== undefined) return found;
  throw new ConfigError([
    `${flag}: ${JSON.stringify(text)} is not allowed${suggest(text, allowed)}; it must be ${allowed.join(' or ')}`,
  ]);
}

function metricsUrl(address: string): string {
  if (/^https?:\/\//.test(address) && URL.canParse(address)) return address;
  checkAddress('--metrics-address', address);
  return `http://${address}/metrics`;
}

/** Makes sure that a text is `host:port`. Throws `ConfigError`. */
export function checkAddress(flag: string, address: string): void {
  const [, port = ''] = /^(?:[^\s:/[\]]+|\[[0-9a-fA-F:.]+\]):(\d{1,5})$/.exec(address) ?? [];
  if (Number(port) >= 1 && Number(port) <= 65_535) return;
  throw new ConfigError([
    `${flag}: ${JSON.stringify(address)} is not allowed; it must be HOST:PORT, such as 127.0.0.1:50051`,
  ]);
}
