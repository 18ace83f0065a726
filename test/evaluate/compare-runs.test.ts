import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { afterAll, describe, expect, it } from 'vitest';

import { compareRuns } from '../../src/evaluate/compare-runs.ts';
import { htmlComparison } from '../../src/evaluate/comparison-html.ts';
import { formatP, jsonComparison, textComparison } from '../../src/evaluate/comparison-report.ts';
import { formatRows, readRows, type RowRecord } from '../../src/evaluate/row-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-compare-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function row(index: number, facts: Partial<RowRecord> = {}): RowRecord {
  return {
    index,
    task_id: `t/${index}`,
    attempt: 0,
    database_id: 'db',
    hardness: index % 2 === 0 ? 'easy' : 'hard',
    exec: true,
    exact: true,
    pred_parsed: true,
    legacy_exec: true,
    verdict: 'match',
    legacy_verdict: 'match',
    capped: false,
    error_text: '',
    problems: [],
    question: `question ${index}`,
    gold_sql: `SELECT ${index}`,
    answer_sql: `SELECT ${index}`,
    ...facts,
  };
}

/** Two runs over `count` rows, of which the first ones are gained and the next ones lost. */
function runs(count: number, gained: number, lost: number): [RowRecord[], RowRecord[]] {
  const indices = Array.from({ length: count }, (_, index) => index);
  const a = indices.map((index) => row(index, { exec: index >= gained }));
  const b = indices.map((index) => row(index, { exec: index < gained || index >= gained + lost }));
  return [a, b];
}

describe('compare', () => {
  it.each([
    [7, 3, '0.34'],
    [17, 6, '0.037'],
    [26, 8, '0.0036'],
  ])('%i gained and %i lost: p %s', (gained, lost, published) => {
    const { levels, changed } = compareRuns(...runs(100, gained, lost), 'exec');
    expect(formatP(levels.all.test.corrected)).toBe(published);
    expect(levels.all).toMatchObject({ rowCount: 100, gainedCount: gained, lostCount: lost });
    expect(levels.all.matchedCountB - levels.all.matchedCountA).toBe(gained - lost);
    expect(levels.easy.rowCount).toBe(50);
    expect(levels.easy.gainedCount + levels.hard.gainedCount).toBe(gained);
    expect(levels.extra).toMatchObject({ rowCount: 0, test: { corrected: 1, exact: 1 } });
    expect(changed.filter(({ kind }) => kind === 'lost')).toHaveLength(lost);
  });

  it('refuses runs over different rows', () => {
    const [a, b] = runs(10, 1, 1);
    expect(() => compareRuns(a, b.slice(1), 'exec')).toThrow('not over the same rows');
    expect(() => compareRuns(a.slice(1), b, 'exec')).toThrow('not over the same rows');
    const other = b.map((each) => (each.index === 3 ? { ...each, gold_sql: 'SELECT 0' } : each));
    expect(() => compareRuns(a, other, 'exec')).toThrow('not over the same rows');
    expect(() => compareRuns([...a, row(0)], b, 'exec')).toThrow('more than once');
    expect(() => compareRuns([], [], 'exec')).toThrow('no rows');
  });

  it('pairs rows by their names, whatever their order', () => {
    const [a, b] = runs(10, 2, 1);
    expect(compareRuns(a, b.toReversed(), 'exec')).toEqual(compareRuns(a, b, 'exec'));
  });

  it('names rows without a verdict', () => {
    const [a, b] = runs(10, 2, 1);
    const unscored = { exec: null, problems: ["the gold can't be run: no such table: x"] };
    const { levels, unscored: named } = compareRuns(
      a,
      b.map((each) => (each.index === 9 ? { ...each, ...unscored } : each)),
      'exec',
    );
    expect(levels.all.rowCount).toBe(9);
    expect(named).toEqual([
      { location: 't/9', message: "no verdict in B: the gold can't be run: no such table: x" },
    ]);
  });

  it('shows both queries in text, JSON and HTML', () => {
    const [a, b] = runs(4, 1, 0);
    const answers = [
      {
        answer_sql: 'SELECT a\nFROM t',
        verdict: 'answer_sql_error',
        error_text: 'no such table: t',
      },
      { answer_sql: 'SELECT <b>&"c"' },
    ];
    const comparison = compareRuns(
      a.map((each) => (each.index === 0 ? { ...each, ...answers[0] } : each)),
      b.map((each) => (each.index === 0 ? { ...each, ...answers[1] } : each)),
      'exec',
    );
    const results = [{ gold: '{"rows": [[0]]}', a: '', b: '{"rows": [[1]]}' }];
    const report = { comparison, a: 'a.tsv', b: 'b.tsv', results };
    const text = textComparison(report);
    expect(text).toContain('gained: t/0 (db, easy)');
    expect(text).toContain('A, answer_sql_error (no such table: t):\n    SELECT a FROM t');
    expect(text).toContain('SELECT <b>&"c"\n    {"rows": [[1]]}');
    const html = htmlComparison(report);
    expect(html).toContain('SELECT &lt;b&gt;&amp;&quot;c&quot;');
    expect(html).not.toContain('<b>');
    expect(jsonComparison(report)).toMatchObject({
      metric: 'exec',
      levels: { all: { row_count: 4, gained_count: 1, lost_count: 0, p_exact: 1 } },
      changed: [{ kind: 'gained', task_id: 't/0', a: { verdict: 'answer_sql_error' } }],
    });
  });
});

describe('files of rows', () => {
  it.each(['tsv', 'jsonl'] as const)('come back from %s as they were', (format) => {
    const rows = [
      row(0),
      row(1, { answer_sql: 'SELECT "a\\tb",\t\'x\ny\'\r\n -- \\n', gold_sql: 'a\\\\b' }),
      row(2, { answer_sql: null, exec: false, verdict: 'answer_missing', attempt: 3 }),
      row(3, {
        exec: null,
        exact: null,
        legacy_exec: null,
        pred_parsed: null,
        problems: ['x', 'y'],
      }),
    ];
    const file = path.join(folder, `rows.${format}`);
    writeFileSync(file, formatRows(rows, format));
    expect(readRows(file)).toEqual(rows);
  });

  it('that are broken are refused with the place', () => {
    const file = path.join(folder, 'broken');
    writeFileSync(file, 'SELECT 1\nSELECT 2\n');
    expect(() => readRows(file)).toThrow('it holds no rows of sqlenv evaluate --rows');
    writeFileSync(file, `${JSON.stringify(row(0))}\n{"index": 1`);
    expect(() => readRows(file)).toThrow(`${file}:2: `);
    writeFileSync(file, formatRows([row(0), row(1)], 'tsv').replace(/\tquestion 1\n$/, '\n'));
    expect(() => readRows(file)).toThrow(`${file}:3: `);
  });
});
