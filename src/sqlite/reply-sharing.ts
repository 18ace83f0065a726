import type { Job, JobOrder } from './job.ts';
import { nowUs } from './monotonic-clock.ts';
import { sharedReply, withHistory } from './reply-times.ts';
import type { LastingReply, ResultCache } from './result-cache.ts';

/**
 * Jobs that ask the same share one reply: the rollouts of a prompt tend to run the same query at the same moment. The first
 * one leads and runs, the others follow and wait for its reply. Only replies that last are shared; if the leader gets another
 * one, its followers run by themselves.
 */
export class ReplySharing {
  readonly #cache: ResultCache;
  /** Jobs on their way whose reply others may share, by what they ask. */
  readonly #leaders = new Map<string, Job>();

  constructor(cache: ResultCache) {
    this.#cache = cache;
  }

  /** The reply, if it is known already. */
  find({ shareKey }: JobOrder): LastingReply | undefined {
    const kept = shareKey === undefined ? undefined : this.#cache.get(shareKey);
    return kept && sharedReply(kept, 0);
  }

  /** Puts a job behind another one that asks the same. False if there is none; then others may follow it. */
  follow(job: Job): boolean {
    const { shareKey } = job.order;
    if (shareKey === undefined) return false;
    const leader = job.lane === 'slow' ? undefined : this.#leaders.get(shareKey);
    if (leader === undefined) {
      if (job.lane === 'fast') this.#leaders.set(shareKey, job);
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

  /** Nobody follows this job any more; gives those who did. */
  release(job: Job): readonly Job[] {
    const { shareKey } = job.order;
    if (shareKey !== undefined && this.#leaders.get(shareKey) === job) {
      this.#leaders.delete(shareKey);
    }
    const followers = job.followers ?? [];
    job.followers = undefined;
    return followers;
  }

  /** All that wait for the reply of another one. */
  followers(): Job[] {
    return [...this.#leaders.values()].flatMap((leader) => leader.followers ?? []);
  }
}
