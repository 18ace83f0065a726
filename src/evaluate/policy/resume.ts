import { existsSync, readdirSync } from 'node:fs';
import { InputError } from '../../tasks/task-set.ts';
import { ATTEMPT_LABEL, type EpisodeRecord } from '../episode-record.ts';
import { readPredictions } from '../read-predictions.ts';
import type { EpisodeJob } from './play-episodes.ts';

/** Label under which an episode's settings are recorded. */
export const RUN_LABEL = 'evaluate_run';

/** An episode that counts: it has come to its end. */
export interface PlayedEpisode {
  readonly location: string;
  readonly record: EpisodeRecord;
}

/**
 * The episodes of an earlier, interrupted run in a folder, as far as they are wanted now, each attempt once. Throws {@link InputError} if the folder holds
 * episodes of a run with other settings: the two must not be mixed.
 */
export function playedEpisodes(
  folder: string,
  run: string,
  jobs: readonly EpisodeJob[],
): PlayedEpisode[] {
  if (!existsSync(folder) || !readdirSync(folder).some((name) => name.endsWith('.jsonl')))
    return [];
  const found = readPredictions(folder);
  const episodes = found.kind === 'episodes' ? found.episodes : [];
  const wanted = new Set(jobs.map(nameOfJob));
  const byJob = new Map<string, PlayedEpisode>();
  for (const episode of episodes) {
    const { labels, end } = episode.record;
    if (labels[RUN_LABEL] !== run) {
      throw new InputError(
        `${folder}: it holds episodes that were played with other settings; give another --record DIR`,
      );
    }
    if (end !== 'terminated' && end !== 'truncated') continue;
    const name = nameOfEpisode(episode);
    if (wanted.has(name)) byJob.set(name, episode);
  }
  return [...byJob.values()];
}

/** The jobs that no episode has been played for. */
export function openJobs(
  jobs: readonly EpisodeJob[],
  played: readonly PlayedEpisode[],
): EpisodeJob[] {
  const done = new Set(played.map(nameOfEpisode));
  return jobs.filter((job) => !done.has(nameOfJob(job)));
}

function nameOfJob({ task, attempt }: EpisodeJob): string {
  return `${task.taskId}\0${attempt}`;
}

function nameOfEpisode({ record }: PlayedEpisode): string {
  return `${record.task_id}\0${record.labels[ATTEMPT_LABEL]}`;
}
