import { setMaxListeners } from 'node:events';
import type { Message, Task } from '../../../env/task.ts';
import { concurrently } from '../concurrently.ts';
import { PolicyUnusable, type Policy } from './policy.ts';

/** One episode to be played. */
export interface EpisodeJob {
  readonly task: Task;
  readonly attempt: number;
}

/** Where episodes are played: the environment of training. */
export interface PlayEnvironment {
  /** Opens an episode. */
  open(job: EpisodeJob, signal: AbortSignal): Promise<OpenedEpisode>;
}

/** An episode under way. */
export interface OpenedEpisode {
  readonly messages: readonly Message[];
  readonly tokenCountMax: number;
  /** Takes the policy's message; the messages that come back are what it reads next. */
  step(
    text: string,
    completionTokenCount: number,
    signal: AbortSignal,
  ): Promise<{ readonly messages: readonly Message[]; readonly ended: boolean }>;
  /** Gives the episode up. */
  close(): void;
}

/** An episode that could not be played to its end: it has no verdict. */
export interface PlayFailure {
  readonly job: EpisodeJob;
  readonly message: string;
}

/** How episodes are played. */
export interface PlayOptions {
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly onProgress?: (episodeCount: number, totalCount: number) => void;
}

/** So many failures without one episode played are enough. */
const HOPELESS_COUNT = 16;

/**
 * Plays episodes. One that fails is given up, and the others go on. Throws {@link PolicyUnusable} as soon as the policy says
 * that it can't play at all, or if the first episodes all fail: then nobody is there, and waiting for each would take hours.
 */
export async function playEpisodes(
  environment: PlayEnvironment,
  policy: Policy,
  jobs: readonly EpisodeJob[],
  options: PlayOptions,
): Promise<PlayFailure[]> {
  const failures: PlayFailure[] = [];
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  // Each request under way listens to it, and there are as many as episodes side by side.
  setMaxListeners(0, signal);
  let playedCount = 0;
  try {
    await concurrently(jobs, options.concurrency, async (job) => {
      signal.throwIfAborted();
      try {
        await playEpisode(environment, policy, job, signal);
      } catch (error) {
        if (error instanceof PolicyUnusable) throw error;
        signal.throwIfAborted();
        const message = error instanceof Error ? error.message : String(error);
        failures.push({ job, message });
        if (failures.length === HOPELESS_COUNT && playedCount + 1 === HOPELESS_COUNT) {
          throw new PolicyUnusable(`the first ${HOPELESS_COUNT} episodes failed: ${message}`);
        }
      }
      playedCount += 1;
      options.onProgress?.(playedCount, jobs.length);
    });
  } catch (error) {
    // The requests that are still on their way would be waited for by nobody.
    stop.abort(error);
    throw error;
  }
  return failures;
}

async function playEpisode(
  environment: PlayEnvironment,
  policy: Policy,
  job: EpisodeJob,
  signal: AbortSignal,
): Promise<void> {
  const episode = await environment.open(job, signal);
  try {
    const messages = [...episode.messages];
    let tokenCountLeft = episode.tokenCountMax;
    for (let turnIndex = 0; ; turnIndex += 1) {
      const turn = { ...job, turnIndex, messages, tokenCountLeft };
      const { text, completionTokenCount } = await policy.act(turn, signal);
      const outcome = await episode.step(text, completionTokenCount, signal);
      if (outcome.ended) return;
      tokenCountLeft -= completionTokenCount;
      messages.push({ role: 'assistant', content: text }, ...outcome.messages);
    }
  } catch (error) {
    episode.close();
    throw error;
  }
}
