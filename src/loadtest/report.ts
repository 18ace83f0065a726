import { z } from 'zod';
import type { HistogramData } from './histogram.ts';
import { boundsOf } from './histogram.ts';
import type { Metrics } from './metrics.ts';
import type { LoadOutcome } from './outcome.ts';
import { reportMetrics } from './report-metrics.ts';
import type { ThresholdChecked } from './thresholds.ts';

/** Version of the format; a change that breaks a reader is a new number. */
export const REPORT_VERSION = 1;

/** What is known of a load besides what was measured. Keys as in the JSON. */
export interface ReportFacts {
  readonly started_at: string;
  readonly sqlenv_version: string;
  readonly machine: {
    readonly node_version: string;
    readonly platform: string;
    readonly core_count: number;
    readonly cpu_model: string;
    /** Of the last minute, at the start: over the number of cores, other programs were at work. */
    readonly load_average: number;
  };
  readonly server: {
    readonly address: string;
    /** Started by the load test itself. */
    readonly own: boolean;
    readonly version: string;
    readonly sqlite_version: string;
    readonly catalog_sha256: string;
    readonly task_count: number;
  };
  /** The settings of the load, by flag. */
  readonly load: Readonly<Record<string, string | number | boolean | null>>;
  /** How long a training step takes, seconds. */
  readonly step_seconds: number;
}

/** One bucket of a distribution: `[from_ms, to_ms, count]`. */
export type ReportBucket = readonly [number, number, number];

/** The report as data: what `--json` writes, and what the text, the page and comparisons are made from. */
export interface LoadReport extends ReportFacts {
  readonly format: 'sqlenv-loadtest';
  readonly version: typeof REPORT_VERSION;
  readonly end: LoadOutcome['end']['kind'];
  readonly end_message: string;
  readonly measured_ms: number;
  readonly plan_sha256: string;
  readonly metrics: Metrics;
  readonly batches: readonly {
    readonly batch_index: number;
    readonly wall_ms: number | null;
    readonly environment_ms: number | null;
    readonly metrics: Metrics;
  }[];
  readonly policies: readonly {
    readonly policy: string;
    readonly episode_count: number;
    readonly return_mean: number | null;
    readonly wrong_count: number;
    readonly lost_count: number;
  }[];
  readonly errors: readonly {
    readonly call: string;
    readonly reason: string;
    readonly count: number;
    readonly message: string;
  }[];
  /** Rewards that were not those of the scripts, by verdict; `answer_time_limit:wall` names the clock. */
  readonly wrong_rewards: readonly {
    readonly policy: string;
    readonly verdict: string;
    readonly count: number;
    readonly message: string;
  }[];
  /** Lines and files of recorded trajectories that could not be read. */
  readonly source_problem_count: number;
  /** Failed calls and wrong rewards of the warm-up. */
  readonly warmup_failure_count: number;
  readonly clients: readonly {
    readonly cpu_ms: number;
    readonly busy_share: number;
    readonly busy_share_max: number;
    readonly loop_p99_ms: number;
    readonly loop_max_ms: number;
  }[];
  /** Why the client was itself the bottleneck; empty if it was not. */
  readonly client_bottlenecks: readonly string[];
  /** Why there are no figures of the server; empty if there are. */
  readonly server_problem: string;
  readonly distributions: Readonly<Record<string, readonly ReportBucket[]>>;
  readonly timeline: {
    readonly window_s: number;
    readonly points: readonly {
      readonly at_s: number;
      readonly episode_count: number;
      readonly step_count: number;
      readonly error_count: number;
      readonly step_p50_ms: number;
      readonly step_p99_ms: number;
      readonly warmup: boolean;
    }[];
  };
  readonly thresholds: readonly {
    readonly text: string;
    readonly value: number | null;
    readonly crossed: boolean;
  }[];
}

/** The report of a load, without its thresholds. */
export function createReport(
  outcome: LoadOutcome,
  facts: ReportFacts,
  bottlenecks: readonly string[],
): LoadReport {
  const { end, tally } = outcome;
  return {
    format: 'sqlenv-loadtest',
    version: REPORT_VERSION,
    ...facts,
    end: end.kind,
    end_message: end.kind === 'client_lost' ? end.message : '',
    measured_ms: Math.round(outcome.measuredMs),
    plan_sha256: outcome.planSha256,
    metrics: reportMetrics(outcome, facts.step_seconds),
    batches: outcome.batches.map(({ batchIndex, wallMs, environmentMs, metrics }) => ({
      batch_index: batchIndex,
      wall_ms: wallMs ?? null,
      environment_ms: environmentMs ?? null,
      metrics: keptOfBatch(metrics),
    })),
    policies: [...tally.policies].map(([policy, counts]) => ({
      policy,
      episode_count: counts.endedCount + counts.lostCount,
      return_mean: counts.endedCount === 0 ? null : shortened(counts.returnSum / counts.endedCount),
      wrong_count: counts.wrongCount,
      lost_count: counts.lostCount,
    })),
    errors: [...tally.errors].map(([key, { count, message }]) => {
      const [call = '', reason = ''] = key.split(' ');
      return { call, reason, count, message };
    }),
    wrong_rewards: [...tally.wrongs].map(([key, { count, message }]) => {
      const [policy = '', verdict = ''] = key.split(' ');
      return { policy, verdict, count, message };
    }),
    source_problem_count: outcome.sourceProblems.length,
    warmup_failure_count: outcome.warmupFailureCount,
    clients: outcome.clients.map((client) => ({
      cpu_ms: Math.round(client.cpuMs),
      busy_share: shortened(client.busyShare),
      busy_share_max: shortened(client.busyShareMax),
      loop_p99_ms: shortened(client.loopP99Ms),
      loop_max_ms: shortened(client.loopMaxMs),
    })),
    client_bottlenecks: bottlenecks,
    server_problem: outcome.serverProblem ?? '',
    distributions: Object.fromEntries(
      [...tally.times].map(([name, histogram]) => [name, bucketsOf(histogram.data())]),
    ),
    timeline: timelineOf(outcome),
    thresholds: [],
  };
}

/** The report with what became of its thresholds. */
export function withThresholds(
  report: LoadReport,
  checked: readonly ThresholdChecked[],
): LoadReport {
  const thresholds = checked.map(({ text, value, crossed }) => ({
    text,
    value: value ?? null,
    crossed,
  }));
  return { ...report, thresholds };
}

/** What a comparison reads of an older report. Looser than what is written, so that reports of other versions fit. */
const ReportRead = z.looseObject({
  format: z.literal('sqlenv-loadtest'),
  version: z.literal(REPORT_VERSION),
  started_at: z.string(),
  sqlenv_version: z.string(),
  plan_sha256: z.string(),
  machine: z.looseObject({
    core_count: z.number(),
    cpu_model: z.string(),
    load_average: z.number(),
  }),
  metrics: z.record(z.string(), z.number()),
  batches: z.array(z.looseObject({ metrics: z.record(z.string(), z.number()) })),
});

/** A report, as far as comparisons read it. */
export type ComparableReport = Pick<
  LoadReport,
  'started_at' | 'sqlenv_version' | 'plan_sha256' | 'metrics'
> & {
  readonly machine: Pick<LoadReport['machine'], 'core_count' | 'cpu_model' | 'load_average'>;
  readonly batches: readonly { readonly metrics: Metrics }[];
};

/** Reads the text of a report; gives what is wrong with it if it is none. */
export function parseReport(text: string): ComparableReport | string {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  const parsed = ReportRead.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  return `it is no report of a load test: ${issue?.path.join('.') || 'it'}: ${issue?.message}`;
}

/** A long run has hundreds of batches: of each only what a comparison can use. */
function keptOfBatch(metrics: Metrics): Metrics {
  return Object.fromEntries(
    Object.entries(metrics).filter(
      ([name]) => !/\.(count|p90|p95|p99\.9)$|^(policy|close|errors)\./.test(name),
    ),
  );
}

function bucketsOf({ buckets, counts }: HistogramData): ReportBucket[] {
  return buckets.map((bucket, index) => {
    const { fromMs, toMs } = boundsOf(bucket);
    return [shortened(fromMs), shortened(toMs), counts[index] ?? 0];
  });
}

function timelineOf({ timeline }: LoadOutcome): LoadReport['timeline'] {
  return {
    window_s: timeline.windowS,
    points: timeline.points.map((point) => ({
      at_s: point.atS,
      episode_count: point.episodeCount,
      step_count: point.stepCount,
      error_count: point.errorCount,
      step_p50_ms: shortened(point.stepP50Ms),
      step_p99_ms: shortened(point.stepP99Ms),
      warmup: point.warmup,
    })),
  };
}

function shortened(value: number): number {
  return Number(value.toPrecision(5));
}
