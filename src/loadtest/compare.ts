import { metricInfo, type MetricInfo } from './metrics.ts';
import type { ComparableReport } from './report.ts';
import { relativeSpread } from './statistics.ts';

/** How a figure changed between two loads. */
export type ChangeVerdict = 'better' | 'worse' | 'same' | 'unsure';

/** One figure of two loads. */
export interface Change {
  readonly name: string;
  readonly unit: MetricInfo['unit'];
  readonly before: number;
  readonly after: number;
  /** `after / before`; undefined if that is no number. */
  readonly ratio: number | undefined;
  /** Changes up to this share are noise; undefined if it can't be told. */
  readonly noise: number | undefined;
  readonly verdict: ChangeVerdict;
}

/** Two loads side by side. */
export interface LoadComparison {
  readonly changes: readonly Change[];
  /** What makes them hard to compare, a sentence each. */
  readonly notes: readonly string[];
}

/** The figures that are compared, in the order in which they are shown. */
const COMPARED = [
  'batch.median',
  'environment.median',
  'episodes_per_s',
  'steps_per_s',
  'reset.p50',
  'reset.p99',
  'step.p50',
  'step.p99',
  'step.max',
  'step.tool.p50',
  'step.tool.p99',
  'step.answer.p50',
  'step.answer.p99',
  'honest.p99',
  'score.p50',
  'score.p99',
  'queue.p50',
  'queue.p99',
  'query.p50',
  'query.p99',
  'rest.p50',
  'rest.p99',
  'episode.p50',
  'episode.p99',
  'server.cpu_per_1000_steps',
  'server.memory.max',
  'client.cpu_per_1000_steps',
  'errors',
  'lost',
  'rewards.wrong',
] as const;

/** Smaller changes are never worth a word. */
const NOISE_MIN = 0.05;

/** What binary fractions add. */
const ROUNDING = 1e-9;

/** Without batches to judge by, only changes over this share are shown as better or worse. */
const NOISE_UNKNOWN = 0.25;

/** How many spreads of its batches a figure may differ by. */
const SPREADS = 2;

/**
 * Compares two loads. A figure is better or worse if it changed by more than its noise: 5 %, or twice the spread between the
 * batches of both loads (robust standard deviations, added as squares), whichever is more. Figures with fewer than three batches
 * on a side are `unsure` unless they changed by more than 25 % and so by more than any noise that is to be expected. Counts of
 * failures have no noise.
 */
export function compareReports(before: ComparableReport, after: ComparableReport): LoadComparison {
  const changes = COMPARED.flatMap((name): Change[] => {
    const info = metricInfo(name);
    const [was, is] = [before.metrics[name], after.metrics[name]];
    if (info === undefined || was === undefined || is === undefined) return [];
    return [changeOf(name, info, valuesOf(before, name), valuesOf(after, name), was, is)];
  });
  const notes: string[] = [];
  if (before.plan_sha256 !== after.plan_sha256) {
    notes.push('the loads differ: other settings, seeds, tasks or numbers of batches');
  }
  if (before.sqlenv_version !== after.sqlenv_version) {
    notes.push(`sqlenv ${before.sqlenv_version} and ${after.sqlenv_version}`);
  }
  const isBusy = ({ machine }: ComparableReport): boolean =>
    machine.load_average > machine.core_count;
  if (isBusy(before) || isBusy(after)) {
    notes.push(
      'the machine was at work with other things before one of them: that is in no noise between batches',
    );
  }
  if (before.machine.cpu_model !== after.machine.cpu_model) {
    notes.push(`machines differ: ${before.machine.cpu_model} and ${after.machine.cpu_model}`);
  }
  return { changes, notes };
}

function changeOf(
  name: string,
  { unit, lowerIsBetter }: MetricInfo,
  batchesBefore: readonly number[],
  batchesAfter: readonly number[],
  before: number,
  after: number,
): Change {
  const ratio = before > 0 ? after / before : undefined;
  const isFailure = unit === 'count';
  const noise = isFailure ? 0 : noiseOf(batchesBefore, batchesAfter);
  const change = { name, unit, before, after, ratio, noise };
  if (before === after) return { ...change, verdict: 'same' };
  const grew = after > before;
  const direction = grew === (lowerIsBetter ?? true) ? 'worse' : 'better';
  if (isFailure) return { ...change, verdict: direction };
  const share = changedShare(before, after);
  if (noise === undefined) {
    if (share <= NOISE_MIN) return { ...change, verdict: 'same' };
    return { ...change, verdict: share > NOISE_UNKNOWN ? direction : 'unsure' };
  }
  return { ...change, verdict: share > noise + ROUNDING ? direction : 'same' };
}

/** A doubling and a halving are the same change. */
function changedShare(before: number, after: number): number {
  const [small, large] = before < after ? [before, after] : [after, before];
  return small <= 0 ? Number.POSITIVE_INFINITY : large / small - 1;
}

function noiseOf(before: readonly number[], after: readonly number[]): number | undefined {
  const [spreadBefore, spreadAfter] = [relativeSpread(before), relativeSpread(after)];
  if (spreadBefore === undefined || spreadAfter === undefined) return undefined;
  return Math.max(NOISE_MIN, SPREADS * Math.hypot(spreadBefore, spreadAfter));
}

function valuesOf(report: ComparableReport, name: string): number[] {
  return report.batches.flatMap(({ metrics }) => metrics[name] ?? []);
}
