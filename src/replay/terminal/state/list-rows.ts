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

/** Rollouts of one prompt, of which the filter lets at least one through. */
export interface GroupRow {
  /** All of them, whatever the filter: its score is that of the group. Forks are no rollouts, and left out. */
  readonly group: EpisodeGroup;
  /** Indices of the episodes that the filter lets through, forks included, in the order of the list. */
  readonly shown: readonly number[];
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

/** The groups of a library, kept likewise. */
const groups = new WeakMap<Episodes, ReadonlyMap<number, EpisodeGroup>>();

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
  const groupOf = wholeGroups(episodes);
  const shownOf = new Map<EpisodeGroup, number[]>();
  for (const index of matches) {
    const group = groupOf.get(index);
    if (group === undefined) continue;
    const shown = shownOf.get(group);
    if (shown === undefined) shownOf.set(group, [index]);
    else shown.push(index);
  }
  const rows: ListRow[] = [];
  for (const [group, shown] of shownOf) {
    const open = unfolded.has(group.key);
    rows.push({ group, shown, unfolded: open });
    if (open) rows.push(...shown);
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

/** The group that each episode is listed in: a fork in that of its prompt, though it is no member of it. */
function wholeGroups(episodes: Episodes): ReadonlyMap<number, EpisodeGroup> {
  const found = groups.get(episodes);
  if (found !== undefined) return found;
  const byKey = new Map(groupEpisodes(episodes).map((group) => [group.key, group]));
  const all = new Map<number, EpisodeGroup>();
  for (const group of byKey.values()) for (const { index } of group.episodes) all.set(index, group);
  // Forks of episodes that are not in the library have groups of their own.
  const forks = groupEpisodes(episodes.filter(({ parentId }) => parentId !== undefined));
  for (const family of forks) {
    const group = byKey.get(family.key) ?? family;
    for (const { index } of family.episodes) all.set(index, group);
  }
  groups.set(episodes, all);
  return all;
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
