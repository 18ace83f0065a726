import type { EpisodeLimits } from '../../env/limits.ts';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { DEFAULT_SCORE } from '../../env/grade.ts';
import type { PromptStyle } from '../../env/prompt.ts';
import { DEFAULT_OBSERVATION } from '../../env/query.ts';
import type { Task } from '../../env/task.ts';
import type { EpisodeRecorder } from '../episodes/recorder.ts';
import { EnvironmentService } from '../episodes/service.ts';
import { createTaskSource } from '../episodes/task-source.ts';
import type { DatabaseFiles } from '../evaluate/database-files.ts';
import type { PlayEnvironment } from '../evaluate/policy/play-episodes.ts';
import { ATTEMPT_LABEL } from '../evaluate/episode-record.ts';
import { RUN_LABEL } from '../evaluate/policy/resume.ts';
import { VERSION } from '../package-root.ts';
import type { SqliteExecutor } from '../sqlite/executor.ts';
import { fileSha256 } from '../tasks/load-databases.ts';

/** An episode waits as long as its endpoint takes. */
const LEASE_MS = 7 * 86_400_000;

/** What goes wrong is in the report. */
const NO_LOG = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const ENDED_COUNT_MAX = 64;
const BYTES_MAX = 2 ** 31;

/** What episodes are played with. */
export interface PlaySettings {
  readonly promptStyle: PromptStyle;
  readonly limits: EpisodeLimits;
  /** Names the run's settings in the records. */
  readonly run: string;
}

/** The environment of training, in this process: the same prompts, parsing, truncation, limits and grading as served. */
export class PlayService implements PlayEnvironment {
  readonly #service: EnvironmentService;
  readonly #settings: PlaySettings;

  private constructor(service: EnvironmentService, settings: PlaySettings) {
    this.#service = service;
    this.#settings = settings;
  }

  /** Makes the environment over tasks and their databases. */
  static async create(
    executor: SqliteExecutor,
    tasks: readonly Task[],
    databases: DatabaseFiles,
    recorder: EpisodeRecorder,
    settings: PlaySettings,
  ): Promise<PlayService> {
    const hashes = new Map<string, string>();
    for (const databaseId of databases.idsByDatabase.keys()) {
      const file = databases.files.get(databaseId);
      if (file !== undefined) hashes.set(databaseId, await fileSha256(file.path));
    }
    const service = new EnvironmentService({
      executor,
      engine: executor.engine,
      tasks: createTaskSource(tasks, hashes),
      recorder,
      log: NO_LOG,
      version: VERSION,
      defaults: {
        limits: DEFAULT_LIMITS,
        observation: DEFAULT_OBSERVATION,
        score: DEFAULT_SCORE,
        promptStyle: settings.promptStyle,
        onMalformed: 'end',
      },
      storeLimits: {
        leaseMs: LEASE_MS,
        episodeCountMax: 1_000_000,
        episodeBytesMax: BYTES_MAX,
        endedCountMax: ENDED_COUNT_MAX,
        endedBytesMax: BYTES_MAX,
      },
      recordGold: false,
    });
    return new PlayService(service, settings);
  }

  /** Opens an episode; see {@link PlayEnvironment}. */
  async open(
    { task, attempt }: Parameters<PlayEnvironment['open']>[0],
    signal: AbortSignal,
  ): ReturnType<PlayEnvironment['open']> {
    const { run, limits } = this.#settings;
    const service = this.#service;
    const episodeId = `${task.taskId}/${attempt}`;
    const opened = await service.reset(
      {
        episodeId,
        task: { kind: 'named', taskId: task.taskId },
        limits,
        observation: {},
        mode: 'eval',
        groupId: task.taskId,
        labels: { [RUN_LABEL]: run, [ATTEMPT_LABEL]: String(attempt) },
        score: {},
        goldSha256: '',
      },
      signal,
    );
    let stepIndex = 0;
    return {
      messages: opened.messages,
      tokenCountMax: opened.limits.completionTokenCountMax,
      async step(text, completionTokenCount, stepSignal) {
        const action = { kind: 'assistant_text', text } as const;
        const request = { episodeId, stepIndex, action, completionTokenCount };
        const outcome = await service.step(request, stepSignal);
        stepIndex += 1;
        return { messages: outcome.messages, ended: outcome.terminated || outcome.truncated };
      },
      close: () => void service.close(episodeId),
    };
  }

  /** Ends what is open. */
  close(): void {
    this.#service.abandonAll();
  }
}
