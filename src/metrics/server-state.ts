import type { ExecutorStats } from '../episodes/ports.ts';
import type { RecorderStats } from '../episodes/recorder.ts';
import type { ServerInfo } from '../episodes/server-info.ts';
import { ReadFamily, type Family, type Reading } from './families.ts';

/** Where numbers are read that the server keeps anyway. */
export interface StateSources {
  readonly info: () => ServerInfo;
  /** Undefined where nothing is recorded. */
  readonly recorder: (() => RecorderStats) | undefined;
  /** Queries that may wait. */
  readonly queueCountMax: number;
}

/** Families over sources that may come later: until then they have nothing to say. */
export function stateFamilies(sources: () => StateSources | undefined): readonly Family[] {
  return [...serverFamilies(sources), ...executorFamilies(sources), ...recorderFamilies(sources)];
}

function serverFamilies(sources: () => StateSources | undefined): Family[] {
  const info =
    (read: (info: ServerInfo) => Reading): (() => Reading) =>
    () => {
      const found = sources();
      return found && read(found.info());
    };
  return [
    new ReadFamily(
      'gauge',
      'sqlenv_build_info',
      '1; its labels say what runs and what it serves.',
      info(({ version, engine, catalogSha256 }) => [
        [[version, engine.sqliteVersion, engine.engineSha256, process.version, catalogSha256], 1],
      ]),
      ['version', 'sqlite_version', 'engine_sha256', 'node_version', 'catalog_sha256'],
    ),
    gauge(
      'sqlenv_tasks',
      'Tasks that are served.',
      info(({ taskCount }) => taskCount),
    ),
    gauge(
      'sqlenv_databases',
      'Databases that are served.',
      info(({ databaseCount }) => databaseCount),
    ),
    gauge(
      'sqlenv_draining',
      '1 once the server takes no new episodes.',
      info(({ draining }) => Number(draining)),
    ),
    gauge(
      'sqlenv_open_episodes',
      'Episodes that are open or being opened.',
      info(({ episodeCount }) => episodeCount),
    ),
    gauge(
      'sqlenv_open_episodes_max',
      'Episodes that may be open at once.',
      info(({ episodeCountMax }) => episodeCountMax),
    ),
  ];
}

function executorFamilies(sources: () => StateSources | undefined): Family[] {
  const stat =
    (read: (stats: ExecutorStats) => Reading): (() => Reading) =>
    () => {
      const found = sources();
      return found && read(found.info().executor);
    };
  return [
    gauge(
      'sqlenv_queued_queries',
      'Queries that wait for a thread.',
      stat(({ queuedCount }) => queuedCount),
    ),
    gauge(
      'sqlenv_queued_queries_max',
      'Queries that may wait for a thread.',
      () => sources()?.queueCountMax,
    ),
    new ReadFamily(
      'gauge',
      'sqlenv_running_queries',
      'Queries that run, by lane.',
      stat(({ runningCount, slowCount }) => [
        [['fast'], runningCount - slowCount],
        [['slow'], slowCount],
      ]),
      ['lane'],
    ),
    gauge(
      'sqlenv_oldest_query_seconds',
      'For how long the oldest running query has been running; 0 if none runs.',
      stat(({ oldestQueryMs }) => oldestQueryMs / 1_000),
    ),
    gauge(
      'sqlenv_threads',
      'Threads that run queries.',
      stat(({ threadCount }) => threadCount),
    ),
    counter(
      'sqlenv_lost_workers_total',
      'Threads that died under a query, and were started anew.',
      stat(({ lostWorkerCount }) => lostWorkerCount),
    ),
    counter(
      'sqlenv_result_cache_hits_total',
      'Queries that the result cache answered.',
      stat(({ cacheHitCount }) => cacheHitCount),
    ),
    counter(
      'sqlenv_result_cache_misses_total',
      'Queries that the result cache could have held and did not.',
      stat(({ cacheMissCount }) => cacheMissCount),
    ),
    gauge(
      'sqlenv_result_cache_bytes',
      'Bytes that the result cache holds.',
      stat(({ cacheBytes }) => cacheBytes),
    ),
    gauge(
      'sqlenv_result_cache_entries',
      'Results that the result cache holds.',
      stat(({ cacheEntryCount }) => cacheEntryCount),
    ),
  ];
}

function recorderFamilies(sources: () => StateSources | undefined): Family[] {
  const stat =
    (read: (stats: RecorderStats) => number): (() => Reading) =>
    () => {
      const recorder = sources()?.recorder;
      return recorder && read(recorder());
    };
  return [
    counter(
      'sqlenv_recorded_trajectories_total',
      'Trajectories that were written.',
      stat(({ recordedCount }) => recordedCount),
    ),
    counter(
      'sqlenv_recorded_bytes_total',
      'Bytes of the trajectories that were written.',
      stat(({ recordedBytes }) => recordedBytes),
    ),
    gauge(
      'sqlenv_waiting_trajectories',
      'Trajectories that wait to be written.',
      stat(({ pendingCount }) => pendingCount),
    ),
    gauge(
      'sqlenv_waiting_trajectory_bytes',
      'Bytes of those that have been made into lines.',
      stat(({ pendingBytes }) => pendingBytes),
    ),
    counter(
      'sqlenv_dropped_trajectories_total',
      'Trajectories that were lost because too many were waiting.',
      stat(({ droppedCount }) => droppedCount),
    ),
    counter(
      'sqlenv_recorder_errors_total',
      'Writes of trajectories that failed; they are tried again.',
      stat(({ errorCount }) => errorCount),
    ),
  ];
}

function gauge(name: string, help: string, read: () => Reading): Family {
  return new ReadFamily('gauge', name, help, read);
}

function counter(name: string, help: string, read: () => Reading): Family {
  return new ReadFamily('counter', name, help, read);
}
