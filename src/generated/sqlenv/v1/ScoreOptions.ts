// Original file: proto/sqlenv/v1/score.proto

import type { RewardGuard as _sqlenv_v1_RewardGuard, RewardGuard__Output as _sqlenv_v1_RewardGuard__Output } from '../../sqlenv/v1/RewardGuard.ts';
import type { AnswerScope as _sqlenv_v1_AnswerScope, AnswerScope__Output as _sqlenv_v1_AnswerScope__Output } from '../../sqlenv/v1/AnswerScope.ts';
import type { AnswerFallback as _sqlenv_v1_AnswerFallback, AnswerFallback__Output as _sqlenv_v1_AnswerFallback__Output } from '../../sqlenv/v1/AnswerFallback.ts';

/**
 * How an answer becomes a reward. Zero values take the server's defaults.
 */
export interface ScoreOptions {
  /**
   * `bag@1`, `set@1` or `rows@1`.
   */
  'comparisonMode'?: (string);
  /**
   * What a suspect match earns.
   */
  'guard'?: (_sqlenv_v1_RewardGuard);
  /**
   * Where the answer is looked for.
   */
  'scope'?: (_sqlenv_v1_AnswerScope);
  /**
   * What counts as an answer without a fence.
   */
  'fallback'?: (_sqlenv_v1_AnswerFallback);
}

/**
 * How an answer becomes a reward. Zero values take the server's defaults.
 */
export interface ScoreOptions__Output {
  /**
   * `bag@1`, `set@1` or `rows@1`.
   */
  'comparisonMode': (string);
  /**
   * What a suspect match earns.
   */
  'guard': (_sqlenv_v1_RewardGuard__Output);
  /**
   * Where the answer is looked for.
   */
  'scope': (_sqlenv_v1_AnswerScope__Output);
  /**
   * What counts as an answer without a fence.
   */
  'fallback': (_sqlenv_v1_AnswerFallback__Output);
}
