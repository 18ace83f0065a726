import { CancelSource } from '../cancel.ts';
import type { SpiderGraded } from '../evaluate/ports.ts';
import type { RunClocks, SpiderItem } from './messages.ts';
import type { Scheduler } from './scheduler.ts';

/** Answers that one message holds: handing over a message takes about as long as judging an honest answer. */
const ITEM_COUNT_MAX = 8;

interface Waiting {
  readonly item: SpiderItem;
  readonly resolve: (outcomes: SpiderGraded['outcomes'] | undefined) => void;
}

const NEVER = new CancelSource();

/**
 * Sends answers to be judged in batches, those together that are asked for in one turn of the event loop. It is for honest
 * answers: one that is slow, and all of a batch that something happens to, are left to be judged each on its own.
 */
export class SpiderBatches {
  readonly #scheduler: Scheduler;
  #waiting: Waiting[] = [];
  #clocks: RunClocks = { cpuMs: 0, wallMs: 0 };
  #batchCount = 0;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /** Judges an answer as one of a batch; undefined if that did not work. */
  grade(item: SpiderItem, clocks: RunClocks): Promise<SpiderGraded['outcomes'] | undefined> {
    const same = clocks.cpuMs === this.#clocks.cpuMs && clocks.wallMs === this.#clocks.wallMs;
    if (!same) this.#flush();
    this.#clocks = clocks;
    return new Promise((resolve) => {
      this.#waiting.push({ item, resolve });
      if (this.#waiting.length >= ITEM_COUNT_MAX) this.#flush();
      else if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  #flush(): void {
    const waiting = this.#waiting;
    if (waiting.length === 0) return;
    this.#waiting = [];
    const clocks = this.#clocks;
    const items = waiting.map(({ item }) => item);
    this.#batchCount += 1;
    const order = {
      purpose: 'spider' as const,
      // No two batches are alike, so that none is taken for a slow one.
      key: `spider batch ${this.#batchCount}`,
      clocks,
      build: (attempt: Parameters<Parameters<Scheduler['run']>[0]['build']>[0]) =>
        ({ kind: 'grade_spider_batch', items, limits: clocks, ...attempt }) as const,
      timedOut: () => ({ kind: 'starved' }) as const,
    };
    void this.#scheduler.run(order, NEVER).then((reply) => {
      for (const [index, { resolve }] of waiting.entries()) {
        resolve(reply.kind === 'spider_batch' ? reply.outcomes[index] : undefined);
      }
    });
  }
}
