import type { Log } from '../logger.ts';
import type { Clock } from './clock.ts';
import type { EngineInfo, QueryExecutor } from './ports.ts';
import type { EpisodeRecorder } from './recorder.ts';
import type { EpisodeDefaults } from './server-info.ts';
import type { StoreLimits } from './store.ts';
import type { TaskSource } from './task-source.ts';
import type { EpisodeTelemetry } from './telemetry.ts';

/** What a service is made of. */
export interface ServiceParts {
  readonly executor: QueryExecutor;
  readonly engine: EngineInfo;
  readonly tasks: TaskSource;
  readonly recorder: EpisodeRecorder;
  readonly log: Log;
  readonly version: string;
  readonly defaults: EpisodeDefaults;
  readonly storeLimits: StoreLimits;
  readonly recordGold: boolean;
  readonly clock?: Clock;
  readonly telemetry?: EpisodeTelemetry | undefined;
}
