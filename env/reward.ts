import type { ComparisonMode, Grade, Judgement, RewardGuard, ScoreFlag } from './grade.ts';

/** What a judgement earns. */
export interface Reward {
  /** The verdict is a match, whatever it earns. */
  readonly matched: boolean;
  /** 0 or 1. */
  readonly reward: number;
}

/** Flags for which the strict guard takes the reward of a match away. */
const STRICT_FLAGS: readonly ScoreFlag[] = ['both_empty', 'answer_table_free', 'answer_constant'];

/** 1 for a match, else 0. The strict guard gives 0 to empty against empty and to answers that are constants as well. */
export function rewardOf(judgement: Judgement, guard: RewardGuard): Reward {
  const matched = judgement.verdict === 'match';
  const suspect = STRICT_FLAGS.some((flag) => judgement.flags.includes(flag));
  return { matched, reward: matched && !(guard === 'strict' && suspect) ? 1 : 0 };
}

/** A judgement with what it earns and the SQL that was judged; the SQL is empty if there was no answer. */
export function gradeOf(judgement: Judgement, guard: RewardGuard, answerSql: string): Grade {
  const { comparisonMode, verdict, flags, errorText, answerQuery, goldRowCount } = judgement;
  const { matched, reward } = rewardOf(judgement, guard);
  return {
    comparisonMode,
    verdict,
    flags,
    errorText,
    answerQuery,
    goldRowCount,
    matched,
    reward,
    answerSql,
  };
}

/** The judgement where there is no answer: nothing runs for it. */
export function missingAnswer(comparisonMode: ComparisonMode): Judgement {
  return {
    comparisonMode,
    verdict: 'answer_missing',
    flags: [],
    errorText: '',
    answerQuery: undefined,
    goldRowCount: 0,
  };
}
