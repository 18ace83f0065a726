import { LRUCache } from 'lru-cache';
import type { Job, JobOrder } from './job.ts';
import { nowUs } from './monotonic-clock.ts';
import { sharedReply, withHistory } from './reply-times.ts';
import type { LastingReply, ResultCache } from './result-cache.ts';

const UNSHARED_COUNT_MAX = 4_096;

/**
 * Jobs that ask the same share one reply: the rollouts of a prompt tend to run the same query at the same moment. The first
 * one leads and runs, the others follow and wait for its reply. Only replies that last are shared; if the leader gets another
 * one, its followers run by themselves.
 */
export class ReplySharing {
  readonly #cache: ResultCache;
  /** Jobs on their way whose reply others may share, by what they ask. */
  readonly #leaders = new Map<string, { job: Job | undefined }>();
  /** What was asked before and gives something else each time, by what it is. */
  readonly #unshared = new LRUCache<string, true>({ max: UNSHARED_COUNT_MAX });

  constructor(cache: ResultCache) {
    this.#cache = cache;
  }

  /** The reply, if it is known already. */
  find({ shareKey, keptCounts }: JobOrder): LastingReply | undefined {
    if (shareKey === undefined || keptCounts !== true) return undefined;
    const kept = this.#cache.get(shareKey);
    return kept && sharedReply(kept, 0);
  }

  /** Puts a job behind another one that asks the same. False if there is none; then others may follow it. */
  follow(job: Job): boolean {
    const { shareKey } = job.order;
    if (shareKey === undefined) return false;
    const mayLead = job.lane === 'fast' && !this.#unshared.has(shareKey);
    const leader = mayLead ? this.#leaders.get(shareKey)?.job : undefined;
    if (leader === undefined) {
      if (mayLead) this.#leaders.set(shareKey, { job });
      this.#cache.countMiss();
      return false;
    }
    (leader.followers ??= []).push(job);
    return true;
  }

  /** Gives the reply to those who waited for it, and to those to come. */
  share(job: Job, reply: LastingReply): void {
    const { shareKey } = job.order;
    if (shareKey === undefined) return;
    const followers = this.release(job);
    const lasting = withHistory(job, reply) as LastingReply;
    this.#cache.keep(shareKey, lasting);
    const now = nowUs();
    for (const follower of followers) {
      if (follower.settled) continue;
      this.#cache.countShared();
      follower.settle(sharedReply(lasting, now - follower.arrivedUs));
    }
  }

  /** Makes the first one that follows a job the leader of the others, and gives it; undefined if there is none. */
  handOver(job: Job): Job | undefined {
    const followers = this.release(job);
    const next = followers.find((follower) => !follower.settled);
    const { shareKey } = job.order;
    if (next === undefined || shareKey === undefined) return undefined;
    // In place: a thousand that are cancelled one after the other must not copy the list a thousand times.
    followers.splice(0, followers.indexOf(next) + 1);
    next.followers = followers;
    this.#leaders.set(shareKey, { job: next });
    return next;
  }

  /** Its replies don't last: from now on nobody waits for another one's. */
  shareNoMore({ order: { shareKey } }: Job): void {
    if (shareKey !== undefined) this.#unshared.set(shareKey, true);
  }

  /** Nobody follows this job any more; gives those who did. */
  release(job: Job): Job[] {
    const { shareKey } = job.order;
    const leader = shareKey === undefined ? undefined : this.#leaders.get(shareKey);
    if (shareKey !== undefined && leader?.job === job) {
      this.#leaders.delete(shareKey);
      leader.job = undefined; // an old table of the map keeps it: see `Slots`
    }
    const followers = job.followers ?? [];
    job.followers = undefined;
    return followers;
  }

  /** All that wait for the reply of another one. */
  followers(): Job[] {
    return [...this.#leaders.values()].flatMap(({ job }) => job?.followers ?? []);
  }
}
