import { COMPARISON_MODES, type ComparisonMode, type ScoreOptions } from '../../env/grade.ts';
import type { OnMalformed } from '../../env/episode.ts';
import type { EpisodeLimits } from '../../env/limits.ts';
import type { PromptStyle } from '../../env/prompt.ts';
import type { ObservationOptions } from '../../env/query.ts';
import type { EngineInfo, ExecutorStats } from './ports.ts';
import type { ServiceParts } from './service-parts.ts';

/** What holds when a request says nothing else. */
export interface EpisodeDefaults {
  readonly limits: EpisodeLimits;
  readonly observation: ObservationOptions;
  readonly score: ScoreOptions;
  readonly promptStyle: PromptStyle;
  readonly onMalformed: OnMalformed;
}

/** What the server is, holds and allows. */
export interface ServerInfo {
  readonly version: string;
  readonly engine: EngineInfo;
  readonly catalogSha256: string;
  readonly taskCount: number;
  readonly databaseCount: number;
  readonly splitTaskCounts: ReadonlyMap<string, number>;
  readonly defaults: EpisodeDefaults;
  readonly comparisonModes: readonly ComparisonMode[];
  readonly episodeCount: number;
  readonly episodeCountMax: number;
  readonly leaseMs: number;
  readonly draining: boolean;
  readonly executor: ExecutorStats;
}

/** What the server is, holds and allows at this moment. */
export function serverInfo(
  parts: ServiceParts,
  episodeCount: number,
  draining: boolean,
): ServerInfo {
  const { tasks, storeLimits, executor, defaults, engine, version } = parts;
  return {
    version,
    engine,
    catalogSha256: tasks.catalogSha256,
    taskCount: tasks.taskCount,
    databaseCount: tasks.databaseCount,
    splitTaskCounts: tasks.splitTaskCounts,
    defaults,
    comparisonModes: COMPARISON_MODES,
    episodeCount,
    episodeCountMax: storeLimits.episodeCountMax,
    leaseMs: storeLimits.leaseMs,
    draining,
    executor: executor.stats(),
  };
}
