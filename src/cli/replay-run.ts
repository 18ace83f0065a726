import { lazyReplayer } from '../replay/lazy-replayer.ts';
import type { EpisodeLibrary, EpisodeSummary, Replayer, ReplaySource } from '../replay/ports.ts';
import { createReplayer } from '../replay/replayer.ts';
import type { ReplayFlags } from './replay.ts';

/** What every mode of `sqlenv replay` works with. */
export interface ReplayRun {
  readonly flags: ReplayFlags;
  readonly library: EpisodeLibrary;
  /** Those that the filter lets pass. */
  readonly episodes: readonly EpisodeSummary[];
  /** Fires when the user interrupts. */
  readonly signal: AbortSignal;
  /** Episodes that are played side by side. */
  readonly concurrency: number;
  /** Opens what plays episodes again; the caller stops it. */
  readonly openSource: () => Promise<ReplaySource>;
}

/** A replayer that is opened when it is needed. */
export function replayerOf({ openSource }: Pick<ReplayRun, 'openSource'>): Replayer {
  return lazyReplayer(async () => createReplayer(await openSource()));
}
