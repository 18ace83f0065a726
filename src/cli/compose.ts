import type { Config } from '../config.ts';
import type { DatabaseSchema } from '../episodes/ports.ts';
import { NO_RECORDER, TrajectoryRecorder } from '../episodes/recorder.ts';
import type { EpisodeDefaults } from '../episodes/server-info.ts';
import { EnvironmentService } from '../episodes/service.ts';
import type { StoreLimits } from '../episodes/store.ts';
import { createTaskSource, type TaskSource } from '../episodes/task-source.ts';
import type { Log } from '../logger.ts';
import { VERSION } from '../package-root.ts';
import { startServer, type RunningServer } from '../rpc/server.ts';
import { inspectDatabase, isProblem } from '../sqlite/catalog.ts';
import { createExecutor, type SqliteExecutor } from '../sqlite/executor.ts';
import type { DatabaseFile } from '../sqlite/messages.ts';
import { databasePath } from '../tasks/database-path.ts';
import {
  databaseProblem,
  fileSha256,
  neededDatabases,
  usableTasks,
  type NeededDatabase,
} from '../tasks/load-databases.ts';
import { loadTasks } from '../tasks/load-tasks.ts';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import { checkDatabases } from './check-databases.ts';
import { recordManifest, type ServedCatalog } from './record-manifest.ts';
import { taskInputOf } from './task-input.ts';
import { openTelemetry, type ServerTelemetry } from './telemetry.ts';

/** A server with all that is behind it. */
export interface RunningEnvironment {
  readonly server: RunningServer;
  readonly service: EnvironmentService;
  readonly executor: SqliteExecutor;
  readonly tasks: TaskSource;
  /** What is served, in a few words. */
  readonly title: string;
  /** Where metrics are scraped; undefined without them. */
  readonly metricsPort: number | undefined;
  /** What is wrong with the input and left out. */
  readonly skipped: readonly InputProblem[];
  /** Drains, writes what is to be written and ends all threads. Idempotent. */
  stop(): Promise<void>;
}

/** Ended episodes are kept for repeats of their last step: as many as a large batch has. */
const ENDED_COUNT_MAX = 8_192;
const SELF_TEST_MS = 30_000;
const ENDED_BYTES_MAX = 64 * 1024 * 1024;

/** Starts everything. Throws errors whose messages are for the user; what was opened by then is closed again. */
export async function startEnvironment(config: Config, log: Log): Promise<RunningEnvironment> {
  const telemetry = await openTelemetry(config, log);
  try {
    return await startObserved(config, log, telemetry);
  } catch (error) {
    await telemetry.close();
    throw error;
  }
}

async function startObserved(
  config: Config,
  log: Log,
  telemetry: ServerTelemetry,
): Promise<RunningEnvironment> {
  const set = loadTasks(taskInputOf(config), config.split);
  const needed = neededDatabases(set.tasks);
  const files = inspectFiles(needed, set.databaseFolder);
  const executor = await createExecutor({
    databases: files.databases,
    queueCountMax: config.queueCountMax,
    resultCacheBytesMax: config.resultCacheBytesMax,
    fastThreadCount: config.threads,
    slowThreadCountMax: config.slowThreads,
    telemetry: telemetry.queries,
  });
  try {
    const checked = await checkDatabases(executor, needed, files.databases);
    const skipped = [...set.problems, ...files.problems, ...checked.problems];
    if (skipped.length > 0 && !config.skipBroken) throw brokenInput(skipped);
    const usable = usableTasks(set.tasks, checked.schemas);
    if (usable.length === 0) throw new InputError('there are no tasks left to serve', skipped);
    const hashes = await hashDatabases(checked.schemas, files.databases);
    const tasks = createTaskSource(usable, hashes);
    const { catalogSha256 } = tasks;
    const catalog = { title: set.title, catalogSha256, files: files.databases, hashes };
    const started = await startService(config, log, executor, tasks, catalog, telemetry);
    const { metricsPort } = telemetry;
    return { ...started, executor, tasks, title: set.title, metricsPort, skipped };
  } catch (error) {
    await executor.close();
    throw error;
  }
}

function brokenInput(problems: readonly InputProblem[]): InputError {
  const count =
    problems.length === 1 ? 'there is 1 problem' : `there are ${problems.length} problems`;
  return new InputError(
    `${count} with the tasks; --skip-broken serves the rest without them`,
    problems,
  );
}

/** Looks at the files of the databases, without SQLite. */
function inspectFiles(needed: readonly NeededDatabase[], folder: string) {
  const databases = new Map<string, DatabaseFile>();
  const problems: InputProblem[] = [];
  for (const database of needed) {
    const { databaseId } = database;
    const found = inspectDatabase(databaseId, databasePath(folder, databaseId));
    if (isProblem(found)) problems.push(databaseProblem(database, found.message));
    else databases.set(databaseId, found);
  }
  return { databases, problems };
}

async function hashDatabases(
  schemas: ReadonlyMap<string, DatabaseSchema>,
  databases: ReadonlyMap<string, DatabaseFile>,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  for (const databaseId of schemas.keys()) {
    const file = databases.get(databaseId);
    if (file !== undefined) hashes.set(databaseId, await fileSha256(file.path));
  }
  return hashes;
}

async function startService(
  config: Config,
  log: Log,
  executor: SqliteExecutor,
  tasks: TaskSource,
  catalog: ServedCatalog,
  telemetry: ServerTelemetry,
): Promise<Pick<RunningEnvironment, 'server' | 'service' | 'stop'>> {
  const recorder = await openRecorder(config, log, catalog);
  const service = new EnvironmentService({
    executor,
    engine: executor.engine,
    tasks,
    recorder: recorder ?? NO_RECORDER,
    log,
    version: VERSION,
    defaults: defaultsOf(config),
    storeLimits: storeLimitsOf(config),
    recordGold: config.recordGold,
    telemetry: telemetry.episodes,
  });
  const { host, port, keepaliveMs } = config;
  try {
    const selfTest = (): Promise<void> => runOneQuery(service, tasks);
    const { calls } = telemetry;
    const server = await startServer({
      ...{ service, host, port, keepaliveMs, log, selfTest },
      telemetry: calls,
    });
    telemetry.measure({
      port: server.port,
      queueCountMax: config.queueCountMax,
      info: () => service.info(),
      recorder: recorder && (() => recorder.stats()),
    });
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await server.drain({ drainMs: config.drainMs });
      await recorder?.close();
      await executor.close();
      await telemetry.close();
    };
    return { server, service, stop: () => (stopping ??= stop()) };
  } catch (error) {
    service.abandonAll();
    await recorder?.close();
    throw error;
  }
}

/** What the health check rests on: a query through everything that a model's goes through. */
async function runOneQuery(service: EnvironmentService, tasks: TaskSource): Promise<void> {
  const filter = { split: '', databaseId: '', difficulty: '' };
  const [task] = tasks.page(filter, '', 1).tasks;
  if (task === undefined) throw new InputError('there are no tasks to serve');
  const { databaseId } = task;
  const input = { kind: 'query', sql: 'SELECT 1' } as const;
  const request = { databaseId, input, observation: {}, limits: {} };
  const { query } = await service.runSql(request, AbortSignal.timeout(SELF_TEST_MS));
  if (query.status !== 'ok') throw new Error(`the self-test's query ended with ${query.status}`);
}

async function openRecorder(
  config: Config,
  log: Log,
  catalog: ServedCatalog,
): Promise<TrajectoryRecorder | undefined> {
  const { record, recordFileBytesMax: fileBytesMax } = config;
  if (record === false) return undefined;
  try {
    const recorder = await TrajectoryRecorder.open({ folder: record, fileBytesMax, log });
    await recordManifest(record, config, catalog, log);
    return recorder;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
    throw new InputError(
      `--record ${record}: trajectories can't be written there (${code}); choose another folder, or --no-record`,
    );
  }
}

/** What holds for requests that say nothing else. */
function defaultsOf(config: Config): EpisodeDefaults {
  const { textSizeMax, truncateSide, comparisonMode, guard, scope, fallback } = config;
  return {
    limits: {
      stepCountMax: config.stepCountMax,
      invalidCallCountMax: config.invalidCallCountMax,
      parallelCallCountMax: config.parallelCallCountMax,
      completionTokenCountMax: config.completionTokenCountMax,
      queryCpuMsMax: config.queryCpuMsMax,
      queryWallMsMax: config.queryWallMsMax,
      rowCountMax: config.rowCountMax,
      cellBytesMax: config.cellBytesMax,
      resultBytesMax: config.resultBytesMax,
    },
    observation: { textSizeMax, truncateSide },
    score: { comparisonMode, guard, scope, fallback },
    promptStyle: config.promptStyle,
    onMalformed: config.onMalformed,
  };
}

function storeLimitsOf(config: Config): StoreLimits {
  const { leaseMs, episodeCountMax, episodeBytesMax } = config;
  return {
    leaseMs,
    episodeCountMax,
    episodeBytesMax,
    endedCountMax: ENDED_COUNT_MAX,
    endedBytesMax: ENDED_BYTES_MAX,
  };
}
