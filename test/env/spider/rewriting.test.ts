import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { comparableSql, planExecution } from '../../../env/spider/execution-sql.ts';
import {
  extractValues,
  PLUG_CANDIDATE_COUNT_MAX,
  plugCandidates,
} from '../../../env/spider/plug-value.ts';
import { removeDistinct } from '../../../env/spider/remove-distinct.ts';
import { isMissing, readJsonLines } from './fixture-data.ts';

const distinctFixture = ['fixtures', 'remove_distinct.jsonl.gz'] as const;
const plugFixture = ['fixtures', 'plug_value.jsonl.gz'] as const;

describe('the queries that the official scripts run', () => {
  it.skipIf(isMissing(...distinctFixture))('lose the same DISTINCTs', () => {
    const rows = readJsonLines<[sql: string, without: string]>(...distinctFixture);
    const differing = rows.filter(([sql, without]) => removeDistinct(sql) !== without);
    expect(differing).toEqual([]);
    expect(rows.length).toBe(1957);
  });

  it.skipIf(isMissing(...plugFixture))('have the same slots and values', () => {
    const rows = readJsonLines<[sql: string, words: string[], values: string[]]>(...plugFixture);
    const differing = rows.filter(([sql, words, values]) => {
      const ours = extractValues(comparableSql(sql, { keepDistinct: false }));
      return JSON.stringify([ours.words, ours.values]) !== JSON.stringify([words, values]);
    });
    expect(differing).toEqual([]);
    expect(rows.length).toBe(8000);
  });
});

describe('removeDistinct', () => {
  it.each([
    ['select count(distinct x) from t', 'select count( x) from t'],
    ['select distinct(x), t.distinct', 'select (x), t.'],
    ['select "distinct", [distinct], `distinct`', 'select "distinct", [distinct], `distinct`'],
    ["select 'a distinct' -- distinct", "select 'a distinct' -- distinct"],
    ['select 1; select distinct 2', 'select 1; '],
    ['select (1; distinct)', 'select (1; )'],
    ['select 1;;', 'select 1;'],
    ["select 'it''s', 'a\\' distinct', distinct", "select 'it''s', 'a\\' distinct', "],
    ['', ''],
  ])('of %s', (sql, expected) => {
    expect(removeDistinct(sql)).toBe(expected);
  });

  it('gives a part of any text, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const kept = removeDistinct(text);
        if (!/distinct|;/iu.test(text)) expect(kept).toBe(text);
        extractValues(text);
      }),
    );
  });

  it('needs no more than linear time on long texts', () => {
    const texts = ["'", '\\', "\\'", '""', '/*', '[', '# ', '1', 'a ', '`', ';', '$a$ '];
    const started = performance.now();
    for (const text of texts) {
      removeDistinct(text.repeat(100_000));
      removeDistinct(`'${text.repeat(100_000)}`);
    }
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

describe('plugCandidates', () => {
  it('puts each value of the gold into each slot of the answer', () => {
    const plugged = plugCandidates(
      'select a from t where b = "x" and c = 2',
      'SELECT a FROM t WHERE b = 7',
    );
    expect([...plugged.candidates]).toEqual([
      'select a from t where b = "x"',
      'select a from t where b = 2',
    ]);
    expect(plugged).toMatchObject({ fullCount: 2, isCapped: false });
  });

  it('takes columns such as c1 for values', () => {
    expect(extractValues('select c1 , T1.x from t')).toEqual({
      words: ['select', 'valuerare', ',', 't1', '.', 'x', 'from', 't'],
      values: ['c1'],
    });
  });

  it.each([
    [9_999, false, 9_999],
    [10_000, false, 10_000],
    [10_001, true, 10_000],
  ])('makes of %s candidates at most the cap', (valueCount, isCapped, made) => {
    expect(PLUG_CANDIDATE_COUNT_MAX).toBe(10_000);
    const values = Array.from({ length: valueCount }, (_item, index) => `"v${index}"`);
    const plugged = plugCandidates(`select ${values.join(' ')}`, 'select "a"');
    expect(plugged.isCapped).toBe(isCapped);
    expect([...plugged.candidates].length).toBe(made);
  });

  it('stays bounded with many slots', () => {
    const values = Array.from({ length: 100 }, (_item, index) => `"v${index}"`).join(' ');
    const plugged = plugCandidates(`select ${values}`, `select ${'"a" '.repeat(500)}`);
    expect(plugged).toMatchObject({ fullCount: Infinity, isCapped: true });
    expect([...plugged.candidates].length).toBe(10_000);
  });
});

describe('planExecution', () => {
  const options = { keepDistinct: false, plugValue: false };

  it('repairs operators, takes DISTINCT out and replaces the placeholder of the answer', () => {
    const plan = planExecution(
      'select distinct a from t where a > = value',
      'select distinct a from t where a ! = value',
      options,
    );
    expect(plan.gold).toBe('select  a from t where a >= value');
    expect([...plan.answers]).toEqual(['select  a from t where a != 1']);
  });

  it.each([
    ['select a from t ORDER BY a', true],
    ['select a from t order  by a', false],
    ["select a from t where b = 'order by'", true],
  ])('finds in %s that order matters: %s', (gold, expected) => {
    expect(planExecution(gold, 'select 1 order by 1', options).orderMatters).toBe(expected);
  });

  it('puts 2020 for the current year of MySQL', () => {
    expect(planExecution('select Year ( curdate( ) ) - 1', '', options).gold).toBe(
      'select 2020- 1',
    );
  });
});
