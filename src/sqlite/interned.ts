import { LRUCache } from 'lru-cache';
import type { QueryLimits } from '../../env/limits.ts';
import type { ObservationOptions } from '../../env/query.ts';

/** Combinations that are remembered; a server has a handful. */
const COUNT_MAX = 256;

/**
 * Limits and observation sizes, each combination as one object: what several messages to a thread share is copied once for all
 * of them, and what a thread does not need is left out.
 */
export class Interned {
  readonly #limits = new LRUCache<string, QueryLimits>({ max: COUNT_MAX });
  readonly #observations = new LRUCache<string, ObservationOptions>({ max: COUNT_MAX });

  /** The same limits, those of a query alone. */
  limits(limits: QueryLimits): QueryLimits {
    const key = limitsKey(limits);
    const known = this.#limits.get(key);
    if (known) return known;
    const { queryCpuMsMax, queryWallMsMax, rowCountMax, cellBytesMax, resultBytesMax } = limits;
    const own = { queryCpuMsMax, queryWallMsMax, rowCountMax, cellBytesMax, resultBytesMax };
    this.#limits.set(key, own);
    return own;
  }

  /** The same size and side. */
  observation({ textSizeMax, truncateSide }: ObservationOptions): ObservationOptions {
    const key = `${textSizeMax} ${truncateSide}`;
    const known = this.#observations.get(key);
    if (known) return known;
    const own = { textSizeMax, truncateSide };
    this.#observations.set(key, own);
    return own;
  }
}

/** Equal for limits that are equal. */
export function limitsKey(limits: QueryLimits): string {
  const { queryCpuMsMax, queryWallMsMax, rowCountMax, cellBytesMax, resultBytesMax } = limits;
  return `${queryCpuMsMax} ${queryWallMsMax} ${rowCountMax} ${cellBytesMax} ${resultBytesMax}`;
}
