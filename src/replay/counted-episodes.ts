import type { EpisodeSummary } from './ports.ts';

/**
 * The episodes that groups, means and other figures are over: no forks, which a person has played, unless there is nothing
 * else, as under the filter `fork:yes`.
 */
export function countedEpisodes(episodes: readonly EpisodeSummary[]): readonly EpisodeSummary[] {
  const played = episodes.filter(({ parentId }) => parentId === undefined);
  return played.length === 0 ? episodes : played;
}
