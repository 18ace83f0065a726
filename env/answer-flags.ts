import { scalarDigest, type GoldSummary } from './compare/summary.ts';
import type { Hash } from './compare/row-keys.ts';
import type { ScoreFlag } from './grade.ts';
import type { TimeLimit } from './query.ts';

/** What is known of an answer that has been executed. */
export type AnswerFacts =
  | {
      readonly kind: 'ran';
      readonly rowKeys: readonly string[];
      readonly columnCount: number;
      /** SQLite's authorizer saw it read a table. */
      readonly readsTable: boolean;
      /** Every column of its result is a literal, whatever tables stand beside it. */
      readonly literal: boolean;
    }
  | { readonly kind: 'failed'; readonly timeLimit: TimeLimit };

/** What makes a verdict suspect, in the order of the flags' declaration. */
export function scoreFlags(gold: GoldSummary, answer: AnswerFacts, hash: Hash): ScoreFlag[] {
  const flags: ScoreFlag[] = [];
  const ran = answer.kind === 'ran' ? answer : undefined;
  if (ran && gold.rowCount === 0 && ran.rowKeys.length === 0) flags.push('both_empty');
  if (gold.scalar !== undefined) flags.push('gold_scalar');
  if (ran && !ran.readsTable) flags.push('answer_table_free');
  if (ran && (ran.literal || !ran.readsTable)) {
    const scalar = scalarDigest(ran.rowKeys, ran.columnCount, hash);
    if (scalar !== undefined && scalar === gold.scalar) flags.push('answer_constant');
  }
  if (gold.tie) flags.push('gold_tie');
  if (gold.volatile) flags.push('gold_volatile');
  if (answer.kind === 'failed' && answer.timeLimit === 'wall') flags.push('wall_backstop');
  return flags;
}
