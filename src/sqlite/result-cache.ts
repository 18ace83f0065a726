import { LRUCache } from 'lru-cache';
import type { WorkerReply } from './messages.ts';

/** A reply that may be kept for the next one who asks the same. */
export type LastingReply = Extract<WorkerReply, { readonly lasting: boolean }>;

/** Bytes that an entry costs besides its texts, about. */
const ENTRY_BYTES = 600;

/** What the cache has done so far. */
export interface ResultCacheStats {
  readonly hitCount: number;
  readonly missCount: number;
  readonly entryCount: number;
  readonly bytes: number;
}

/**
 * Replies by what decides them: the file's fingerprint, the SQL, the limits. The rollouts of a prompt often run the same query,
 * and a served database never changes. What can differ the next time (the clock, `random()`, time limits) is never here.
 */
export class ResultCache {
  readonly #replies: LRUCache<string, LastingReply> | undefined;
  #hitCount = 0;
  #missCount = 0;

  /** `bytesMax` of 0 keeps nothing. */
  constructor(bytesMax: number) {
    if (bytesMax === 0) return;
    this.#replies = new LRUCache({
      maxSize: bytesMax,
      // A reply that would push many others out is not worth its place.
      maxEntrySize: Math.max(1, Math.floor(bytesMax / 16)),
      sizeCalculation: (reply, key) => ENTRY_BYTES + 2 * key.length + replySize(reply),
    });
  }

  get isOn(): boolean {
    return this.#replies !== undefined;
  }

  /** The reply under this key; counts a hit. A miss is counted by whoever lets the query run. */
  get(key: string): LastingReply | undefined {
    const reply = this.#replies?.get(key);
    if (reply !== undefined) this.#hitCount += 1;
    return reply;
  }

  /** Counts a reply that was shared while it was made: a hit of the one who waited. */
  countShared(): void {
    this.#hitCount += 1;
  }

  /** Counts a query that is run because no reply was there. Only ever grows, as scrapers expect. */
  countMiss(): void {
    this.#missCount += 1;
  }

  /** Keeps a reply, if it is one of those that last. */
  keep(key: string, reply: LastingReply): void {
    this.#replies?.set(key, reply);
  }

  get stats(): ResultCacheStats {
    return {
      hitCount: this.#hitCount,
      missCount: this.#missCount,
      entryCount: this.#replies?.size ?? 0,
      bytes: this.#replies?.calculatedSize ?? 0,
    };
  }
}

/** Bytes of its texts; the SQL is part of the key already, and shared with it or not. */
function replySize(reply: LastingReply): number {
  if (reply.kind === 'ran') return 2 * (reply.text.length + reply.query.sql.length);
  return reply.judgements.reduce(
    (sum, { errorText, answerQuery }) =>
      sum + ENTRY_BYTES + 2 * (errorText.length + (answerQuery?.sql.length ?? 0)),
    0,
  );
}
