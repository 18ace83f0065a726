import type { QueryInfo } from './query.ts';

/** What the comparison says of an answer; apart from the reward. */
export type Verdict =
  | 'match'
  | 'mismatch'
  | 'answer_missing'
  | 'answer_sql_error'
  | 'answer_forbidden'
  | 'answer_time_limit'
  | 'answer_too_big';

/** What makes a verdict suspect. Flags never change the reward, but under the strict guard. */
export type ScoreFlag =
  | 'both_empty'
  | 'gold_scalar'
  | 'answer_table_free'
  | 'answer_constant'
  | 'gold_tie'
  | 'gold_volatile'
  | 'wall_backstop';

/** What a suspect match earns: `strict` gives 0 to empty against empty and to answers that read no table. */
export type RewardGuard = 'flag' | 'strict';

/** Where the final answer is looked for. */
export type AnswerScope = 'last_turn' | 'transcript';

/** What counts as an answer without a fenced block. */
export type AnswerFallback = 'statement' | 'none';

/** The reward modes: name and version. A change of behaviour is a new version; old ones stay. */
export const COMPARISON_MODES = ['bag@1', 'set@1', 'rows@1'] as const;

/** Name and version of a reward mode. */
export type ComparisonMode = (typeof COMPARISON_MODES)[number];

/** How an answer becomes a reward. */
export interface ScoreOptions {
  readonly comparisonMode: ComparisonMode;
  readonly guard: RewardGuard;
  readonly scope: AnswerScope;
  readonly fallback: AnswerFallback;
}

/** The seed experiment's reward, answers looked for in the last turn only. */
export const DEFAULT_SCORE: ScoreOptions = {
  comparisonMode: 'bag@1',
  guard: 'flag',
  scope: 'last_turn',
  fallback: 'statement',
};

/** One answer under one comparison mode, before it becomes a reward. */
export interface Judgement {
  readonly comparisonMode: ComparisonMode;
  readonly verdict: Verdict;
  readonly flags: readonly ScoreFlag[];
  /** SQLite's message for an answer that failed; empty otherwise. */
  readonly errorText: string;
  /** How the answer ran; undefined if there was no answer. */
  readonly answerQuery: QueryInfo | undefined;
  readonly goldRowCount: number;
}

/** A judgement with its reward and the SQL that was judged. */
export interface Grade extends Judgement {
  readonly matched: boolean;
  /** 0 or 1. */
  readonly reward: number;
  /** Empty if there was no answer. */
  readonly answerSql: string;
}
