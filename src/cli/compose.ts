import type { Task } from '../../env/task.ts';
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
import { taskInputOf } from './task-input.ts';

/** A server with all that is behind it. */
export interface RunningEnvironment {
  readonly server: RunningServer;
  readonly service: EnvironmentService;
  readonly executor: SqliteExecutor;
  readonly tasks: TaskSource;
  /** What is served, in a few words. */
  readonly title: string;
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
  const set = loadTasks(taskInputOf(config), config.split);
  const needed = neededDatabases(set.tasks);
  const files = inspectFiles(needed, set.databaseFolder);
  const executor = await createExecutor({
    databases: files.databases,
    queueCountMax: config.queueCountMax,
    fastThreadCount: config.threads,
    slowThreadCountMax: config.slowThreads,
  });
  try {
    const checked = await checkDatabases(executor, needed, files.databases);
    const skipped = [...set.problems, ...files.problems, ...checked.problems];
    if (skipped.length > 0 && !config.skipBroken) throw brokenInput(skipped);
    const usable = usableTasks(set.tasks, checked.schemas);
    if (usable.length === 0) throw new InputError('there are no tasks left to serve', skipped);
    const tasks = await createSource(usable, checked.schemas, files.databases);
    const started = await startService(config, log, executor, tasks);
    return { ...started, executor, tasks, title: set.title, skipped };
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

async function createSource(
  tasks: readonly Task[],
  schemas: ReadonlyMap<string, DatabaseSchema>,
  databases: ReadonlyMap<string, DatabaseFile>,
): Promise<TaskSource> {
  const hashes = new Map<string, string>();
  for (const databaseId of schemas.keys()) {
    const file = databases.get(databaseId);
    if (file !== undefined) hashes.set(databaseId, await fileSha256(file.path));
  }
  return createTaskSource(tasks, hashes);
}

async function startService(
  config: Config,
  log: Log,
  executor: SqliteExecutor,
  tasks: TaskSource,
): Promise<Pick<RunningEnvironment, 'server' | 'service' | 'stop'>> {
  const recorder = await openRecorder(config, log);
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
  });
  const { host, port } = config;
  try {
    const selfTest = (): Promise<void> => runOneQuery(service, tasks);
    const server = await startServer({ service, host, port, log, selfTest });
    let stopping: Promise<void> | undefined;
    const stop = async (): Promise<void> => {
      await server.drain({ drainMs: config.drainMs });
      await recorder?.close();
      await executor.close();
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

async function openRecorder(config: Config, log: Log): Promise<TrajectoryRecorder | undefined> {
  const { record, recordFileBytesMax } = config;
  if (record === false) return undefined;
  try {
    return await TrajectoryRecorder.open({ folder: record, fileBytesMax: recordFileBytesMax, log });
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
