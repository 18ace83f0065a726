import type { Trajectory } from '../../env/trajectory.ts';
import type { AnswerComparison, EpisodeSummary } from './ports.ts';

/** What a page of `sqlenv replay --html` holds beside its records; everything has an end, so that it can still be opened. */
export const PAGE_LIMITS = {
  /** Episodes of a chunk, which is what the page unpacks at once. */
  chunkEpisodeCountMax: 64,
  /** A chunk is closed once its records are longer than this, UTF-16 units. */
  chunkSizeMax: 4_000_000,
  /** Answers that are compared row by row; further ones are shown without. */
  comparisonCountMax: 2_000,
  /** Rows of one comparison; its counts are over all rows. */
  comparisonRowCountMax: 100,
  /** Length of one cell of these rows, UTF-16 units. */
  cellSizeMax: 500,
  /** Observations that are held whole beside what the model saw of them. */
  wholeTextCountMax: 2_000,
  /** Length of one of them, UTF-16 units. */
  wholeTextSizeMax: 20_000,
  /** Length of the CREATE texts of one database, UTF-16 units. */
  schemaSizeMax: 100_000,
  /** Problems of the library that are listed. */
  problemCountMax: 100,
} as const;

/** An observation before it was shortened. */
export interface WholeText {
  readonly stepIndex: number;
  /** Place among the messages of the step. */
  readonly messageIndex: number;
  readonly text: string;
}

/** One episode as the page holds it: a line of a chunk. */
export interface PageEpisode {
  readonly trajectory: Trajectory;
  /** Of the record or the task set; left out if it isn't known. */
  readonly goldSql?: string;
  /** Gold and answer row by row; left out if they were not compared. */
  readonly comparison?: AnswerComparison;
  /** Rows that the comparison had before it was bounded. */
  readonly comparisonRowCount?: number;
  /** Why there is no comparison, in a sentence, where one could be expected. */
  readonly comparisonNote?: string;
  readonly wholeTexts?: readonly WholeText[];
}

/** What the page knows before any chunk is unpacked. */
export interface PageHead {
  readonly sqlenvVersion: string;
  readonly problems: readonly { readonly location: string; readonly message: string }[];
  /** Listed or not. */
  readonly problemCount: number;
  readonly summaries: PackedSummaries;
}

/** What is known only once all episodes are written. */
export interface PageTail {
  /** Of what played episodes again; empty if nothing did. */
  readonly sqliteVersion: string;
  /** What makes it doubtful, such as a database that is not the recorded one. */
  readonly warnings: readonly string[];
  readonly comparisonCount: number;
  /** Graded answers that don't match. */
  readonly mismatchCount: number;
  /** CREATE texts by database. */
  readonly schemas: Readonly<Record<string, readonly string[]>>;
}

/** Summaries by column, each text once: a tenth of the size, and read ten times as fast, as a list of objects. */
export interface PackedSummaries {
  readonly count: number;
  readonly texts: readonly string[];
  readonly columns: Readonly<Record<string, readonly PackedCell[]>>;
}

/** A text as its place in `texts`, a number, a list of such places (flags), or null for undefined. */
type PackedCell = number | null | readonly number[];

const TEXT_KEYS = [
  'episodeId',
  'taskId',
  'databaseId',
  'question',
  'groupId',
  'split',
  'difficulty',
  'mode',
  'end',
  'endReason',
  'verdict',
  'comparisonMode',
  'sqliteVersion',
  'catalogSha256',
  'parentId',
] as const satisfies readonly (keyof EpisodeSummary)[];

const NUMBER_KEYS = [
  'reward',
  'stepCount',
  'toolCallCount',
  'truncatedCount',
  'failedQueryCount',
  'completionTokenCount',
  'startedMs',
  'durationMs',
  'stepMsMax',
] as const satisfies readonly (keyof EpisodeSummary)[];

/** Packs summaries for the page. Their `index` becomes their place in the list. */
export function packSummaries(summaries: readonly EpisodeSummary[]): PackedSummaries {
  const places = new Map<string, number>();
  const placeOf = (text: string): number => {
    const known = places.get(text);
    if (known !== undefined) return known;
    places.set(text, places.size);
    return places.size - 1;
  };
  const columns: Record<string, PackedCell[]> = {};
  for (const key of TEXT_KEYS) {
    columns[key] = summaries.map((summary) => {
      const text = summary[key];
      return text === undefined ? null : placeOf(text);
    });
  }
  for (const key of NUMBER_KEYS) {
    columns[key] = summaries.map((summary) => summary[key] ?? null);
  }
  columns['flags'] = summaries.map((summary) => summary.flags.map(placeOf));
  return { count: summaries.length, texts: [...places.keys()], columns };
}

/** The inverse of {@link packSummaries}. Throws an `Error` if a column is missing: the page is damaged. */
export function unpackSummaries(packed: PackedSummaries): EpisodeSummary[] {
  const { count, texts } = packed;
  const summaries: Record<string, unknown>[] = Array.from({ length: count }, (_, index) => ({
    index,
  }));
  const fill = (key: string, read: (cell: PackedCell) => unknown): void => {
    const column = packed.columns[key];
    if (column?.length !== count) throw new Error(`the page is damaged: no column '${key}'`);
    for (const [index, cell] of column.entries()) {
      const summary = summaries[index];
      if (summary !== undefined) summary[key] = read(cell);
    }
  };
  for (const key of TEXT_KEYS) {
    fill(key, (cell) => (typeof cell === 'number' ? texts[cell] : undefined));
  }
  for (const key of NUMBER_KEYS) fill(key, (cell) => cell ?? undefined);
  fill('flags', (cell) => (Array.isArray(cell) ? cell.map((place: number) => texts[place]) : []));
  return summaries as unknown as EpisodeSummary[];
}
