import { describe, expect, it } from 'vitest';
import { scoreFlags, type AnswerFacts } from '../../env/answer-flags.ts';
import { rowKeys } from '../../env/compare/row-keys.ts';
import { summarizeGold, type GoldFacts } from '../../env/compare/summary.ts';
import type { SqlRow } from '../../env/compare/value.ts';
import type { Judgement, ScoreFlag, Verdict } from '../../env/grade.ts';
import { gradeOf, missingAnswer, rewardOf } from '../../env/reward.ts';

const itself = (text: string) => text;

const gold = (rows: SqlRow[], facts: Partial<GoldFacts> = {}) =>
  summarizeGold(
    rowKeys(rows),
    { columnCount: 1, orderMatters: false, ties: undefined, volatile: false, ...facts },
    itself,
  );

const ran = (rows: SqlRow[], readsTable = true, columnCount = 1, literal = false): AnswerFacts => ({
  kind: 'ran',
  rowKeys: rowKeys(rows),
  columnCount,
  readsTable,
  literal,
});

describe('scoreFlags', () => {
  const flags = (...input: [ReturnType<typeof gold>, AnswerFacts]) => scoreFlags(...input, itself);

  it('has none for an ordinary answer', () => {
    expect(flags(gold([[1n], [2n]]), ran([[1n], [2n]]))).toEqual([]);
  });

  it('flags two empty results, whatever their columns', () => {
    expect(flags(gold([]), ran([], true, 3))).toEqual(['both_empty']);
    expect(flags(gold([]), ran([[1n]]))).toEqual([]);
    expect(flags(gold([[1n], [2n]]), ran([]))).toEqual([]);
  });

  it('flags a gold of one value', () => {
    expect(flags(gold([[6n]]), ran([[5n]]))).toEqual(['gold_scalar']);
    expect(flags(gold([[6n, 1n]], { columnCount: 2 }), ran([[5n]]))).toEqual([]);
    expect(flags(gold([[6n]]), { kind: 'failed', timeLimit: 'none' })).toEqual(['gold_scalar']);
  });

  it('flags answers that read no table, and constants that equal the gold', () => {
    expect(flags(gold([[6n]]), ran([[6n]], false))).toEqual([
      'gold_scalar',
      'answer_table_free',
      'answer_constant',
    ]);
    expect(flags(gold([[6n]]), ran([[6]], false))).toContain('answer_constant');
    expect(flags(gold([[6n]]), ran([['6']], false))).toEqual(['gold_scalar', 'answer_table_free']);
    expect(flags(gold([[6n]]), ran([[6n], [6n]], false))).not.toContain('answer_constant');
    expect(flags(gold([[6n]]), ran([[6n, 6n]], false, 2))).not.toContain('answer_constant');
    expect(flags(gold([[6n]]), ran([[6n]]))).toEqual(['gold_scalar']);
    expect(flags(gold([]), ran([], false))).toEqual(['both_empty', 'answer_table_free']);
  });

  it('flags a literal that equals the gold beside a table that it does not need', () => {
    expect(flags(gold([[6n]]), ran([[6n]], true, 1, true))).toEqual([
      'gold_scalar',
      'answer_constant',
    ]);
    expect(flags(gold([[6n]]), ran([[5n]], true, 1, true))).toEqual(['gold_scalar']);
  });

  it('flags ties, volatile golds and the wall-clock backstop', () => {
    const facts = { ties: { tieSizes: [2], tie: true }, volatile: true };
    expect(flags(gold([[1n], [2n]], facts), { kind: 'failed', timeLimit: 'wall' })).toEqual([
      'gold_tie',
      'gold_volatile',
      'wall_backstop',
    ]);
    expect(flags(gold([[1n], [2n]]), { kind: 'failed', timeLimit: 'cpu' })).toEqual([]);
  });
});

describe('rewardOf', () => {
  const judged = (verdict: Verdict, ...flags: ScoreFlag[]): Judgement => ({
    ...missingAnswer('bag@1'),
    verdict,
    flags,
  });

  it('is 1 for a match and 0 for everything else', () => {
    const verdicts: Verdict[] = [
      ...(['mismatch', 'answer_missing', 'answer_sql_error', 'answer_forbidden'] as const),
      ...(['answer_time_limit', 'answer_too_big'] as const),
    ];
    for (const guard of ['flag', 'strict'] as const) {
      expect(rewardOf(judged('match'), guard)).toEqual({ matched: true, reward: 1 });
      for (const verdict of verdicts) {
        expect(rewardOf(judged(verdict), guard)).toEqual({ matched: false, reward: 0 });
      }
    }
  });

  it('takes the reward of suspect matches under the strict guard only; they stay matches', () => {
    for (const flag of ['both_empty', 'answer_table_free'] as const) {
      expect(rewardOf(judged('match', flag), 'strict')).toEqual({ matched: true, reward: 0 });
      expect(rewardOf(judged('match', flag), 'flag')).toEqual({ matched: true, reward: 1 });
    }
    for (const flag of ['gold_scalar', 'gold_tie', 'gold_volatile'] as const) {
      expect(rewardOf(judged('match', flag), 'strict').reward).toBe(1);
    }
  });

  it('makes a grade', () => {
    expect(gradeOf(missingAnswer('set@1'), 'flag', '')).toEqual({
      comparisonMode: 'set@1',
      verdict: 'answer_missing',
      flags: [],
      errorText: '',
      answerQuery: undefined,
      goldRowCount: 0,
      matched: false,
      reward: 0,
      answerSql: '',
    });
  });
});
