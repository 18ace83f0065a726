import { filterTest, type EpisodeFilter } from './filter.ts';
import type { EpisodeLibrary, EpisodeSummary } from './ports.ts';

/**
 * The episodes that a filter lets pass, in the order of the library. Its `text:` terms read the records of those that pass
 * the others. Rejects with the signal's reason, or with what `searchText` rejects with.
 */
export async function findEpisodes(
  library: EpisodeLibrary,
  filter: EpisodeFilter,
  signal: AbortSignal,
  onProgress?: (count: number, totalCount: number) => void,
): Promise<EpisodeSummary[]> {
  let found = library.episodes.filter(filterTest(filter));
  for (const { text, negated } of filter.textTerms) {
    const indices = found.map(({ index }) => index);
    const hits = new Set(await library.searchText(text, indices, signal, onProgress));
    found = found.filter(({ index }) => hits.has(index) !== negated);
  }
  return found;
}
