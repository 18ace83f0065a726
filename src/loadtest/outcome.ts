import type { InputProblem } from '../tasks/task-set.ts';
import type { ClientUsage } from './messages.ts';
import type { Metrics } from './metrics.ts';
import type { ServerUsage } from './server-probe.ts';
import type { Tally } from './tally.ts';
import type { TimelinePoint } from './timeline.ts';

/** How a load ended. */
export type LoadEnd =
  | { readonly kind: 'complete' }
  /** The user wanted it to. */
  | { readonly kind: 'interrupted' }
  | { readonly kind: 'time_limit' }
  /** Only failures came back. */
  | { readonly kind: 'server_gone' }
  | { readonly kind: 'client_lost'; readonly message: string };

/** One batch that was played to its end and counted. */
export interface BatchOutcome {
  readonly batchIndex: number;
  /** Undefined in an open loop, where batches overlap. */
  readonly wallMs: number | undefined;
  /** What the batch took on top of its longest think times, milliseconds; undefined in an open loop. */
  readonly environmentMs: number | undefined;
  readonly metrics: Metrics;
}

/** How busy a client process was. */
export interface ClientOutcome {
  readonly cpuMs: number;
  /** Share of its working time in which its event loop was busy, 0 to 1: the mean, and that of its busiest batch. */
  readonly busyShare: number;
  readonly busyShareMax: number;
  /** Largest of the batches, milliseconds. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
}

/** All that was measured. */
export interface LoadOutcome {
  readonly end: LoadEnd;
  /** Everything but the warm-up. */
  readonly tally: Tally;
  /** Failed calls and wrong rewards of the warm-up: they are not counted, and not hidden. */
  readonly warmupFailureCount: number;
  /** Time in which it was measured, milliseconds; between batches it stands still. */
  readonly measuredMs: number;
  readonly batches: readonly BatchOutcome[];
  readonly timeline: { readonly windowS: number; readonly points: readonly TimelinePoint[] };
  readonly clients: readonly ClientOutcome[];
  readonly server: ServerUsage | undefined;
  /** Why there is none. */
  readonly serverProblem: string | undefined;
  /** SHA-256 over the plan of the batches. */
  readonly planSha256: string;
  /** What could not be read of the episodes' source. */
  readonly sourceProblems: readonly InputProblem[];
}

/** What is known of a load while it runs. */
export interface LoadProgress {
  readonly isWarmup: boolean;
  readonly elapsedMs: number;
  /** Batches that were counted. */
  readonly batchCount: number;
  readonly episodeCount: number;
  /** Under way. */
  readonly openCount: number;
  readonly lostCount: number;
  readonly wrongCount: number;
  readonly errorCount: number;
  /** In the last seconds. */
  readonly episodesPerS: number;
  readonly stepsPerS: number;
  /** Of the steps so far, milliseconds. */
  readonly stepP50Ms: number;
  readonly stepP99Ms: number;
}

/** What one client used, over its batches. */
export function clientOutcome(usages: readonly ClientUsage[]): ClientOutcome {
  const wallMs = usages.reduce((sum, usage) => sum + usage.wallMs, 0);
  const busyMs = usages.reduce((sum, usage) => sum + usage.busyShare * usage.wallMs, 0);
  const most = (of: (usage: ClientUsage) => number): number =>
    usages.reduce((max, usage) => Math.max(max, of(usage)), 0);
  return {
    cpuMs: usages.reduce((sum, usage) => sum + usage.cpuMs, 0),
    busyShare: wallMs === 0 ? 0 : busyMs / wallMs,
    busyShareMax: most(({ busyShare }) => busyShare),
    loopP99Ms: most(({ loopP99Ms }) => loopP99Ms),
    loopMaxMs: most(({ loopMaxMs }) => loopMaxMs),
  };
}
