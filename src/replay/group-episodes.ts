import { countedEpisodes } from './counted-episodes.ts';
import type { EpisodeSummary } from './ports.ts';

/** How the graded rollouts of a group came out; `ungraded` if none was graded. */
export type GroupSpread = 'all_right' | 'all_wrong' | 'mixed' | 'ungraded';

/** The rollouts of one task that belong together. */
export interface EpisodeGroup {
  /** Unique among the groups of a list. */
  readonly key: string;
  /** Empty if the trainer gave none: then all rollouts of the task are one group. */
  readonly groupId: string;
  readonly taskId: string;
  readonly databaseId: string;
  readonly question: string;
  readonly difficulty: string;
  /** In the order of the list. */
  readonly episodes: readonly EpisodeSummary[];
  readonly gradedCount: number;
  /** Over those that were graded; undefined if none was. */
  readonly rewardMean: number | undefined;
  readonly spread: GroupSpread;
}

/** Groups episodes, those that {@link countedEpisodes} counts, by group id and task, in the order of each group's first episode. */
export function groupEpisodes(episodes: readonly EpisodeSummary[]): EpisodeGroup[] {
  const groups = new Map<string, EpisodeSummary[]>();
  for (const episode of countedEpisodes(episodes)) {
    // A trainer may count its groups anew in every step; the rollouts of a group are of one task.
    const key = `${episode.groupId}\0${episode.taskId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [episode]);
    else group.push(episode);
  }
  return [...groups].flatMap(([key, members]) => {
    const [first] = members;
    return first === undefined ? [] : [groupOf(key, first, members)];
  });
}

function groupOf(
  key: string,
  first: EpisodeSummary,
  episodes: readonly EpisodeSummary[],
): EpisodeGroup {
  const rewards = episodes.flatMap(({ reward }) => (reward === undefined ? [] : [reward]));
  const sum = rewards.reduce((total, reward) => total + reward, 0);
  const { groupId, taskId, databaseId, question, difficulty } = first;
  return {
    key,
    groupId,
    taskId,
    databaseId,
    question,
    difficulty,
    episodes,
    gradedCount: rewards.length,
    rewardMean: rewards.length === 0 ? undefined : sum / rewards.length,
    spread: spreadOf(rewards),
  };
}

function spreadOf(rewards: readonly number[]): GroupSpread {
  if (rewards.length === 0) return 'ungraded';
  const rightCount = rewards.filter((reward) => reward > 0).length;
  if (rightCount === 0) return 'all_wrong';
  return rightCount === rewards.length ? 'all_right' : 'mixed';
}
