import type { EpisodeState, StepOutcome } from '../../env/episode.ts';
import type { TrajectoryStep } from '../../env/trajectory.ts';
import { ServerError } from '../errors.ts';
import type { EpisodeFacts, ResetRequest, ResetResult, StepRequest } from './requests.ts';
import type { SharedCall } from './shared-call.ts';

/** A step and what was answered, for its repeats. */
export interface AnsweredStep {
  readonly request: StepRequest;
  readonly outcome: StepOutcome;
}

/** A step that runs now. */
export interface RunningStep {
  readonly request: StepRequest;
  readonly call: SharedCall<StepOutcome>;
}

interface StoredBase {
  readonly episodeId: string;
  /** A repeat is known by it. */
  readonly resetRequest: ResetRequest;
  /** Of the last call, by the monotonic clock. */
  touchedMs: number;
  /** Bytes of its texts, about. */
  textBytes: number;
}

/** An episode whose Reset runs now; it already holds its place. */
export interface OpeningEpisode extends StoredBase {
  readonly kind: 'opening';
  readonly call: SharedCall<ResetResult>;
}

/** An episode that takes steps. */
export interface OpenEpisode extends StoredBase {
  readonly kind: 'open';
  readonly facts: EpisodeFacts;
  readonly resetResult: ResetResult;
  state: EpisodeState;
  readonly steps: TrajectoryStep[];
  lastStep: AnsweredStep | undefined;
  runningStep: RunningStep | undefined;
}

/** An episode that takes no more steps; it is kept so that repeats of its last step and its Reset are answered. */
export interface EndedEpisode extends StoredBase {
  readonly kind: 'ended';
  readonly resetResult: ResetResult;
  readonly lastStep: AnsweredStep | undefined;
}

/** What the store holds. */
export type StoredEpisode = OpeningEpisode | OpenEpisode | EndedEpisode;

/** Bounds of a store. */
export interface StoreLimits {
  readonly leaseMs: number;
  /** Episodes that may be open or opening at once. */
  readonly episodeCountMax: number;
  /** Bytes of text over which no new episode is opened. */
  readonly episodeBytesMax: number;
  /** Ended episodes that are kept for repeats; the oldest goes first. */
  readonly endedCountMax: number;
  readonly endedBytesMax: number;
}

/**
 * The episodes by id, each with a lease that every call renews. It only looks at the clock when asked: whoever owns it
 * calls `reap` now and then, and `find` never returns an episode whose lease is over.
 */
export class EpisodeStore {
  readonly #limits: StoreLimits;
  readonly #nowMs: () => number;
  readonly #onExpired: (episode: OpenEpisode) => void;
  readonly #active = new Map<string, OpeningEpisode | OpenEpisode>();
  /** In the order of their last call. */
  readonly #ended = new Map<string, EndedEpisode>();
  /** No lease of an active episode is over before; not before it need the reaper look at all of them again. */
  #activeUntilMs = 0;
  #activeBytes = 0;
  #endedBytes = 0;

  constructor(limits: StoreLimits, nowMs: () => number, onExpired: (episode: OpenEpisode) => void) {
    this.#limits = limits;
    this.#nowMs = nowMs;
    this.#onExpired = onExpired;
  }

  /** Episodes that are open or being opened. */
  get activeCount(): number {
    return this.#active.size;
  }

  /** Ended episodes that are kept for repeats. */
  get endedCount(): number {
    return this.#ended.size;
  }

  /** The episode, if its lease holds; this call renews it. */
  find(episodeId: string): StoredEpisode | undefined {
    const episode = this.#active.get(episodeId) ?? this.#ended.get(episodeId);
    if (episode === undefined) return undefined;
    if (this.#isExpired(episode)) {
      this.#expire(episode);
      return undefined;
    }
    this.touch(episode);
    return episode;
  }

  /** Renews a lease. */
  touch(episode: StoredEpisode): void {
    episode.touchedMs = this.#nowMs();
    // Those that take steps are in no order: every call would write to the map twice.
    if (episode.kind !== 'ended' || !this.holds(episode)) return;
    // Taken out and put back, it is the last one in the map's order.
    this.#ended.delete(episode.episodeId);
    this.#ended.set(episode.episodeId, episode);
  }

  /** Throws OVERLOADED if no further episode may be opened. */
  checkRoom(): void {
    const { episodeCountMax, episodeBytesMax } = this.#limits;
    if (this.#active.size >= episodeCountMax || this.#activeBytes >= episodeBytesMax) this.reap();
    if (this.#active.size >= episodeCountMax) {
      throw new ServerError(
        'OVERLOADED',
        `${episodeCountMax} episodes are open, which is the most; retry later, and close episodes that are not needed`,
      );
    }
    if (this.#activeBytes >= episodeBytesMax) {
      throw new ServerError(
        'OVERLOADED',
        `the texts of the open episodes take ${episodeBytesMax} bytes, which is the most; retry later`,
      );
    }
  }

  /** Puts in an episode, in the place of the one that had its id. */
  put(episode: StoredEpisode): void {
    const before = this.#active.get(episode.episodeId) ?? this.#ended.get(episode.episodeId);
    if (before !== undefined) this.remove(before);
    episode.touchedMs = this.#nowMs();
    if (episode.kind === 'ended') {
      this.#ended.set(episode.episodeId, episode);
      this.#endedBytes += episode.textBytes;
      this.#evictEnded();
    } else {
      this.#active.set(episode.episodeId, episode);
      this.#activeBytes += episode.textBytes;
    }
  }

  /** True while the store holds this very episode: not its successor, and not after it was closed. */
  holds(episode: StoredEpisode): boolean {
    const { episodeId } = episode;
    return this.#active.get(episodeId) === episode || this.#ended.get(episodeId) === episode;
  }

  /** Notes that an open episode's texts have grown. */
  grow(episode: OpenEpisode, bytes: number): void {
    episode.textBytes += bytes;
    this.#activeBytes += bytes;
  }

  /** Forgets an episode; one that is not there, or no longer, is no error. */
  remove(episode: StoredEpisode): void {
    const { episodeId, textBytes } = episode;
    if (this.#active.get(episodeId) === episode) {
      this.#active.delete(episodeId);
      this.#activeBytes -= textBytes;
    } else if (this.#ended.get(episodeId) === episode) {
      this.#ended.delete(episodeId);
      this.#endedBytes -= textBytes;
    }
  }

  /** Ends every lease that has run out. */
  reap(): void {
    this.#reapActive();
    for (const episode of this.#ended.values()) {
      if (!this.#isOld(episode)) break;
      this.#expire(episode);
    }
  }

  /** All episodes that are open or being opened, for the shutdown. */
  active(): (OpeningEpisode | OpenEpisode)[] {
    return [...this.#active.values()];
  }

  #reapActive(): void {
    if (this.#nowMs() <= this.#activeUntilMs) return;
    let oldestMs = this.#nowMs();
    for (const episode of this.#active.values()) {
      if (this.#isExpired(episode)) this.#expire(episode);
      // A call under way renews the lease when it ends.
      else if (!hasCall(episode)) oldestMs = Math.min(oldestMs, episode.touchedMs);
    }
    this.#activeUntilMs = oldestMs + this.#limits.leaseMs;
  }

  #isOld(episode: StoredEpisode): boolean {
    return this.#nowMs() - episode.touchedMs > this.#limits.leaseMs;
  }

  /** An episode with a call under way is in use, however long that takes. */
  #isExpired(episode: StoredEpisode): boolean {
    return !hasCall(episode) && this.#isOld(episode);
  }

  #expire(episode: StoredEpisode): void {
    this.remove(episode);
    if (episode.kind === 'open') this.#onExpired(episode);
  }

  #evictEnded(): void {
    const { endedCountMax, endedBytesMax } = this.#limits;
    for (const episode of this.#ended.values()) {
      if (this.#ended.size <= endedCountMax && this.#endedBytes <= endedBytesMax) return;
      this.remove(episode);
    }
  }
}

function hasCall(episode: StoredEpisode): boolean {
  if (episode.kind === 'opening') return true;
  return episode.kind === 'open' && episode.runningStep !== undefined;
}
