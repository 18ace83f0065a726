import type { StepOutcome, TerminationReason, TruncationReason } from '../../env/episode.ts';
import type { Grade } from '../../env/grade.ts';
import type { TrajectoryEnd } from '../../env/trajectory.ts';

/**
 * Is told what becomes of episodes. Called in every step: it must cost next to nothing, and never throws. Where nobody
 * measures there is none.
 */
export interface EpisodeTelemetry {
  episodeOpened(): void;
  /** `reason` is undefined where neither the task nor a limit ended it. */
  episodeEnded(
    end: TrajectoryEnd,
    reason: TerminationReason | TruncationReason | undefined,
    stepCount: number,
  ): void;
  /** A step was taken; repeats of one are no steps. */
  stepTaken(outcome: StepOutcome): void;
  /** An answer was scored without an episode, once for each comparison mode. */
  answerScored(grades: readonly Grade[]): void;
}

/** The headers that came with a call; the metadata of gRPC fits. */
export interface CallHeaders {
  get(name: string): readonly (string | Buffer)[];
}

/** A call under way. */
export interface CallObserver {
  /** What will be sent; as a message, before it is bytes. */
  answered(response: unknown): void;
  /** The call is over: its gRPC status code, and why it failed (empty if it did not, or for no reason of ours). */
  ended(code: number, reason: string): void;
}

/** Is told of every call. It must cost next to nothing, and never throws. */
export interface CallTelemetry {
  /** A call has come in. */
  begin(method: string, headers: CallHeaders, request: unknown): CallObserver;
}

const UNOBSERVED: CallObserver = { answered: () => {}, ended: () => {} };

/** For servers that nobody measures. */
export const NO_CALL_TELEMETRY: CallTelemetry = { begin: () => UNOBSERVED };
