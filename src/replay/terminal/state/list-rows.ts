import { filterTest, type EpisodeFilter } from '../../filter.ts';
import { groupEpisodes, type EpisodeGroup } from '../../group-episodes.ts';
import type { EpisodeSummary } from '../../ports.ts';
import { sortEpisodes, type SortColumn } from '../../sort-episodes.ts';

/** What the list can be sorted by, in the order in which `o` goes through them; `recorded` is the order of the files. */
export const SORT_KEYS = [
  'recorded',
  'task',
  'db',
  'reward',
  'verdict',
  'steps',
  'tool_calls',
  'duration_ms',
] as const satisfies readonly SortColumn[];

/** What the list is sorted by. */
export type SortKey = (typeof SORT_KEYS)[number];

/** Rollouts of one prompt that the filter lets through. */
export interface GroupRow {
  readonly group: EpisodeGroup;
  readonly unfolded: boolean;
}

/** A row of the list: a group, or an episode by its index in the library. */
export type ListRow = GroupRow | number;

/** The order of the list. */
export interface ListOrder {
  readonly sort: SortKey;
  readonly descending: boolean;
}

/** Figures over the episodes that are listed. */
export interface ListFigures {
  readonly gradedCount: number;
  /** Undefined if none was graded. */
  readonly rewardMean: number | undefined;
}

type Episodes = readonly EpisodeSummary[];

/** Sorted orders of a library, kept: sorting 100,000 episodes for every key press would be felt. */
const orders = new WeakMap<Episodes, Map<string, Episodes>>();

/** Indices of the episodes that a filter lets through, sorted; `textMatches` stands for its text terms. */
export function listMatches(
  episodes: Episodes,
  filter: EpisodeFilter,
  order: ListOrder,
  textMatches: ReadonlySet<number> | undefined,
): readonly number[] {
  const test = filterTest(filter);
  const matches: number[] = [];
  for (const episode of sorted(episodes, order)) {
    if (test(episode) && (textMatches?.has(episode.index) ?? true)) matches.push(episode.index);
  }
  return matches;
}

/** The rows of the list: the episodes themselves, or their groups with the members of the unfolded ones. */
export function listRows(
  episodes: Episodes,
  matches: readonly number[],
  grouped: boolean,
  unfolded: ReadonlySet<string>,
): readonly ListRow[] {
  if (!grouped) return matches;
  const rows: ListRow[] = [];
  for (const group of groupEpisodes(matches.flatMap((index) => episodes[index] ?? []))) {
    const open = unfolded.has(group.key);
    rows.push({ group, unfolded: open });
    if (open) for (const { index } of group.episodes) rows.push(index);
  }
  return rows;
}

/** The indices of all rollouts of an episode's group, in the order of the library. */
export function siblingsOf(episodes: Episodes, episode: EpisodeSummary): readonly number[] {
  const { groupId, taskId } = episode;
  const found: number[] = [];
  for (const other of episodes) {
    if (other.taskId === taskId && other.groupId === groupId) found.push(other.index);
  }
  return found;
}

/** The mean over those of the episodes that were graded. */
export function listFigures(episodes: Episodes, indices: readonly number[]): ListFigures {
  let [gradedCount, sum] = [0, 0];
  for (const index of indices) {
    const reward = episodes[index]?.reward;
    if (reward === undefined) continue;
    gradedCount += 1;
    sum += reward;
  }
  return { gradedCount, rewardMean: gradedCount === 0 ? undefined : sum / gradedCount };
}

function sorted(episodes: Episodes, { sort, descending }: ListOrder): Episodes {
  if (sort === 'recorded' && !descending) return episodes;
  const name = `${sort} ${descending}`;
  let kept = orders.get(episodes);
  if (kept === undefined) {
    kept = new Map();
    orders.set(episodes, kept);
  }
  const found = kept.get(name) ?? sortEpisodes(episodes, sort, descending);
  kept.set(name, found);
  return found;
}
