import type { Loop } from './arrivals.ts';
import type { RecordedPlan } from './recorded.ts';
import type { ScriptedPlan } from './plan.ts';
import type { TallyData } from './tally.ts';
import type { Transport } from './transport.ts';

/** Where a client process takes its episodes from. */
export type SourceOptions =
  | { readonly kind: 'scripted'; readonly plan: ScriptedPlan }
  | { readonly kind: 'recorded'; readonly paths: readonly string[]; readonly plan: RecordedPlan };

/** All that the client processes need to know. Plain data: it goes to other processes. */
export interface ClientOptions {
  readonly address: string;
  readonly transport: Transport;
  /** Connections of all client processes together. */
  readonly connectionCount: number;
  /** How long a call may take, milliseconds. */
  readonly deadlineMs: number;
  readonly source: SourceOptions;
  readonly loop: Loop;
  /** Have answers scored by `Score`, too. */
  readonly score: boolean;
  /** Episodes of this load have ids that start with it. */
  readonly runId: string;
}

/** How much of a client process its work took. */
export interface ClientUsage {
  /** From the start of its work to its end, milliseconds. */
  readonly wallMs: number;
  /** CPU of the process in that time, milliseconds. */
  readonly cpuMs: number;
  /** Share of the time in which its event loop was busy, 0 to 1. */
  readonly busyShare: number;
  /** How late timers were, p99 and longest, milliseconds. */
  readonly loopP99Ms: number;
  readonly loopMaxMs: number;
  /** Longest sum of think times of one episode, milliseconds: what the work takes with a server that takes no time. */
  readonly thinkMsMax: number;
}

/** Which episodes of an open loop are played. */
export interface OpenBounds {
  /** Batches to arrive at most. */
  readonly batchCountMax: number;
  /** No episode arrives later than this, milliseconds from the start. */
  readonly arriveMsMax: number;
}

/** What a client process is told. */
export type ClientOrder =
  | {
      readonly kind: 'start';
      readonly options: ClientOptions;
      readonly clientIndex: number;
      readonly clientCount: number;
    }
  | { readonly kind: 'prepare'; readonly batchIndex: number }
  | { readonly kind: 'play'; readonly batchIndex: number }
  | ({ readonly kind: 'play_open' } & OpenBounds)
  | { readonly kind: 'stop' };

/** What was counted of a batch since the last news. */
export interface BatchNews {
  readonly batchIndex: number;
  readonly tally: TallyData;
}

/** What a client process says. Each order but `stop` is answered by the reply of its kind; `stop` by `stopped` and its end. */
export type ClientNews =
  | { readonly kind: 'start' | 'prepare' }
  | { readonly kind: 'play' | 'play_open' | 'stopped'; readonly usage: ClientUsage }
  | {
      readonly kind: 'news';
      readonly batches: readonly BatchNews[];
      /** Episodes under way. */
      readonly openCount: number;
    }
  | { readonly kind: 'failed'; readonly message: string };
