import { DEFAULT_SCORE } from '../../env/grade.ts';
import { DEFAULT_LIMITS } from '../../env/limits.ts';
import { DEFAULT_OBSERVATION } from '../../env/query.ts';
import type { Task } from '../../env/task.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import type { ServiceParts } from '../../src/episodes/service-parts.ts';
import { EnvironmentService } from '../../src/episodes/service.ts';
import { createTaskSource } from '../../src/episodes/task-source.ts';
import { recordingLog, type RecordedLog } from './log.ts';
import { ScriptedExecutor } from './scripted-executor.ts';

/** Tasks over two databases. */
export const TASKS: readonly Task[] = Array.from({ length: 10 }, (_, index) => ({
  taskId: `t/${index}`,
  databaseId: index % 2 === 0 ? 'concert' : 'pets',
  question: `Question ${index}?`,
  goldSql: `SELECT ${index}`,
  split: index < 6 ? 'train' : 'dev',
  difficulty: index < 3 ? 'easy' : 'hard',
}));

/** A service with everything around it that a test looks at. */
export interface ServiceFixture {
  readonly service: EnvironmentService;
  readonly executor: ScriptedExecutor;
  readonly recorded: Trajectory[];
  readonly log: RecordedLog;
  /** Moves the clock of the leases. */
  readonly advance: (ms: number) => void;
}

/** Starts a service over a scripted executor, with a clock that only moves when told to. */
export function startService(changes: Partial<ServiceParts> = {}): ServiceFixture {
  const executor = new ScriptedExecutor();
  const recorded: Trajectory[] = [];
  const log = recordingLog();
  let nowMs = 1_000;
  const hashes = new Map([
    ['concert', 'c'.repeat(64)],
    ['pets', 'd'.repeat(64)],
  ]);
  const service = new EnvironmentService({
    executor,
    engine: { sqliteVersion: '3.53.2', engineSha256: 'e'.repeat(64) },
    tasks: createTaskSource(TASKS, hashes),
    recorder: { record: (trajectory) => recorded.push(trajectory) },
    log,
    version: '0.0.1',
    defaults: {
      limits: DEFAULT_LIMITS,
      observation: DEFAULT_OBSERVATION,
      score: DEFAULT_SCORE,
      promptStyle: 'ddl',
      onMalformed: 'end',
    },
    recordGold: false,
    clock: { monotonicMs: () => nowMs, wallMs: () => 1_700_000_000_000 + nowMs },
    ...changes,
    storeLimits: {
      leaseMs: 60_000,
      episodeCountMax: 100,
      episodeBytesMax: 1_000_000_000,
      endedCountMax: 100,
      endedBytesMax: 1_000_000,
      ...changes.storeLimits,
    },
  });
  const advance = (ms: number): void => {
    nowMs += ms;
  };
  return { service, executor, recorded, log, advance };
}
