import { formatMs, significant } from './format.ts';
import type { LoadReport, ReportBucket } from './report.ts';
import { linearScale, logScale, svgPlot, type Scale, type Series } from './svg-plot.ts';

/** The calls that are drawn, with their colours. */
const CALLS = [
  { name: 'reset', colour: 1 },
  { name: 'step.tool', colour: 2 },
  { name: 'step.answer', colour: 3 },
] as const;

/** Points of a percentile curve; a distribution can have a thousand buckets. */
const CURVE_POINT_COUNT = 200;

/** Bars of a histogram for each factor of ten. */
const BARS_PER_DECADE = 16;

/** A plot with its heading and legend. */
export interface ReportPlot {
  readonly title: string;
  readonly note: string;
  readonly legend: readonly { readonly name: string; readonly colour: number }[];
  readonly svg: string;
}

/** All plots of a report for which there is something to draw. */
export function reportPlots(report: LoadReport): ReportPlot[] {
  return [
    percentilePlot(report),
    ...histogramPlots(report),
    throughputPlot(report),
    latencyPlot(report),
    batchPlot(report),
  ].filter((plot) => plot !== undefined);
}

function percentilePlot({ distributions }: LoadReport): ReportPlot | undefined {
  const drawn = CALLS.flatMap(({ name, colour }) => {
    const buckets = distributions[name] ?? [];
    return buckets.length === 0 ? [] : [{ name, colour, points: percentileCurve(buckets) }];
  });
  if (drawn.length === 0) return undefined;
  const all = drawn.flatMap(({ points }) => points);
  const series = drawn.map((each): Series => ({
    ...each,
    kind: 'line',
    titles: each.points.map(
      ([nines, ms]) => `${each.name} p${percentileOf(nines)}: ${formatMs(ms)}`,
    ),
  }));
  const svg = svgPlot({
    label: 'Latency by percentile',
    x: percentileScale(Math.max(...all.map(([nines]) => nines))),
    y: msScale(all.map(([, ms]) => ms)),
    xTitle: 'percentile',
    yTitle: 'latency',
    series,
  });
  return {
    title: 'Latency by percentile',
    note: 'Each mark to the right leaves a tenth of the calls over it.',
    legend: drawn,
    svg,
  };
}

/** Points of [how many nines, ms]: 1 is p90, 2 is p99. */
function percentileCurve(buckets: readonly ReportBucket[]): (readonly [number, number])[] {
  const total = buckets.reduce((sum, [, , count]) => sum + count, 0);
  let below = 0;
  const points = buckets.map(([, toMs, count]) => {
    below += count;
    return [Math.log10(total / (total - below + 1)), toMs] as const;
  });
  // Evenly over the axis: most buckets lie in the first part of it.
  const last = points.at(-1)?.[0] ?? 0;
  const kept = new Map(
    points.map((point) => [Math.round((point[0] / (last || 1)) * CURVE_POINT_COUNT), point]),
  );
  return [...kept.values()];
}

function percentileScale(max: number): Scale {
  const nines = Array.from({ length: Math.floor(max) + 1 }, (_, index) => index);
  const half = Math.log10(2);
  const marks = max > half ? [0, half, ...nines.slice(1)] : [0];
  return {
    place: (value) => value / Math.max(max, 0.1),
    ticks: marks.map((value) => ({ value, label: `p${percentileOf(value)}` })),
  };
}

function percentileOf(nines: number): string {
  const share = 100 * (1 - 10 ** -nines);
  return String(
    Number(share.toFixed(Math.max(0, Math.ceil(nines) - 1) + (nines % 1 === 0 ? 0 : 2))),
  );
}

function histogramPlots({ distributions }: LoadReport): (ReportPlot | undefined)[] {
  const drawn = CALLS.filter(({ name }) => (distributions[name] ?? []).length > 0);
  const bounds = drawn.flatMap(({ name }) =>
    (distributions[name] ?? []).flatMap(([fromMs, toMs]) => [fromMs || toMs, toMs]),
  );
  return drawn.map(({ name, colour }) => {
    const bars = new Map<number, number>();
    for (const [, toMs, count] of distributions[name] ?? []) {
      const bar = Math.floor(Math.log10(toMs) * BARS_PER_DECADE);
      bars.set(bar, (bars.get(bar) ?? 0) + count);
    }
    const points = [...bars].map(([bar, count]) => [10 ** (bar / BARS_PER_DECADE), count] as const);
    const factor = 10 ** (1 / BARS_PER_DECADE);
    // Bars are equally wide on a logarithmic axis only: drawn one by one.
    const series = points.map(([ms, count]): Series => ({
      name,
      colour,
      kind: 'bars',
      points: [[ms, count]],
      barSize: ms * (factor - 1),
      titles: [`${count} calls of ${formatMs(ms)} to ${formatMs(ms * factor)}`],
    }));
    const svg = svgPlot({
      label: `Histogram of ${name}`,
      x: msScale(bounds),
      y: linearScale(Math.max(...points.map(([, count]) => count)), significant),
      xTitle: 'latency',
      yTitle: 'calls',
      series,
      height: 200,
    });
    return { title: `Latency of ${name}`, note: '', legend: [], svg };
  });
}

function throughputPlot({ timeline }: LoadReport): ReportPlot | undefined {
  const { points, window_s } = timeline;
  if (points.length === 0) return undefined;
  const series = [
    { name: 'steps/s', colour: 2, of: (point: (typeof points)[number]) => point.step_count },
    { name: 'episodes/s', colour: 1, of: (point: (typeof points)[number]) => point.episode_count },
    { name: 'failures/s', colour: 4, of: (point: (typeof points)[number]) => point.error_count },
  ].map(({ name, colour, of }) => ({
    name,
    colour,
    kind: 'line' as const,
    points: points.map((point) => [point.at_s, of(point) / window_s] as const),
    titles: points.map(
      (point) =>
        `${point.at_s} s${point.warmup ? ' (warm-up)' : ''}: ${significant(of(point) / window_s)} ${name}`,
    ),
  }));
  const max = Math.max(...series.flatMap((each) => each.points.map(([, value]) => value)));
  const svg = svgPlot({
    label: 'Throughput over time',
    x: secondsScale(points.at(-1)?.at_s ?? 0),
    y: linearScale(max, significant),
    xTitle: 'seconds since the start',
    yTitle: 'per second',
    series,
  });
  const note = `Windows of ${window_s} s, warm-up and pauses between batches included.`;
  return { title: 'Throughput', note, legend: series, svg };
}

function latencyPlot({ timeline }: LoadReport): ReportPlot | undefined {
  const points = timeline.points.filter(({ step_count }) => step_count > 0);
  if (points.length === 0) return undefined;
  const series = [
    { name: 'step p99', colour: 5, of: (point: (typeof points)[number]) => point.step_p99_ms },
    { name: 'step p50', colour: 2, of: (point: (typeof points)[number]) => point.step_p50_ms },
  ].map(({ name, colour, of }) => ({
    name,
    colour,
    kind: 'line' as const,
    points: points.map((point) => [point.at_s, of(point)] as const),
    titles: points.map(
      (point) =>
        `${point.at_s} s${point.warmup ? ' (warm-up)' : ''}: ${name} ${formatMs(of(point))}`,
    ),
  }));
  const svg = svgPlot({
    label: 'Latency of steps over time',
    x: secondsScale(timeline.points.at(-1)?.at_s ?? 0),
    y: msScale(series.flatMap((each) => each.points.map(([, ms]) => ms))),
    xTitle: 'seconds since the start',
    yTitle: 'latency',
    series,
  });
  return { title: 'Latency of steps over time', note: '', legend: series, svg };
}

function batchPlot({ batches, metrics }: LoadReport): ReportPlot | undefined {
  const walls = batches.flatMap(({ batch_index, wall_ms }) =>
    wall_ms === null ? [] : [[batch_index, wall_ms] as const],
  );
  const [first] = walls;
  if (first === undefined) return undefined;
  const median = metrics['batch.median'] ?? 0;
  const last = walls.at(-1)?.[0] ?? 0;
  const count = last - first[0] + 1;
  const every = Math.ceil(count / 16);
  const svg = svgPlot({
    label: 'Wall time of each batch',
    x: {
      place: (value) => (value - first[0]) / count,
      ticks: walls
        .filter((_, index) => index % every === 0)
        .map(([index]) => ({ value: index + 0.5, label: String(index) })),
    },
    y: linearScale(Math.max(...walls.map(([, ms]) => ms)), formatMs),
    xTitle: 'batch',
    yTitle: 'wall time',
    series: [
      {
        name: 'wall time',
        colour: 6,
        kind: 'bars',
        points: walls,
        titles: walls.map(([index, ms]) => `batch ${index}: ${formatMs(ms)}`),
      },
    ],
    line: { y: median, text: `median ${formatMs(median)}` },
    height: 240,
  });
  return { title: 'Wall time of each batch', note: '', legend: [], svg };
}

function msScale(values: readonly number[]): Scale {
  const over = values.filter((ms) => ms > 0);
  if (over.length === 0) return logScale(0.1, 10, formatMs);
  return logScale(Math.min(...over) / 1.1, Math.max(...over) * 1.1, formatMs);
}

function secondsScale(last: number): Scale {
  return linearScale(Math.max(1, last), (value) => String(value));
}
