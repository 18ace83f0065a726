import type { Grade, ScoreOptions } from './grade.ts';
import type { EpisodeLimits } from './limits.ts';
import type { ObservationOptions, QueryInfo } from './query.ts';
import type { Message } from './task.ts';

/** What happens to a turn whose only tool call is malformed: it ends the episode as in verl, or the model is told. */
export type OnMalformed = 'end' | 'observe';

/** The rules of one episode, fixed at its start. */
export interface EpisodeConfig {
  readonly limits: EpisodeLimits;
  readonly observation: ObservationOptions;
  readonly onMalformed: OnMalformed;
  readonly score: ScoreOptions;
}

/** An episode between two steps. A value: every step makes a new one. */
export interface EpisodeState {
  readonly config: EpisodeConfig;
  /** Steps taken; the next step has this index. */
  readonly stepCount: number;
  /** Invalid tool calls in a row. */
  readonly invalidCallCount: number;
  /** Completion tokens so far. */
  readonly completionTokenCount: number;
  /** Sum of the rewards so far. */
  readonly episodeReturn: number;
  /** The model's texts so far, under the scope `transcript` only; the oldest go first when there are too many. */
  readonly transcript: readonly string[];
  readonly ended: boolean;
}

/** Why the task ended an episode. */
export type TerminationReason = 'answer' | 'malformed_call';

/** Which limit ended an episode. */
export type TruncationReason = 'step_limit' | 'invalid_call_limit' | 'token_limit';

/** How an episode ends. */
export type EpisodeEnd =
  | { readonly kind: 'terminated'; readonly reason: TerminationReason }
  | { readonly kind: 'truncated'; readonly reason: TruncationReason };

/** What the environment says to an action. */
export interface StepOutcome {
  readonly stepIndex: number;
  /** Tool messages, in the order of the calls. */
  readonly messages: readonly Message[];
  readonly reward: number;
  readonly terminated: boolean;
  readonly terminationReason: TerminationReason | undefined;
  readonly truncated: boolean;
  readonly truncationReason: TruncationReason | undefined;
  /** One for each of `messages`. */
  readonly queries: readonly QueryInfo[];
  /** The verdict on the final answer; undefined before the end. */
  readonly grade: Grade | undefined;
  /** Tool calls of this turn that were dropped or ignored. */
  readonly ignoredCallCount: number;
  /** Sum of the rewards, this one included. */
  readonly episodeReturn: number;
  /** Completion tokens, this step's included. */
  readonly completionTokenCount: number;
}

/** Opens an episode. */
export function beginEpisode(config: EpisodeConfig): EpisodeState {
  return {
    config,
    stepCount: 0,
    invalidCallCount: 0,
    completionTokenCount: 0,
    episodeReturn: 0,
    transcript: [],
    ended: false,
  };
}
