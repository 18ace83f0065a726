import { setTimeout as sleep } from 'node:timers/promises';
import { arrivalTimes } from './arrivals.ts';
import type { BatchNews, ClientOptions, OpenBounds } from './messages.ts';
import { playEpisode } from './play-episode.ts';
import type { EpisodeSource, PlannedEpisode } from './plan.ts';
import { Tally } from './tally.ts';
import { connectTransport, type EpisodeCalls } from './transport.ts';

/** Episodes under way in one client process at most; in an open loop further ones are lost and counted. */
const OPEN_COUNT_MAX = 20_000;

/** How long closing what is under way may take at the end, milliseconds. */
const CLOSE_MS = 2_000;

/** Plays the part of a load that falls to one client process, over the connections that are its own. */
export class ClientPlayer {
  readonly #options: ClientOptions;
  readonly #source: EpisodeSource;
  readonly #isMine: (episodeIndex: number) => boolean;
  readonly #connections = new Map<number, EpisodeCalls>();
  readonly #open = new Map<string, EpisodeCalls>();
  #tallies = new Map<number, Tally>();
  #prepared: { batchIndex: number; episodes: readonly PlannedEpisode[] } | undefined;
  #stopping: Promise<void> | undefined;

  constructor(
    options: ClientOptions,
    source: EpisodeSource,
    clientIndex: number,
    clientCount: number,
  ) {
    this.#options = options;
    this.#source = source;
    this.#isMine = (episodeIndex) => this.#connectionOf(episodeIndex) % clientCount === clientIndex;
  }

  /** Episodes under way. */
  get openCount(): number {
    return this.#open.size;
  }

  /** Makes the episodes of a batch ready, so that it takes no time later. */
  async prepare(batchIndex: number): Promise<void> {
    const episodes = await this.#source.batch(batchIndex, this.#isMine);
    this.#prepared = { batchIndex, episodes };
  }

  /** Plays a prepared batch, all episodes at once; gives the longest think times of one of them, milliseconds. */
  async play(batchIndex: number): Promise<number> {
    if (this.#prepared?.batchIndex !== batchIndex) await this.prepare(batchIndex);
    const episodes = this.#prepared?.episodes ?? [];
    const thought = await Promise.all(episodes.map((episode) => this.#play(episode, undefined)));
    return thought.reduce((max, ms) => Math.max(max, ms), 0);
  }

  /** Plays episodes as they arrive, and waits for the last one's end. */
  async playOpen(bounds: OpenBounds): Promise<number> {
    const { loop } = this.#options;
    if (loop.kind !== 'open') throw new Error('an open loop needs an arrival rate');
    const startMs = performance.now();
    const times = arrivalTimes(loop, this.#options.source.plan.seed);
    const running = new Set<Promise<number>>();
    let thinkMsMax = 0;
    for (let batchIndex = 0; batchIndex < bounds.batchCountMax && !this.#stopped; batchIndex += 1) {
      const mine = await this.#source.batch(batchIndex, this.#isMine);
      const byIndex = new Map(mine.map((episode) => [episode.episodeIndex, episode]));
      for (let episodeIndex = 0; episodeIndex < this.#batchSize; episodeIndex += 1) {
        const atMs = times.next().value;
        if (atMs > bounds.arriveMsMax) return await lastOf(running, thinkMsMax);
        const episode = byIndex.get(episodeIndex);
        if (episode === undefined) continue;
        const dueMs = startMs + atMs;
        const leftMs = dueMs - performance.now();
        if (leftMs > 0) await sleep(leftMs);
        if (this.#stopped) return thinkMsMax;
        const playing = this.#play(episode, dueMs).then((ms) => {
          thinkMsMax = Math.max(thinkMsMax, ms);
          running.delete(playing);
          return ms;
        });
        running.add(playing);
      }
    }
    return await lastOf(running, thinkMsMax);
  }

  /** What was counted since it was last asked. */
  takeNews(): BatchNews[] {
    const tallies = this.#tallies;
    this.#tallies = new Map();
    return [...tallies].map(([batchIndex, tally]) => ({ batchIndex, tally: tally.data() }));
  }

  /** Ends the load where it is: nothing is counted from here on. Closes what is under way. Idempotent. */
  stop(): Promise<void> {
    this.#stopping ??= this.#cutOff();
    return this.#stopping;
  }

  /** Ends the connections; idempotent. */
  async close(): Promise<void> {
    for (const calls of this.#connections.values()) calls.disconnect();
    this.#connections.clear();
    await this.#source.close();
  }

  get #stopped(): boolean {
    return this.#stopping !== undefined;
  }

  async #cutOff(): Promise<void> {
    for (const episodeId of this.#open.keys()) {
      this.#tally(batchIndexOf(episodeId)).cutCount += 1;
    }
    const closing = [...this.#open].map(([episodeId, calls]) =>
      calls.close({ episodeId }).catch(() => undefined),
    );
    await Promise.race([Promise.all(closing), sleep(CLOSE_MS)]);
  }

  get #batchSize(): number {
    const { promptCount, rolloutCount } = this.#options.source.plan;
    return promptCount * rolloutCount;
  }

  /** As a trainer's workers do, each connection has a piece of the batch, whole groups where they fit. */
  #connectionOf(episodeIndex: number): number {
    return Math.floor((episodeIndex * this.#options.connectionCount) / this.#batchSize);
  }

  #callsOf(connectionIndex: number): EpisodeCalls {
    const known = this.#connections.get(connectionIndex);
    if (known !== undefined) return known;
    const { transport, address, deadlineMs } = this.#options;
    const fresh = connectTransport(transport, address, deadlineMs);
    this.#connections.set(connectionIndex, fresh);
    return fresh;
  }

  #tally(batchIndex: number): Tally {
    const known = this.#tallies.get(batchIndex);
    if (known !== undefined) return known;
    const fresh = new Tally();
    this.#tallies.set(batchIndex, fresh);
    return fresh;
  }

  async #play(episode: PlannedEpisode, intendedMs: number | undefined): Promise<number> {
    const { batchIndex, episodeIndex, policy } = episode;
    if (this.#open.size >= OPEN_COUNT_MAX) {
      this.#tally(batchIndex).policy(policy).lostCount += 1;
      this.#tally(batchIndex).error('reset', 'CLIENT_FULL', 'too many episodes are under way');
      return 0;
    }
    const { runId, score } = this.#options;
    const episodeId = `${runId}/${batchIndex}/${episodeIndex}`;
    const calls = this.#callsOf(this.#connectionOf(episodeIndex));
    this.#open.set(episodeId, calls);
    const thoughtMs = await playEpisode(episode, {
      calls,
      episodeId,
      tally: () => this.#tally(batchIndex),
      intendedMs,
      score,
      isStopped: () => this.#stopped,
    });
    this.#open.delete(episodeId);
    return thoughtMs;
  }
}

async function lastOf(running: ReadonlySet<Promise<number>>, thinkMsMax: number): Promise<number> {
  const thought = await Promise.all(running);
  return thought.reduce((max, ms) => Math.max(max, ms), thinkMsMax);
}

/** The batch of an episode id of ours. */
function batchIndexOf(episodeId: string): number {
  return Number(episodeId.split('/').at(-2));
}
