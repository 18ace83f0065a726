import type { StepOutcome } from '../../env/episode.ts';
import type { TrajectoryEnd } from '../../env/trajectory.ts';
import type { CancelSignal } from '../cancel.ts';
import { chooseTask } from './choose-task.ts';
import { SYSTEM_CLOCK, type Clock } from './clock.ts';
import {
  draining,
  episodeEnded,
  episodeIdTaken,
  episodeNotFound,
  stepConflict,
} from './episode-errors.ts';
import { listTasks } from './list-tasks.ts';
import { openEpisode } from './open-episode.ts';
import { PromptBuilder } from './prompts.ts';
import type {
  ListTasksRequest,
  ListTasksResult,
  ResetRequest,
  ResetResult,
  RunSqlRequest,
  RunSqlResult,
  ScoreRequest,
  ScoreResult,
  StepRequest,
} from './requests.ts';
import { checkResponseSize } from './response-size.ts';
import type { ServiceParts } from './service-parts.ts';
import { serverInfo, type ServerInfo } from './server-info.ts';
import { SharedCall } from './shared-call.ts';
import { isSameReset, isSameStep } from './same-request.ts';
import { runStatelessSql, scoreAnswer } from './stateless-calls.ts';
import { EpisodeStore, type OpenEpisode, type OpeningEpisode } from './store.ts';
import { logStep } from './step-log.ts';
import { takeStep } from './take-step.ts';
import {
  answeredTextSize,
  resetTextSize,
  stepRecord,
  stepTextSize,
  trajectoryOf,
} from './trajectory-record.ts';

/** How often leases are looked at: often enough that none lasts much longer than it should. */
const REAP_MS_MAX = 1_000;

/** The environment without a wire: episodes from Reset to their end, and the calls that need none. */
export class EnvironmentService {
  readonly #parts: ServiceParts;
  readonly #clock: Clock;
  readonly #store: EpisodeStore;
  readonly #prompts: PromptBuilder;
  readonly #reaper: NodeJS.Timeout;
  #draining = false;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? SYSTEM_CLOCK;
    this.#prompts = new PromptBuilder(parts.executor);
    this.#store = new EpisodeStore(parts.storeLimits, this.#clock.monotonicMs, (episode) =>
      this.#record(episode, 'expired'),
    );
    const reapMs = Math.min(REAP_MS_MAX, Math.ceil(this.leaseMs / 4));
    this.#reaper = setInterval(() => this.#store.reap(), reapMs).unref();
  }

  /** How long an idle episode is kept. */
  get leaseMs(): number {
    return this.#parts.storeLimits.leaseMs;
  }

  /** Episodes that are open or being opened. */
  get episodeCount(): number {
    return this.#store.activeCount;
  }

  /** What the server is, holds and allows. */
  info(): ServerInfo {
    return serverInfo(this.#parts, this.episodeCount, this.#draining);
  }

  /** A page of tasks. */
  listTasks(request: ListTasksRequest, signal: CancelSignal): Promise<ListTasksResult> {
    const { tasks, defaults } = this.#parts;
    return listTasks({ tasks, prompts: this.#prompts, defaults }, request, signal);
  }

  /** Scores an answer without an episode. */
  score(request: ScoreRequest, signal: CancelSignal): Promise<ScoreResult> {
    return scoreAnswer(this.#parts, request, signal);
  }

  /** Runs a query without an episode. */
  runSql(request: RunSqlRequest, signal: CancelSignal): Promise<RunSqlResult> {
    return runStatelessSql(this.#parts, request, signal);
  }

  /** Opens an episode. The same request again gives the same response, whether the first one is over or runs. */
  async reset(request: ResetRequest, signal: CancelSignal): Promise<ResetResult> {
    const { episodeId } = request;
    for (;;) {
      const found = this.#store.find(episodeId);
      if (found === undefined) break;
      if (!isSameReset(found.resetRequest, request)) throw episodeIdTaken(episodeId);
      if (found.kind !== 'opening') return found.resetResult;
      if (!found.call.aborted) return await found.call.join(signal);
      // The first caller has just given up: its slot is about to be free.
      await found.call.settled(signal);
    }
    if (this.#draining) throw draining();
    const chosen = chooseTask(this.#parts.tasks, request.task, request.goldSha256);
    const { defaults } = this.#parts;
    const limits = { ...defaults.limits, ...request.limits };
    const observation = { ...defaults.observation, ...request.observation };
    checkResponseSize(limits, observation);
    this.#store.checkRoom();

    const call = new SharedCall(async (shared) => {
      try {
        const plan = { request, chosen, limits, observation };
        const parts = { ...this.#parts, prompts: this.#prompts, clock: this.#clock };
        const episode = await openEpisode(parts, plan, shared);
        // Whoever asked has gone, or the episode was closed meanwhile: it must not come to life.
        shared.throwIfAborted();
        this.#store.put(episode);
        this.#parts.telemetry?.episodeOpened();
        return episode.resetResult;
      } catch (error) {
        this.#store.remove(opening);
        throw error;
      }
    });
    const opening: OpeningEpisode = {
      kind: 'opening',
      episodeId,
      resetRequest: request,
      call,
      touchedMs: 0,
      textBytes: 0,
    };
    this.#store.put(opening);
    return await call.join(signal);
  }

  /** Takes one step. The last step again, with the same action, gives the same response and runs nothing. */
  step(request: StepRequest, signal: CancelSignal): Promise<StepOutcome> {
    const found = this.#store.find(request.episodeId);
    // What nearly every call is, without the promises of all that it could be.
    if (
      found?.kind === 'open' &&
      found.runningStep === undefined &&
      request.stepIndex === found.state.stepCount &&
      !signal.aborted
    ) {
      return this.#startStep(found, request, signal);
    }
    return this.#stepOtherwise(request, signal);
  }

  async #stepOtherwise(request: StepRequest, signal: CancelSignal): Promise<StepOutcome> {
    const { episodeId } = request;
    for (;;) {
      const found = this.#store.find(episodeId);
      if (found === undefined) throw episodeNotFound(episodeId);
      if (found.kind === 'opening') {
        throw stepConflict(request, 'the episode is still being opened');
      }
      const { lastStep } = found;
      if (lastStep !== undefined && isSameStep(lastStep.request, request)) return lastStep.outcome;
      if (found.kind === 'ended') throw episodeEnded(episodeId);
      const running = found.runningStep;
      if (running === undefined) {
        const { stepCount } = found.state;
        if (request.stepIndex !== stepCount) {
          throw stepConflict(request, `the next step is ${stepCount}`);
        }
        signal.throwIfAborted();
        return await this.#startStep(found, request, signal);
      }
      if (!running.call.aborted) {
        if (isSameStep(running.request, request)) return await running.call.join(signal);
        throw stepConflict(request, `step ${running.request.stepIndex} is under way`);
      }
      // The first caller has just given up, and its query is being stopped.
      await running.call.settled(signal);
    }
  }

  /** Ends an episode; true if this call did. A step under way is stopped. */
  close(episodeId: string): boolean {
    const found = this.#store.find(episodeId);
    if (found === undefined || found.kind === 'ended') return false;
    if (found.kind === 'opening') {
      this.#store.remove(found);
      found.call.abort(episodeEnded(episodeId));
      return true;
    }
    found.runningStep?.call.abort(episodeEnded(episodeId));
    this.#end(found, 'closed');
    return true;
  }

  /** From now on Reset is refused. */
  beginDrain(): void {
    this.#draining = true;
  }

  /** Ends all episodes, for the shutdown, and stops looking at leases. */
  abandonAll(): void {
    clearInterval(this.#reaper);
    for (const episode of this.#store.active()) {
      if (episode.kind === 'opening') {
        this.#store.remove(episode);
        episode.call.abort(draining());
      } else {
        episode.runningStep?.call.abort(draining());
        this.#end(episode, 'abandoned');
      }
    }
  }

  #startStep(
    episode: OpenEpisode,
    request: StepRequest,
    signal: CancelSignal,
  ): Promise<StepOutcome> {
    const call = new SharedCall((shared) => this.#runStep(episode, request, shared));
    episode.runningStep = { request, call };
    return call.join(signal);
  }

  async #runStep(
    episode: OpenEpisode,
    request: StepRequest,
    signal: CancelSignal,
  ): Promise<StepOutcome> {
    const startedMs = this.#clock.monotonicMs();
    try {
      const { executor } = this.#parts;
      const { state, outcome } = await takeStep(
        executor,
        episode.facts,
        episode.state,
        request,
        signal,
      );
      // Closed or given up meanwhile: the step has not happened, and can be taken again if the episode is still open.
      signal.throwIfAborted();
      const stepMs = this.#clock.monotonicMs() - startedMs;
      const record = stepRecord(request, outcome, startedMs - episode.facts.startedMs, stepMs);
      episode.state = state;
      episode.steps.push(record);
      episode.lastStep = { request, outcome };
      this.#store.grow(episode, stepTextSize(record));
      logStep(this.#parts.log, request.episodeId, outcome, stepMs);
      this.#parts.telemetry?.stepTaken(outcome);
      if (state.ended) this.#end(episode, outcome.terminated ? 'terminated' : 'truncated');
      return outcome;
    } finally {
      episode.runningStep = undefined;
      this.#store.touch(episode);
    }
  }

  #end(episode: OpenEpisode, end: TrajectoryEnd): void {
    const { episodeId, resetRequest, resetResult, lastStep } = episode;
    const textBytes = resetTextSize(resetRequest) + (lastStep ? answeredTextSize(lastStep) : 0);
    this.#store.put({
      kind: 'ended',
      episodeId,
      resetRequest,
      resetResult,
      lastStep,
      touchedMs: 0,
      textBytes,
    });
    this.#record(episode, end);
  }

  #record(episode: OpenEpisode, end: TrajectoryEnd): void {
    const { engine, tasks, version, recordGold, recorder, log, telemetry } = this.#parts;
    const { episodeId, state } = episode;
    const context = {
      serverVersion: version,
      engine,
      catalogSha256: tasks.catalogSha256,
      recordGold,
    };
    const { terminationReason, truncationReason } = episode.lastStep?.outcome ?? {};
    telemetry?.episodeEnded(end, terminationReason ?? truncationReason, state.stepCount);
    recorder.record(trajectoryOf(episode, end, this.#clock.wallMs(), context));
    const fields = { episodeId, end, stepCount: state.stepCount, return: state.episodeReturn };
    log.info(fields, 'episode ended');
  }
}
