import { setTimeout as sleep } from 'node:timers/promises';
import { CallError } from '../rpc/client.ts';
import type { PlannedEpisode } from './plan.ts';
import type { CallName, Tally } from './tally.ts';
import { CallTimedOut, type EpisodeCalls } from './transport.ts';

/** What an episode is played with. */
export interface PlayContext {
  readonly calls: EpisodeCalls;
  readonly episodeId: string;
  /** Where it is counted now: what has been counted is sent away from time to time. */
  readonly tally: () => Tally;
  /**
   * When it was meant to begin, on the clock of `performance.now()`; undefined for now. If set, every time is counted from when
   * the call was meant to begin, so that a client or a server that is late can't hide it.
   */
  readonly intendedMs: number | undefined;
  /** Have the answer scored by `Score`, too. */
  readonly score: boolean;
  /** True once the load has ended: what comes back after that is nobody's. */
  readonly isStopped: () => boolean;
}

type StepResponse = Awaited<ReturnType<EpisodeCalls['step']>>;

/** What calls fail with when a server ends. */
const FAREWELLS: ReadonlySet<string> = new Set(['DRAINING', 'UNAVAILABLE', 'CANCELLED']);

/** How long after a farewell it may turn out that the load ends as well, milliseconds. */
const FAREWELL_MS = 50;

/** Returns are sums of rewards that are 0 or 1, or were added up by the same server. */
const RETURN_TOLERANCE = 1e-9;

/**
 * Plays one episode to its end and counts what happened; it never throws. Gives its think times together, milliseconds.
 */
export async function playEpisode(episode: PlannedEpisode, context: PlayContext): Promise<number> {
  const { isStopped } = context;
  const player = new Player(episode, context);
  try {
    const last = await player.play();
    if (isStopped()) return player.thoughtMs;
    const tally = context.tally();
    const counts = tally.policy(episode.policy);
    tally.endedCount += 1;
    tally.time('episode', player.busyMs);
    counts.endedCount += 1;
    counts.returnSum += last.episodeReturn;
    judge(tally, episode, last, player.turnsLeft);
  } catch (error) {
    // Ctrl-C on a terminal reaches the server, too, whose farewell may be here before the signal is.
    if (FAREWELLS.has(reasonOf(error))) await sleep(FAREWELL_MS);
    if (isStopped()) return player.thoughtMs;
    const tally = context.tally();
    tally.time('failed', player.failedMs);
    tally.policy(episode.policy).lostCount += 1;
    tally.error(
      player.call,
      reasonOf(error),
      error instanceof Error ? error.message : String(error),
    );
    // The server must not keep it until its lease is over. It may be gone itself, so this is not counted.
    context.calls.close({ episodeId: context.episodeId }).catch(() => undefined);
  }
  return player.thoughtMs;
}

/** Counts the episode as wrong if it did not earn what it should, or ended before its script did. */
function judge(tally: Tally, episode: PlannedEpisode, last: StepResponse, turnsLeft: number): void {
  const { policy, expectedReturn, reset } = episode;
  const earned = last.episodeReturn;
  const isRight = Math.abs(earned - expectedReturn) <= RETURN_TOLERANCE;
  if (isRight && turnsLeft === 0) return;
  const { verdict, answerQuery } = last.grade ?? { verdict: 'no verdict', answerQuery: null };
  const clock = answerQuery?.timeLimit ?? 'TIME_LIMIT_UNSPECIFIED';
  const limit = clock === 'TIME_LIMIT_UNSPECIFIED' ? '' : `:${lower(clock, 'TIME_LIMIT_')}`;
  const task = reset.taskId ?? reset.inlineTask?.taskId ?? '';
  const early = turnsLeft === 0 ? '' : `, ended ${turnsLeft} turns early`;
  tally.wrong(
    policy,
    `${lower(verdict, 'VERDICT_')}${limit}`.replaceAll(' ', '_'),
    `${task}: earned ${earned} instead of ${expectedReturn}${early}`,
  );
}

function lower(name: string, prefix: string): string {
  return name.replace(prefix, '').toLowerCase();
}

/** The reason of a failed call: the server's, else the name of the status. */
function reasonOf(error: unknown): string {
  if (error instanceof CallTimedOut) return 'DEADLINE_EXCEEDED';
  if (!(error instanceof CallError)) return 'CLIENT_ERROR';
  return error.reason === 'UNSPECIFIED' ? error.status : error.reason;
}

class Player {
  /** The call that is or was under way. */
  call: CallName = 'reset';
  /** Turns that were not played, since the episode ended before them. */
  turnsLeft: number;
  thoughtMs = 0;
  /** All calls together. */
  busyMs = 0;
  /** How long the call took that failed. */
  failedMs = 0;
  readonly #episode: PlannedEpisode;
  readonly #context: PlayContext;

  constructor(episode: PlannedEpisode, context: PlayContext) {
    this.#episode = episode;
    this.#context = context;
    this.turnsLeft = episode.turns.length;
  }

  /** Rejects with what the first failing call rejects with. */
  async play(): Promise<StepResponse> {
    const { calls, episodeId, intendedMs, tally } = this.#context;
    const reset = { ...this.#episode.reset, episodeId };
    const begun = await this.#timed('reset', intendedMs, () => calls.reset(reset));
    tally().time('reset', begun.ms);
    const last = await this.#steps();
    // A recorded episode may have been closed, or left.
    if (!last.terminated && !last.truncated) {
      const closed = await this.#timed('close', undefined, () => calls.close({ episodeId }));
      tally().time('close', closed.ms);
    } else if (this.#context.score) await this.#score(last);
    return last;
  }

  async #steps(): Promise<StepResponse> {
    const { calls, episodeId, intendedMs, tally, isStopped } = this.#context;
    let last: StepResponse | undefined;
    for (const [stepIndex, turn] of this.#episode.turns.entries()) {
      const dueMs = performance.now() + turn.thinkMs;
      if (turn.thinkMs > 0) await sleep(turn.thinkMs);
      this.thoughtMs += turn.thinkMs;
      if (isStopped() && last !== undefined) break;
      const { ms, response } = await this.#timed(
        'step',
        intendedMs === undefined ? undefined : dueMs,
        () => calls.step({ ...turn.action, episodeId, stepIndex }),
      );
      last = response;
      this.turnsLeft -= 1;
      if (isStopped()) break;
      tally().stepCount += 1;
      countStep(tally(), this.#episode.policy, response, ms);
      if (response.terminated || response.truncated) break;
    }
    if (last === undefined) throw new Error('an episode without turns can not be played');
    return last;
  }

  /** Scores the answer once more, without the episode. */
  async #score({ grade }: StepResponse): Promise<void> {
    const { taskId, inlineTask, score, limits } = this.#episode.reset;
    if (grade === null || grade.answerSql === '') return;
    const task = inlineTask === undefined ? { taskId: taskId ?? '' } : { inlineTask };
    const request = { ...task, sql: grade.answerSql, score: score ?? null, limits: limits ?? null };
    const { ms } = await this.#timed('score', undefined, () => this.#context.calls.score(request));
    this.#context.tally().time('score', ms);
  }

  async #timed<R>(
    call: CallName,
    intendedMs: number | undefined,
    send: () => Promise<R>,
  ): Promise<{ readonly response: R; readonly ms: number }> {
    this.call = call;
    const fromMs = intendedMs ?? performance.now();
    try {
      const response = await send();
      const ms = performance.now() - fromMs;
      this.busyMs += ms;
      return { response, ms };
    } catch (error) {
      this.failedMs = performance.now() - fromMs;
      throw error;
    }
  }
}

/** Times a step and its parts. */
function countStep(tally: Tally, policy: string, response: StepResponse, ms: number): void {
  const isLast = response.terminated || response.truncated;
  tally.time(isLast ? 'step.answer' : 'step.tool', ms);
  tally.time(`policy.${policy}`, ms);
  const answered = response.grade?.answerQuery;
  const queries = answered ? [...response.queries, answered] : response.queries;
  const queueMs = queries.reduce((sum, { queueUs }) => sum + queueUs, 0) / 1_000;
  const queryMs = queries.reduce((sum, { queryUs }) => sum + queryUs, 0) / 1_000;
  tally.time('queue', queueMs);
  tally.time('query', queryMs);
  tally.time('rest', Math.max(0, ms - queueMs - queryMs));
}
