import { mcNemarTest, type McNemarTest } from '../../env/stats/mcnemar.ts';
import { LEVELS, type Level } from '../../env/spider/totals.ts';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import type { RowRecord } from './row-file.ts';

/** The verdicts that two runs can be compared by. */
export const METRICS = ['exec', 'exact', 'legacy_exec'] as const;
/** One of {@link METRICS}. */
export type Metric = (typeof METRICS)[number];

/** One row on which two runs differ. */
export interface ChangedRow {
  readonly kind: 'gained' | 'lost';
  readonly a: RowRecord;
  readonly b: RowRecord;
}

/** The figures of one level. */
export interface LevelComparison {
  readonly rowCount: number;
  readonly matchedCountA: number;
  readonly matchedCountB: number;
  /** Wrong in A and right in B. */
  readonly gainedCount: number;
  /** Right in A and wrong in B. */
  readonly lostCount: number;
  readonly test: McNemarTest;
}

/** Two runs over the same rows. */
export interface RunComparison {
  readonly metric: Metric;
  readonly levels: Readonly<Record<Level, LevelComparison>>;
  /** Gained first, each in the order of the rows. */
  readonly changed: readonly ChangedRow[];
  /** Rows without a verdict in one of the runs: they are in no figure. */
  readonly unscored: readonly InputProblem[];
}

interface Pair {
  readonly a: RowRecord;
  readonly b: RowRecord;
}

/** Pairs two runs row by row. Throws {@link InputError} if they are not over the same rows: their figures can't be compared. */
export function compareRuns(
  a: readonly RowRecord[],
  b: readonly RowRecord[],
  metric: Metric,
): RunComparison {
  const pairs = pairUp(a, b);
  const scored = pairs.filter((pair) => isScored(pair, metric));
  const levels = LEVELS.map((level): [Level, LevelComparison] => [
    level,
    compareLevel(
      scored.filter((pair) => level === 'all' || pair.a.hardness === level),
      metric,
    ),
  ]);
  const gained = scored.filter((pair) => isGained(pair, metric));
  const lost = scored.filter((pair) => isLost(pair, metric));
  return {
    metric,
    levels: Object.fromEntries(levels) as Record<Level, LevelComparison>,
    changed: [
      ...gained.map((pair) => ({ kind: 'gained', ...pair }) as const),
      ...lost.map((pair) => ({ kind: 'lost', ...pair }) as const),
    ],
    unscored: pairs
      .filter((pair) => !isScored(pair, metric))
      .map((pair) => ({ location: nameOf(pair.a), message: reasonOf(pair, metric) })),
  };
}

/** The row's name for people: its task, and the attempt where there are several. */
export function nameOf({ task_id, attempt }: RowRecord): string {
  return attempt === 0 ? task_id : `${task_id} (attempt ${attempt})`;
}

function pairUp(a: readonly RowRecord[], b: readonly RowRecord[]): Pair[] {
  const rowsB = byName(b, 'B');
  const rowsA = byName(a, 'A');
  const problems: InputProblem[] = [];
  const pairs: Pair[] = [];
  for (const [name, rowA] of rowsA) {
    const rowB = rowsB.get(name);
    if (rowB === undefined) problems.push({ location: name, message: 'it is in A only' });
    else if (rowA.gold_sql !== rowB.gold_sql || rowA.database_id !== rowB.database_id) {
      problems.push({ location: name, message: 'A and B have another gold or database for it' });
    } else pairs.push({ a: rowA, b: rowB });
  }
  for (const name of rowsB.keys()) {
    if (!rowsA.has(name)) problems.push({ location: name, message: 'it is in B only' });
  }
  if (problems.length > 0) {
    throw new InputError('the runs are not over the same rows, so they are not compared', problems);
  }
  if (pairs.length === 0) throw new InputError('there are no rows to compare');
  return pairs;
}

function byName(rows: readonly RowRecord[], run: string): Map<string, RowRecord> {
  const named = new Map(rows.map((row) => [nameOf(row), row]));
  if (named.size < rows.length) throw new InputError(`run ${run} holds rows more than once`);
  return named;
}

function compareLevel(pairs: readonly Pair[], metric: Metric): LevelComparison {
  const gainedCount = pairs.filter((pair) => isGained(pair, metric)).length;
  const lostCount = pairs.filter((pair) => isLost(pair, metric)).length;
  return {
    rowCount: pairs.length,
    matchedCountA: pairs.filter(({ a }) => a[metric] === true).length,
    matchedCountB: pairs.filter(({ b }) => b[metric] === true).length,
    gainedCount,
    lostCount,
    test: mcNemarTest(gainedCount, lostCount),
  };
}

function isScored({ a, b }: Pair, metric: Metric): boolean {
  return a[metric] !== null && b[metric] !== null;
}

function isGained({ a, b }: Pair, metric: Metric): boolean {
  return a[metric] === false && b[metric] === true;
}

function isLost({ a, b }: Pair, metric: Metric): boolean {
  return a[metric] === true && b[metric] === false;
}

function reasonOf({ a, b }: Pair, metric: Metric): string {
  const [run, row] = a[metric] === null ? ['A', a] : ['B', b];
  return `no verdict in ${run}: ${row.problems.join('; ') || 'unknown'}`;
}
