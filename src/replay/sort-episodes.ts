import { FILTER_FIELDS, type FilterKey } from './filter-fields.ts';
import type { EpisodeSummary } from './ports.ts';

/** What episodes can be sorted by: a key of the filter language, when they started, or their place in the library. */
export type SortColumn = FilterKey | 'started' | 'recorded';

/** All sort columns. */
export const SORT_COLUMNS: readonly SortColumn[] = [
  'recorded',
  'started',
  ...(Object.keys(FILTER_FIELDS) as FilterKey[]),
];

type Value = string | number | undefined;

/** Numbers in names by their value: `spider/dev/2` comes before `spider/dev/17`. */
const NAMES = new Intl.Collator('en', { numeric: true });

/** The episodes in the order of a column; equal ones by their place in the library, those without a value last both ways. */
export function sortEpisodes(
  episodes: readonly EpisodeSummary[],
  column: SortColumn,
  descending = false,
): EpisodeSummary[] {
  const read = columnReader(column);
  const sign = descending ? -1 : 1;
  const keyed = episodes.map((episode) => ({ episode, value: read(episode) }));
  keyed.sort((a, b) => {
    if (a.value === undefined || b.value === undefined) {
      const missing = Number(a.value === undefined) - Number(b.value === undefined);
      return missing || a.episode.index - b.episode.index;
    }
    return sign * compareValues(a.value, b.value) || a.episode.index - b.episode.index;
  });
  return keyed.map(({ episode }) => episode);
}

function columnReader(column: SortColumn): (episode: EpisodeSummary) => Value {
  if (column === 'recorded') return (episode) => episode.index;
  if (column === 'started') return (episode) => episode.startedMs;
  const field = FILTER_FIELDS[column];
  switch (field.kind) {
    case 'text':
      return (episode) => field.values(episode).join(' ') || undefined;
    case 'number':
      return (episode) => field.value(episode);
    case 'switch':
      return (episode) => Number(field.value(episode));
  }
}

function compareValues(a: string | number, b: string | number): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return NAMES.compare(String(a), String(b));
}
