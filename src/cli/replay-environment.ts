import { DEFAULT_SCORE } from '../../env/grade.ts';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { DEFAULT_OBSERVATION } from '../../env/query.ts';
import type { StepOutcome } from '../../env/episode.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import type { EngineInfo } from '../episodes/ports.ts';
import { NO_RECORDER } from '../episodes/recorder.ts';
import type {
  ResetRequest,
  ResetResult,
  RunSqlRequest,
  RunSqlResult,
  ScoreRequest,
  ScoreResult,
  StepRequest,
  TaskChoice,
} from '../episodes/requests.ts';
import { EnvironmentService } from '../episodes/service.ts';
import { createTaskSource } from '../episodes/task-source.ts';
import { VERSION } from '../package-root.ts';
import type { GoldFound, ReplayEnvironment, ReplaySource } from '../replay/ports.ts';
import { inspectDatabase, isProblem } from '../sqlite/catalog.ts';
import type { SqliteExecutor } from '../sqlite/executor.ts';
import type { DatabaseFile } from '../sqlite/messages.ts';
import { fileSha256 } from '../tasks/load-databases.ts';
import { InputError } from '../tasks/task-set.ts';
import { openExecutor } from './evaluation-executor.ts';
import type { LocatedDatabase, ReplayCatalogs } from './replay-catalogs.ts';

/** A fork waits as long as a person thinks. */
const LEASE_MS = 7 * 86_400_000;

/** What goes wrong is said to the user. */
const NO_LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const BYTES_MAX = 2 ** 31;

/** Starts the environment of training in this process, with the databases that the catalogs find, each opened when it is needed. */
export async function openLocalSource(
  catalogs: ReplayCatalogs,
  threads: number,
): Promise<ReplaySource> {
  const files = new Map<string, DatabaseFile>();
  const executor = await openExecutor({ files }, threads);
  return new LocalSource(catalogs, executor, files);
}

/** Databases go by their paths here: two catalogs can have different ones of the same id. */
class LocalSource implements ReplaySource {
  readonly engine: EngineInfo;
  readonly serverVersion = VERSION;
  readonly catalogSha256 = undefined;
  readonly warnings: string[] = [];
  readonly #catalogs: ReplayCatalogs;
  readonly #executor: SqliteExecutor;
  readonly #files: Map<string, DatabaseFile>;
  readonly #service: EnvironmentService;
  readonly #compared = new Map<string, Promise<void>>();

  constructor(
    catalogs: ReplayCatalogs,
    executor: SqliteExecutor,
    files: Map<string, DatabaseFile>,
  ) {
    this.engine = executor.engine;
    this.#catalogs = catalogs;
    this.#executor = executor;
    this.#files = files;
    this.#service = createService(executor, files);
  }

  async environmentOf({
    database_id: databaseId,
    catalog_sha256: catalog,
  }: Trajectory): Promise<ReplayEnvironment> {
    const located = await this.#catalogs.locate(databaseId, catalog);
    this.#open(databaseId, located.path);
    await this.#compareOnce(databaseId, located);
    return new LocalEnvironment(this.#service, this.engine, {
      databaseId,
      path: located.path,
      findGold: (taskId, hash) => this.#catalogs.findGold(taskId, hash, catalog),
    });
  }

  findGold({
    task_id: taskId,
    gold_sha256: hash,
    catalog_sha256: catalog,
  }: Trajectory): Promise<GoldFound> {
    return this.#catalogs.findGold(taskId, hash, catalog);
  }

  async stop(): Promise<void> {
    this.#service.abandonAll();
    await this.#executor.close();
  }

  #open(databaseId: string, path: string): void {
    if (this.#files.has(path)) return;
    const found = inspectDatabase(databaseId, path);
    if (isProblem(found)) throw new InputError(`database ${databaseId}: ${found.message}: ${path}`);
    this.#files.set(path, found);
  }

  /** Warns where a file is not the one that the episodes were recorded on. */
  #compareOnce(databaseId: string, { path, sha256 }: LocatedDatabase): Promise<void> {
    if (sha256 === undefined) return Promise.resolve();
    const key = `${sha256} ${path}`;
    const known = this.#compared.get(key);
    if (known !== undefined) return known;
    const comparing = fileSha256(path).then((now) => {
      if (now === sha256) return;
      this.warnings.push(
        `database ${databaseId} is not the recorded one: ${path} has the SHA-256 ${now.slice(0, 12)}..., recorded was ${sha256.slice(0, 12)}...`,
      );
    });
    this.#compared.set(key, comparing);
    return comparing;
  }
}

function createService(
  executor: SqliteExecutor,
  files: ReadonlyMap<string, DatabaseFile>,
): EnvironmentService {
  return new EnvironmentService({
    executor,
    engine: executor.engine,
    tasks: {
      ...createTaskSource([], new Map()),
      hasDatabase: (path) => files.has(path),
    },
    recorder: NO_RECORDER,
    log: NO_LOG,
    version: VERSION,
    // Replays say everything themselves; these are for queries beside them.
    defaults: {
      limits: DEFAULT_LIMITS,
      observation: DEFAULT_OBSERVATION,
      score: DEFAULT_SCORE,
      promptStyle: 'ddl',
      onMalformed: 'end',
    },
    storeLimits: {
      leaseMs: LEASE_MS,
      episodeCountMax: 1_000_000,
      episodeBytesMax: BYTES_MAX,
      endedCountMax: 64,
      endedBytesMax: BYTES_MAX,
    },
    recordGold: false,
  });
}

interface LocalDatabase {
  readonly databaseId: string;
  readonly path: string;
  readonly findGold: (taskId: string, goldSha256: string) => Promise<GoldFound>;
}

/** The service, with the database by its path. */
class LocalEnvironment implements ReplayEnvironment {
  readonly engine: EngineInfo;
  readonly serverVersion = VERSION;
  readonly catalogSha256 = undefined;
  readonly #service: EnvironmentService;
  readonly #database: LocalDatabase;

  constructor(service: EnvironmentService, engine: EngineInfo, database: LocalDatabase) {
    this.engine = engine;
    this.#service = service;
    this.#database = database;
  }

  async reset(request: ResetRequest, signal: AbortSignal): Promise<ResetResult> {
    const task = this.#withPath(request.task);
    const opened = await this.#service.reset({ ...request, task }, signal);
    return { ...opened, task: { ...opened.task, databaseId: this.#database.databaseId } };
  }

  step(request: StepRequest, signal: AbortSignal): Promise<StepOutcome> {
    return this.#service.step(request, signal);
  }

  closeEpisode(episodeId: string): Promise<void> {
    this.#service.close(episodeId);
    return Promise.resolve();
  }

  score(request: ScoreRequest, signal: AbortSignal): Promise<ScoreResult> {
    return this.#service.score({ ...request, task: this.#withPath(request.task) }, signal);
  }

  runSql(request: RunSqlRequest, signal: AbortSignal): Promise<RunSqlResult> {
    return this.#service.runSql({ ...request, databaseId: this.#database.path }, signal);
  }

  findGold(taskId: string, goldSha256: string): Promise<GoldFound> {
    return this.#database.findGold(taskId, goldSha256);
  }

  /** There are no tasks here but those that are brought along. */
  #withPath(task: TaskChoice): TaskChoice {
    return task.kind === 'inline' ? { ...task, databaseId: this.#database.path } : task;
  }
}
