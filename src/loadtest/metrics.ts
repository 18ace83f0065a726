import { HONEST_POLICIES } from './policies.ts';
import type { Tally } from './tally.ts';
import { STEP_TIMES } from './timeline.ts';

/** Figures by name; docs/loadtest.md has a row for each. Times are in milliseconds, shares in per cent, memory in bytes. */
export type Metrics = Readonly<Record<string, number>>;

/** What a figure is measured in. */
export type MetricUnit = 'ms' | '%' | 'bytes' | 's' | 'per_s' | 'count';

/** What is known of a figure. */
export interface MetricInfo {
  readonly unit: MetricUnit;
  /** Whether more of it is worse; undefined for what is neither. */
  readonly lowerIsBetter: boolean | undefined;
}

/** Quantiles that are reported, as shares, by name. */
export const QUANTILES = [
  ['p50', 0.5],
  ['p90', 0.9],
  ['p95', 0.95],
  ['p99', 0.99],
  ['p99.9', 0.999],
] as const;

/** What is said of every distribution of times. */
const STATISTICS = ['count', 'mean', ...QUANTILES.map(([name]) => name), 'max'] as const;

/** Distributions of times by name, in the order in which they are shown; those of policies come after them. */
export const TIMES = [
  'reset',
  'step',
  'step.tool',
  'step.answer',
  'honest',
  'score',
  'close',
  'failed',
  'queue',
  'query',
  'rest',
  'episode',
] as const;

/** Figures that stand alone. */
const SINGLE: Readonly<Record<string, MetricInfo>> = {
  episodes: { unit: 'count', lowerIsBetter: undefined },
  steps: { unit: 'count', lowerIsBetter: undefined },
  episodes_per_s: { unit: 'per_s', lowerIsBetter: false },
  steps_per_s: { unit: 'per_s', lowerIsBetter: false },
  errors: { unit: 'count', lowerIsBetter: true },
  lost: { unit: 'count', lowerIsBetter: true },
  'lost.share': { unit: '%', lowerIsBetter: true },
  cut: { unit: 'count', lowerIsBetter: undefined },
  'rewards.wrong': { unit: 'count', lowerIsBetter: true },
  'batch.count': { unit: 'count', lowerIsBetter: undefined },
  'batch.median': { unit: 'ms', lowerIsBetter: true },
  'batch.min': { unit: 'ms', lowerIsBetter: true },
  'batch.max': { unit: 'ms', lowerIsBetter: true },
  'environment.median': { unit: 'ms', lowerIsBetter: true },
  'training.share': { unit: '%', lowerIsBetter: true },
  'server.cpu': { unit: 's', lowerIsBetter: true },
  'server.cpu_per_1000_steps': { unit: 's', lowerIsBetter: true },
  'server.memory.max': { unit: 'bytes', lowerIsBetter: true },
  'server.memory.growth': { unit: 'bytes', lowerIsBetter: true },
  'server.loop.busy': { unit: '%', lowerIsBetter: true },
  'server.loop.lag_max': { unit: 'ms', lowerIsBetter: true },
  'server.reset.mean': { unit: 'ms', lowerIsBetter: true },
  'server.step.mean': { unit: 'ms', lowerIsBetter: true },
  'wire.reset.mean': { unit: 'ms', lowerIsBetter: true },
  'wire.step.mean': { unit: 'ms', lowerIsBetter: true },
  'client.busy.max': { unit: '%', lowerIsBetter: true },
  'client.loop.p99': { unit: 'ms', lowerIsBetter: true },
  'client.cpu_per_1000_steps': { unit: 's', lowerIsBetter: true },
  'compare.worse': { unit: 'count', lowerIsBetter: true },
};

/** What is known of the figure of a name; undefined if there is no such name. */
export function metricInfo(name: string): MetricInfo | undefined {
  const single = SINGLE[name];
  if (single !== undefined && Object.hasOwn(SINGLE, name)) return single;
  if (/^errors\.[A-Z_]+$/.test(name)) return { unit: 'count', lowerIsBetter: true };
  const statistic = STATISTICS.find((each) => name.endsWith(`.${each}`));
  if (statistic === undefined) return undefined;
  const timed = name.slice(0, -statistic.length - 1);
  if (!(TIMES as readonly string[]).includes(timed) && !/^policy\.[a-z]+$/.test(timed)) {
    return undefined;
  }
  return statistic === 'count'
    ? { unit: 'count', lowerIsBetter: undefined }
    : { unit: 'ms', lowerIsBetter: true };
}

/** All names that do not depend on what happened, for hints about names that are not known. */
export function metricNames(policies: readonly string[]): string[] {
  const timed = [...TIMES, ...policies.map((name) => `policy.${name}`)];
  return [
    ...Object.keys(SINGLE),
    ...timed.flatMap((name) => STATISTICS.map((statistic) => `${name}.${statistic}`)),
  ];
}

/** The figures of a tally. Distributions without a single time have none. */
export function tallyMetrics(tally: Tally): Record<string, number> {
  const honest = [...tally.policies.keys()].filter((name) => HONEST_POLICIES.has(name));
  const distributions = [
    ...[...tally.times].map(([name, histogram]) => [name, histogram] as const),
    ['step', tally.together(STEP_TIMES)] as const,
    ['honest', tally.together(honest.map((name) => `policy.${name}`))] as const,
  ];
  const metrics: Record<string, number> = {};
  for (const [name, histogram] of distributions) {
    if (histogram.count === 0) continue;
    metrics[`${name}.count`] = histogram.count;
    metrics[`${name}.mean`] = rounded(histogram.mean);
    for (const [quantile, share] of QUANTILES) {
      metrics[`${name}.${quantile}`] = rounded(histogram.quantile(share));
    }
    metrics[`${name}.max`] = rounded(histogram.max);
  }
  const { endedCount, lostCount, cutCount, stepCount, errorCount, wrongCount } = tally;
  const overCount = endedCount + lostCount;
  for (const [key, { count }] of tally.errors) {
    const name = `errors.${key.split(' ')[1] ?? key}`;
    metrics[name] = (metrics[name] ?? 0) + count;
  }
  return {
    ...metrics,
    episodes: endedCount,
    steps: stepCount,
    errors: errorCount,
    lost: lostCount,
    'lost.share': overCount === 0 ? 0 : rounded((100 * lostCount) / overCount),
    cut: cutCount,
    'rewards.wrong': wrongCount,
  };
}

/** To six significant digits: no clock here is better than that, and reports stay legible. */
export function rounded(value: number): number {
  return Number(value.toPrecision(6));
}
