import { COMPONENTS, type ComponentName, type ComponentScores } from './components.ts';
import { HARDNESS_LEVELS, type Hardness } from './hardness.ts';

/** The columns of the official tables. */
export const LEVELS = [...HARDNESS_LEVELS, 'all'] as const;
/** A hardness, or all rows together. */
export type Level = (typeof LEVELS)[number];

/** The verdicts on one row; what wasn't evaluated is left out. */
export interface SpiderRowScore {
  /** The gold's. */
  readonly hardness: Hardness;
  /** True when the results are equal. */
  readonly executionMatched?: boolean;
  readonly match?: { readonly exact: boolean; readonly components: ComponentScores };
}

/** Accuracy, recall and F1 of one part over the rows of one level. */
export interface PartialTotal {
  /** Matched rows over the rows whose answer has the part; 0 when there is none. */
  readonly accuracy: number;
  /** Matched rows over the rows whose gold has the part; 0 when there is none. */
  readonly recall: number;
  /** Their harmonic mean, but 1 when both are 0: the official tables show it so. */
  readonly f1: number;
}

/** The official numbers of one level. */
export interface LevelTotal {
  readonly rowCount: number;
  /** Share of the rows; 0 without rows. */
  readonly execution: number;
  /** Share of the rows; 0 without rows. */
  readonly exact: number;
  /** undefined for a level without rows, whose numbers the official script doesn't compute: it prints zeros. */
  readonly partial: Readonly<Record<ComponentName, PartialTotal>> | undefined;
}

/** The official numbers. */
export type SpiderTotals = Readonly<Record<Level, LevelTotal>>;

/** Adds rows up by level. */
export function spiderTotals(rows: readonly SpiderRowScore[]): SpiderTotals {
  const totals = LEVELS.map((level): [Level, LevelTotal] => [
    level,
    levelTotal(rows.filter((row) => level === 'all' || row.hardness === level)),
  ]);
  return Object.fromEntries(totals) as Record<Level, LevelTotal>;
}

/** Which of the official tables to print. */
export type SpiderTables = 'exec' | 'match' | 'all';

/** The totals as the official script prints them, line by line, with its column widths. */
export function formatSpiderTotals(totals: SpiderTotals, tables: SpiderTables): string {
  const lines = [
    formatLine('', [...LEVELS]),
    formatLine(
      'count',
      LEVELS.map((level) => String(totals[level].rowCount)),
    ),
  ];
  if (tables !== 'match') {
    lines.push('=====================   EXECUTION ACCURACY     =====================');
    lines.push(formatNumbers('execution', (level) => totals[level].execution));
  }
  if (tables !== 'exec') {
    lines.push('', '====================== EXACT MATCHING ACCURACY =====================');
    lines.push(formatNumbers('exact match', (level) => totals[level].exact));
    lines.push('', '---------------------PARTIAL MATCHING ACCURACY----------------------');
    lines.push(...formatPartial(totals, 'accuracy'));
    lines.push('---------------------- PARTIAL MATCHING RECALL ----------------------');
    lines.push(...formatPartial(totals, 'recall'));
    lines.push('---------------------- PARTIAL MATCHING F1 --------------------------');
    lines.push(...formatPartial(totals, 'f1'));
  }
  return `${lines.join('\n')}\n`;
}

function levelTotal(rows: readonly SpiderRowScore[]): LevelTotal {
  const matches = rows.flatMap((row) => row.match ?? []);
  const scores = matches.map((match) => match.components);
  const partial = COMPONENTS.map((name): [ComponentName, PartialTotal] => [
    name,
    partialTotal(scores, name),
  ]);
  return {
    rowCount: rows.length,
    execution: share(rows.filter((row) => row.executionMatched === true).length, rows.length),
    exact: share(matches.filter((match) => match.exact).length, rows.length),
    partial:
      rows.length === 0
        ? undefined
        : (Object.fromEntries(partial) as Record<ComponentName, PartialTotal>),
  };
}

/** Matched rows without the part on one side count on the other side only, as in the official sums. */
function partialTotal(scores: readonly ComponentScores[], name: ComponentName): PartialTotal {
  const inAnswer = scores.filter((score) => score[name].answerCount > 0);
  const inGold = scores.filter((score) => score[name].goldCount > 0);
  const accuracy = share(inAnswer.filter((score) => score[name].matched).length, inAnswer.length);
  const recall = share(inGold.filter((score) => score[name].matched).length, inGold.length);
  const f1 = accuracy + recall === 0 ? 1 : (2 * accuracy * recall) / (recall + accuracy);
  return { accuracy, recall, f1 };
}

function share(part: number, whole: number): number {
  return whole === 0 ? 0 : part / whole;
}

function formatPartial(totals: SpiderTotals, measure: keyof PartialTotal): string[] {
  return COMPONENTS.map((name) =>
    formatNumbers(name, (level) => totals[level].partial?.[name][measure] ?? 0),
  );
}

function formatNumbers(title: string, numberAt: (level: Level) => number): string {
  return formatLine(
    title,
    LEVELS.map((level) => toThreeDecimals(numberAt(level))),
  );
}

function formatLine(title: string, cells: readonly string[]): string {
  return [title, ...cells].map((cell) => cell.padEnd(20)).join(' ');
}

/**
 * Three decimals as Python writes them: a tie goes to the even digit, where JavaScript takes the larger. Among shares
 * only the odd sixteenths lie exactly between two thousandths.
 */
function toThreeDecimals(share: number): string {
  const isTie = Math.abs((share * 16) % 2) === 1;
  if (!isTie) return share.toFixed(3);
  const below = Math.floor(share * 1000);
  return ((below % 2 === 0 ? below : below + 1) / 1000).toFixed(3);
}
