import { DEFAULT_LIMITS, LIMIT_RANGES, type EpisodeLimits } from '../../env/limits.ts';
import type { Task } from '../../env/task.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import { ConfigError } from '../config.ts';
import { TrajectoryRecorder } from '../episodes/recorder.ts';
import type { DatabaseFiles } from '../evaluate/database-files.ts';
import { EpisodeRecordSchema } from '../evaluate/episode-record.ts';
import { openaiPolicy } from '../evaluate/policy/openai-policy.ts';
import {
  playEpisodes,
  type EpisodeJob,
  type PlayFailure,
} from '../evaluate/policy/play-episodes.ts';
import type { Policy } from '../evaluate/policy/policy.ts';
import { openJobs, playedEpisodes, type PlayedEpisode } from '../evaluate/policy/resume.ts';
import { GOLD_POLICY, readScript, WRONG_POLICY } from '../evaluate/policy/scripted-policies.ts';
import type { Predictions } from '../evaluate/read-predictions.ts';
import type { SqliteExecutor } from '../sqlite/executor.ts';
import { sha256 } from '../sqlite/hash.ts';
import { InputError } from '../tasks/task-set.ts';
import { decimalNumber, wholeNumber } from './numbers.ts';
import { PlayService } from './play-service.ts';
import type { PolicyFlags } from './policy-flags.ts';
import { showProgress } from './progress.ts';

const FILE_BYTES_MAX = 256 * 1024 * 1024;

/** How long is waited before a message is asked for again, milliseconds. */
const RETRY_MS = 500;

/** A policy that has been configured, before anything is started. */
export interface PlayPlan {
  readonly policy: Policy;
  readonly limits: EpisodeLimits;
  readonly attempts: number;
  readonly concurrency: number;
  readonly promptStyle: PolicyFlags['prompt'];
  readonly record: string | undefined;
  /** Names all settings that the episodes depend on. */
  readonly run: string;
}

/** Checks the flags of a policy. Throws `ConfigError` or `InputError`. */
export function planPlay(flags: PolicyFlags & { readonly policy: string }): PlayPlan {
  const { stepCountMax, completionTokenCountMax } = LIMIT_RANGES;
  const limits: EpisodeLimits = {
    ...DEFAULT_LIMITS,
    // verl knows no such limit, so neither does a policy that is measured as it was trained.
    invalidCallCountMax: LIMIT_RANGES.invalidCallCountMax.max,
    stepCountMax: wholeNumber('--step-count-max', flags.stepCountMax, 1, stepCountMax.max),
    completionTokenCountMax: wholeNumber(
      '--completion-token-count-max',
      flags.completionTokenCountMax,
      1,
      completionTokenCountMax.max,
    ),
  };
  const { policy, settings } = policyOf(flags);
  if (flags.policy === 'openai' && flags.record === undefined) {
    throw new ConfigError(['--policy openai: give --record DIR: its episodes are worth keeping']);
  }
  const { prompt } = flags;
  return {
    policy,
    limits,
    attempts: wholeNumber('--attempts', flags.attempts, 1, 1_000),
    concurrency: wholeNumber('--concurrency', flags.concurrency, 1, 4_096),
    promptStyle: prompt,
    record: flags.record,
    run: sha256(JSON.stringify([flags.policy, prompt, limits, settings])).slice(0, 16),
  };
}

function policyOf(flags: PolicyFlags & { readonly policy: string }): {
  readonly policy: Policy;
  readonly settings: unknown;
} {
  const { policy: name } = flags;
  if (name === 'gold') return { policy: GOLD_POLICY, settings: undefined };
  if (name === 'wrong') return { policy: WRONG_POLICY, settings: undefined };
  if (name.startsWith('script:')) {
    return { policy: readScript(name.slice('script:'.length)), settings: undefined };
  }
  if (name !== 'openai') {
    throw new ConfigError([
      `--policy: ${JSON.stringify(name)} is not allowed; it must be openai, gold, wrong or script:FILE`,
    ]);
  }
  const { endpoint, model } = flags;
  if (endpoint === undefined || model === undefined || !URL.canParse(endpoint)) {
    throw new ConfigError(['--policy openai: give --endpoint URL (up to /v1) and --model NAME']);
  }
  const options = {
    model,
    tools: flags.tools,
    temperature: decimalNumber('--temperature', flags.temperature, 0, 10),
    topP: decimalNumber('--top-p', flags.topP, 0, 1),
    tokenCountMax: wholeNumber('--max-tokens', flags.maxTokens, 1, 1_000_000),
    seed: flags.seed === undefined ? undefined : wholeNumber('--seed', flags.seed, 0, 2 ** 31),
  };
  const apiKey = process.env['OPENAI_API_KEY'];
  const target = {
    url: endpoint,
    apiKey: apiKey === '' ? undefined : apiKey,
    requestMsMax: wholeNumber('--request-ms', flags.requestMs, 1, 86_400_000),
    retryCountMax: wholeNumber('--retries', flags.retries, 0, 100),
    retryMs: RETRY_MS,
  };
  return { policy: openaiPolicy(target, options), settings: options };
}

/** Plays what has not been played yet; gives all episodes, earlier ones too. */
export async function play(
  executor: SqliteExecutor,
  tasks: readonly Task[],
  databases: DatabaseFiles,
  plan: PlayPlan,
): Promise<Extract<Predictions, { kind: 'episodes' }>> {
  const { record: folder } = plan;
  const jobs = tasks.flatMap((task) =>
    Array.from({ length: plan.attempts }, (_, attempt): EpisodeJob => ({ task, attempt })),
  );
  const earlier = folder === undefined ? [] : playedEpisodes(folder, plan.run, jobs);
  const played: PlayedEpisode[] = [...earlier];
  const file = folder === undefined ? undefined : await openRecorder(folder);
  const recorder = {
    record(trajectory: Trajectory): void {
      file?.record(trajectory);
      if (trajectory.end !== 'terminated' && trajectory.end !== 'truncated') return;
      played.push({
        location: trajectory.episode_id,
        record: EpisodeRecordSchema.parse(trajectory),
      });
    },
  };
  const service = await PlayService.create(executor, tasks, databases, recorder, plan);
  try {
    const failures = await playAll(service, plan, openJobs(jobs, earlier));
    return { kind: 'episodes', episodes: played, problems: failures.map(problemOf) };
  } finally {
    service.close();
    await file?.close();
  }
}

async function playAll(
  service: PlayService,
  plan: PlayPlan,
  jobs: readonly EpisodeJob[],
): Promise<PlayFailure[]> {
  const stop = new AbortController();
  const interrupt = (): void => stop.abort();
  const signals = ['SIGINT', 'SIGTERM'] as const;
  for (const name of signals) process.once(name, interrupt);
  const progress = showProgress('playing');
  try {
    return await playEpisodes(service, plan.policy, jobs, {
      concurrency: plan.concurrency,
      signal: stop.signal,
      onProgress: progress.update,
    });
  } catch (error) {
    if (!stop.signal.aborted) throw error;
    const hint = plan.record === undefined ? '' : '; the same command goes on where it was left';
    throw new InputError(`stopped${hint}`);
  } finally {
    progress.stop();
    for (const name of signals) process.removeListener(name, interrupt);
  }
}

async function openRecorder(folder: string): Promise<TrajectoryRecorder> {
  const log = { debug: () => {}, info: () => {}, warn: complain, error: complain };
  try {
    return await TrajectoryRecorder.open({ folder, fileBytesMax: FILE_BYTES_MAX, log });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new InputError(`--record ${folder}: it can't be written (${code ?? 'unknown error'})`);
  }
}

function complain(_: unknown, message: string): void {
  process.stderr.write(`sqlenv: --record: ${message}\n`);
}

function problemOf({ job, message }: PlayFailure) {
  return { location: `${job.task.taskId} (attempt ${job.attempt})`, message };
}
