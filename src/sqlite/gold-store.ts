import { LRUCache } from 'lru-cache';
import { type CancelSignal, CancelSource } from '../cancel.ts';
import type { JobReply } from './job.ts';

/** Golds kept at once. A digested gold takes a few hundred bytes, and eight bytes a row where ties are known. */
const GOLD_COUNT_MAX = 50_000;
const GOLD_SIZE_MAX = 256_000_000;

type Computed = Extract<JobReply, { kind: 'gold' | 'gold_broken' }>;

interface Computation {
  readonly promise: Promise<JobReply>;
  readonly controller: CancelSource;
  waiterCount: number;
}

/** What a gold that reads the clock gave is over with the moment that it was asked at. */
function isLasting(reply: JobReply): reply is Computed {
  return reply.kind === 'gold_broken' || (reply.kind === 'gold' && !reply.gold.volatile);
}

/**
 * Digested golds by database and SQL. A gold that several callers want at once is computed once; it is stopped only when none
 * of them waits for it any more. Only what the gold itself decides is kept: a lost worker or a full queue is not.
 */
export class GoldStore {
  readonly #known = new LRUCache<string, Computed>({
    max: GOLD_COUNT_MAX,
    maxSize: GOLD_SIZE_MAX,
    sizeCalculation: (reply, key) =>
      key.length * 2 + 1_000 + (reply.kind === 'gold' ? (reply.gold.tieSizes?.length ?? 0) * 8 : 0),
  });
  readonly #computing = new Map<string, Computation>();

  /** The gold under this key, from the store or from `compute`. */
  async get(
    key: string,
    signal: CancelSignal,
    compute: (signal: CancelSignal) => Promise<JobReply>,
  ): Promise<JobReply> {
    const known = this.#known.get(key);
    if (known) return known;
    if (signal.aborted) return { kind: 'cancelled' };
    const computation = this.#computing.get(key) ?? this.#begin(key, compute);
    computation.waiterCount += 1;
    return await this.#wait(key, computation, signal);
  }

  #begin(key: string, compute: (signal: CancelSignal) => Promise<JobReply>): Computation {
    const controller = new CancelSource();
    const computation: Computation = {
      controller,
      waiterCount: 0,
      promise: compute(controller.signal).then((reply) => {
        if (this.#computing.get(key) === computation) this.#computing.delete(key);
        if (isLasting(reply)) this.#known.set(key, reply);
        return reply;
      }),
    };
    this.#computing.set(key, computation);
    return computation;
  }

  #wait(key: string, computation: Computation, signal: CancelSignal): Promise<JobReply> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        computation.waiterCount -= 1;
        if (computation.waiterCount === 0) {
          this.#computing.delete(key);
          computation.controller.abort();
        }
        resolve({ kind: 'cancelled' });
      };
      signal.addEventListener('abort', leave, { once: true });
      computation.promise.then(
        (reply) => {
          signal.removeEventListener('abort', leave);
          resolve(reply);
        },
        (error: unknown) => {
          signal.removeEventListener('abort', leave);
          reject(error instanceof Error ? error : new Error(String(error)));
        },
      );
    });
  }
}
