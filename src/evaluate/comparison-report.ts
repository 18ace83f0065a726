import { LEVELS } from '../../env/spider/totals.ts';
import type { ChangedResults } from './changed-results.ts';
import {
  nameOf,
  type ChangedRow,
  type LevelComparison,
  type RunComparison,
} from './compare-runs.ts';
import type { RowRecord } from './row-file.ts';

/** A comparison with what there is to show of it. */
export interface ComparisonReport {
  readonly comparison: RunComparison;
  /** The names of the two runs. */
  readonly a: string;
  readonly b: string;
  /** One for each changed row; undefined where no databases were given. */
  readonly results: readonly ChangedResults[] | undefined;
}

/** A probability with two significant digits. */
export function formatP(p: number): string {
  return p >= 0.0001 || p === 0 ? String(Number(p.toPrecision(2))) : p.toExponential(1);
}

/** The cells of the table of figures, its head first. */
export function figureCells({ comparison }: ComparisonReport): string[][] {
  const head = ['', 'rows', 'A', 'B', 'gained', 'lost', 'p (corrected)', 'p (exact)'];
  return [head, ...LEVELS.map((level) => levelCells(level, comparison.levels[level]))];
}

/** The two queries of a changed row and the gold, with their verdicts and results. */
export function changedParts(
  { a, b }: ChangedRow,
  results: ChangedResults | undefined,
): { readonly title: string; readonly sql: string; readonly result: string }[] {
  return [
    { title: 'gold', sql: a.gold_sql, result: results?.gold ?? '' },
    { title: `A, ${verdictOf(a)}`, sql: a.answer_sql ?? '(no answer)', result: results?.a ?? '' },
    { title: `B, ${verdictOf(b)}`, sql: b.answer_sql ?? '(no answer)', result: results?.b ?? '' },
  ];
}

/** The report for people. */
export function textComparison(report: ComparisonReport): string {
  const { comparison, a, b, results } = report;
  const rows = figureCells(report);
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((cells) => (cells[column] ?? '').length)),
  );
  const lines = [
    `${comparison.metric}: A = ${a}, B = ${b}`,
    '',
    ...rows.map((cells) =>
      cells
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    ),
  ];
  for (const [index, changed] of comparison.changed.entries()) {
    lines.push('', `${changed.kind}: ${headOf(changed)}`);
    if (changed.a.question !== '') lines.push(`  ${changed.a.question}`);
    for (const { title, sql, result } of changedParts(changed, results?.[index])) {
      lines.push(`  ${title}:`, `    ${oneLine(sql)}`);
      if (result !== '') lines.push(`    ${result}`);
    }
  }
  return `${lines.join('\n')}\n`;
}

/** A changed row's name, database and hardness. */
export function headOf({ a }: ChangedRow): string {
  const facts = [a.database_id, a.hardness].filter((fact) => fact !== '');
  return `${nameOf(a)} (${facts.join(', ')})`;
}

/** The report for programs. */
export function jsonComparison({ comparison, a, b, results }: ComparisonReport): unknown {
  const levels = LEVELS.map((level) => {
    const { rowCount, matchedCountA, matchedCountB, gainedCount, lostCount, test } =
      comparison.levels[level];
    const figures = {
      row_count: rowCount,
      matched_count_a: matchedCountA,
      matched_count_b: matchedCountB,
      gained_count: gainedCount,
      lost_count: lostCount,
      p_corrected: test.corrected,
      p_exact: test.exact,
    };
    return [level, figures];
  });
  return {
    metric: comparison.metric,
    a,
    b,
    levels: Object.fromEntries(levels),
    changed: comparison.changed.map((changed, index) => changedJson(changed, results?.[index])),
    unscored: comparison.unscored,
  };
}

function changedJson({ kind, a, b }: ChangedRow, results: ChangedResults | undefined): unknown {
  const side = (row: RowRecord, result: string | undefined): unknown => ({
    answer_sql: row.answer_sql,
    verdict: row.verdict,
    error_text: row.error_text,
    ...(result === undefined ? {} : { result }),
  });
  return {
    kind,
    task_id: a.task_id,
    attempt: a.attempt,
    database_id: a.database_id,
    hardness: a.hardness,
    question: a.question,
    gold_sql: a.gold_sql,
    ...(results === undefined ? {} : { gold_result: results.gold }),
    a: side(a, results?.a),
    b: side(b, results?.b),
  };
}

function levelCells(name: string, level: LevelComparison): string[] {
  const share = (count: number): string =>
    level.rowCount === 0 ? '-' : (count / level.rowCount).toFixed(3);
  return [
    name,
    String(level.rowCount),
    share(level.matchedCountA),
    share(level.matchedCountB),
    String(level.gainedCount),
    String(level.lostCount),
    formatP(level.test.corrected),
    formatP(level.test.exact),
  ];
}

function verdictOf(row: RowRecord): string {
  return row.error_text === '' ? row.verdict : `${row.verdict} (${row.error_text})`;
}

function oneLine(sql: string): string {
  return sql.replaceAll(/\s+/g, ' ').trim();
}
