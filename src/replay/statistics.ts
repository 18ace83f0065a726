import { countedEpisodes } from './counted-episodes.ts';
import type { EpisodeSummary } from './ports.ts';

/** The episodes that share a value, for example a database. */
export interface ShareFigures {
  /** Empty if the episodes have no such value. */
  readonly name: string;
  readonly episodeCount: number;
  readonly gradedCount: number;
  /** Over those that were graded; undefined if none was. */
  readonly rewardMean: number | undefined;
}

/** How often a value is there. */
export interface NamedCount {
  readonly name: string;
  readonly count: number;
}

/** Of values in order: each is the smallest value that so many percent of all don't exceed. */
export interface Quantiles {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

/** Figures over a list of episodes. */
export interface EpisodeStatistics {
  readonly episodeCount: number;
  readonly gradedCount: number;
  /** Over those that were graded; undefined if none was. */
  readonly rewardMean: number | undefined;
  /** By name. */
  readonly byDatabase: readonly ShareFigures[];
  /** `easy`, `medium`, `hard`, `extra`, then others by name. */
  readonly byDifficulty: readonly ShareFigures[];
  /** The most frequent first; the empty name counts the episodes that were not graded. */
  readonly verdicts: readonly NamedCount[];
  /** The most frequent first. */
  readonly ends: readonly NamedCount[];
  /** The most frequent first; an episode counts once for each of its flags. */
  readonly flags: readonly NamedCount[];
  /** Episodes by their number of steps, from 0 to the most without gaps; the bar of 200 counts those with more, too. */
  readonly stepCounts: readonly { readonly stepCount: number; readonly episodeCount: number }[];
  readonly toolMessageCount: number;
  /** How many of those were shortened. */
  readonly truncatedMessageCount: number;
  /** Between 0 and 1; undefined if there was no tool message. */
  readonly truncatedShare: number | undefined;
  readonly failedQueryCount: number;
  readonly completionTokenCount: number;
  /** Of each episode's longest step in the server, milliseconds; undefined if there are no episodes. */
  readonly stepMs: Quantiles | undefined;
  /** From an episode's start to its end, milliseconds; undefined if there are no episodes. */
  readonly durationMs: Quantiles | undefined;
}

/** Steps above which a histogram has no bars of its own: a limit of thousands must not make thousands of bars. */
const STEP_COUNT_SHOWN_MAX = 200;

const DIFFICULTIES: readonly string[] = ['easy', 'medium', 'hard', 'extra'];

/** The figures of a list of episodes, of those that {@link countedEpisodes} counts. */
export function statisticsOf(list: readonly EpisodeSummary[]): EpisodeStatistics {
  const episodes = countedEpisodes(list);
  const toolMessageCount = sumOf(episodes, (episode) => episode.toolCallCount);
  const truncatedMessageCount = sumOf(episodes, (episode) => episode.truncatedCount);
  const whole = sharesBy(episodes, () => '')[0];
  return {
    episodeCount: episodes.length,
    gradedCount: whole?.gradedCount ?? 0,
    rewardMean: whole?.rewardMean,
    byDatabase: sharesBy(episodes, (episode) => episode.databaseId).toSorted(byName),
    byDifficulty: sharesBy(episodes, (episode) => episode.difficulty).toSorted(byDifficulty),
    verdicts: countsBy(episodes, (episode) => [episode.verdict]),
    ends: countsBy(episodes, (episode) => [episode.end]),
    flags: countsBy(episodes, (episode) => episode.flags),
    stepCounts: histogram(episodes),
    toolMessageCount,
    truncatedMessageCount,
    truncatedShare: toolMessageCount === 0 ? undefined : truncatedMessageCount / toolMessageCount,
    failedQueryCount: sumOf(episodes, (episode) => episode.failedQueryCount),
    completionTokenCount: sumOf(episodes, (episode) => episode.completionTokenCount),
    stepMs: quantiles(episodes.map((episode) => episode.stepMsMax)),
    durationMs: quantiles(episodes.map((episode) => episode.durationMs)),
  };
}

function sumOf(
  episodes: readonly EpisodeSummary[],
  value: (episode: EpisodeSummary) => number,
): number {
  return episodes.reduce((sum, episode) => sum + value(episode), 0);
}

function sharesBy(
  episodes: readonly EpisodeSummary[],
  nameOf: (episode: EpisodeSummary) => string,
): ShareFigures[] {
  const shares = new Map<string, { episodeCount: number; gradedCount: number; reward: number }>();
  for (const episode of episodes) {
    const name = nameOf(episode);
    const share = shares.get(name) ?? { episodeCount: 0, gradedCount: 0, reward: 0 };
    shares.set(name, share);
    share.episodeCount += 1;
    if (episode.reward === undefined) continue;
    share.gradedCount += 1;
    share.reward += episode.reward;
  }
  return [...shares].map(([name, { episodeCount, gradedCount, reward }]) => {
    const rewardMean = gradedCount === 0 ? undefined : reward / gradedCount;
    return { name, episodeCount, gradedCount, rewardMean };
  });
}

function countsBy(
  episodes: readonly EpisodeSummary[],
  namesOf: (episode: EpisodeSummary) => readonly string[],
): NamedCount[] {
  const counts = new Map<string, number>();
  for (const episode of episodes) {
    for (const name of namesOf(episode)) counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, count]) => ({ name, count }))
    .toSorted((a, b) => b.count - a.count || byName(a, b));
}

function histogram(episodes: readonly EpisodeSummary[]): EpisodeStatistics['stepCounts'] {
  const counts: number[] = [];
  for (const { stepCount } of episodes) {
    const bar = Math.min(stepCount, STEP_COUNT_SHOWN_MAX);
    counts[bar] = (counts[bar] ?? 0) + 1;
  }
  return Array.from(counts, (count, stepCount) => ({ stepCount, episodeCount: count ?? 0 }));
}

function quantiles(values: readonly number[]): Quantiles | undefined {
  const sorted = Float64Array.from(values).toSorted();
  const max = sorted.at(-1);
  if (max === undefined) return undefined;
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? max;
  return { p50: at(0.5), p90: at(0.9), p99: at(0.99), max };
}

function byName(a: { readonly name: string }, b: { readonly name: string }): number {
  return a.name < b.name ? -1 : Number(a.name > b.name);
}

function byDifficulty(a: ShareFigures, b: ShareFigures): number {
  const place = ({ name }: ShareFigures): number => {
    const index = DIFFICULTIES.indexOf(name);
    return index === -1 ? DIFFICULTIES.length : index;
  };
  return place(a) - place(b) || byName(a, b);
}
