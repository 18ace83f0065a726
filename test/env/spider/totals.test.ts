import { describe, expect, it } from 'vitest';

import { matchSpiderSql } from '../../../env/spider/exact-match.ts';
import { foreignKeyMap } from '../../../env/spider/foreign-keys.ts';
import { spiderSchema } from '../../../env/spider/schema.ts';
import { formatSpiderTotals, spiderTotals } from '../../../env/spider/totals.ts';

describe('spiderTotals', () => {
  it('gives zeros without rows', () => {
    const totals = spiderTotals([]);
    expect(totals.all).toEqual({ rowCount: 0, execution: 0, exact: 0, partial: undefined });
    expect(formatSpiderTotals(totals, 'all')).toContain('keywords             0.000 ');
  });

  it('shows F1 as 1 where neither side has the part', () => {
    const report = matchSpiderSql({
      gold: 'select a from t',
      answer: 'select a from t',
      schema: spiderSchema([{ name: 't', columns: ['a'] }]),
      foreignKeys: new Map(),
      evaluator: 'test-suite',
    });
    if (report.kind !== 'scored') throw new Error('unparseable');
    const totals = spiderTotals([{ hardness: 'easy', match: report }]);
    expect(totals.easy.exact).toBe(1);
    expect(totals.easy.partial?.where).toEqual({ accuracy: 0, recall: 0, f1: 1 });
    expect(totals.medium.rowCount).toBe(0);
  });

  it('rounds ties to even, as Python does', () => {
    const rows = Array.from({ length: 16 }, (_row, index) => ({
      hardness: 'easy' as const,
      executionMatched: index < 1,
    }));
    const lines = formatSpiderTotals(spiderTotals(rows), 'exec').split('\n');
    expect(lines[3]).toMatch(/^execution {12}0\.062 /u);
  });
});

describe('foreignKeyMap', () => {
  it('takes the lowest column for a group, and never unites groups', () => {
    const map = foreignKeyMap({
      tableNames: ['A', 'b'],
      columnNames: [
        [-1, '*'],
        [0, 'W'],
        [0, 'x'],
        [1, 'y'],
        [1, 'z'],
      ],
      foreignKeys: [
        [2, 1],
        [4, 3],
        [3, 2],
      ],
    });
    expect([...map]).toEqual([
      ['__a.w__', '__a.w__'],
      ['__a.x__', '__a.w__'],
      ['__b.y__', '__b.y__'],
      ['__b.z__', '__b.y__'],
    ]);
  });
});
