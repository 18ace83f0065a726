import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { compareSpiderLegacy } from '../../../env/compare/spider-exec-legacy.ts';
import { spiderResultsMatch } from '../../../env/compare/spider-exec.ts';
import { matchSpiderSql, type MatchReport } from '../../../env/spider/exact-match.ts';
import { planExecution, type ExecutionOptions } from '../../../env/spider/execution-sql.ts';
import type { ForeignKeyMap } from '../../../env/spider/foreign-keys.ts';
import type { SpiderSchema } from '../../../env/spider/schema.ts';
import { formatSpiderTotals, spiderTotals } from '../../../env/spider/totals.ts';
import { besideSpider, isMissing, readSchemas, spiderFolder } from './fixture-data.ts';
import {
  QueryRuns,
  predictionNames,
  readForeignKeys,
  readOfficialRows,
  type OfficialRow,
} from './official-verdicts.ts';

const skip = isMissing('pred') || isMissing('official') || isMissing('fixtures', 'schemas.json');

const modes: Record<'default' | 'keep' | 'plug', ExecutionOptions> = {
  default: { keepDistinct: false, plugValue: false },
  keep: { keepDistinct: true, plugValue: false },
  plug: { keepDistinct: false, plugValue: true },
};

describe.skipIf(skip)('the verdicts on six prediction files', () => {
  const runs = new QueryRuns();
  let schemas = new Map<string, SpiderSchema>();
  let foreignKeys = new Map<string, ForeignKeyMap>();
  beforeAll(() => {
    schemas = readSchemas();
    foreignKeys = readForeignKeys(join(spiderFolder, 'tables.json'));
  });
  afterAll(() => runs.close());

  it.each([...predictionNames, 'gold'])('%s by the test-suite evaluator', (name) => {
    const rows = readOfficialRows(name, `${name}.default.tsv`);
    const scored = rows.map((row) => {
      const report = match(row, 'test-suite');
      return { row, report, exec: matchesOn([databasePath(row.database)], row, modes.default) };
    });
    expect(scored.filter(({ row, report }) => !sameMatch(row, report))).toEqual([]);
    expect(scored.filter(({ row, exec }) => row.exec !== exec)).toEqual([]);
    expect(rows.length).toBe(1034);
    const totals = spiderTotals(
      scored.flatMap(({ report, exec }) =>
        report.kind === 'scored'
          ? { hardness: report.hardness, executionMatched: exec, match: report }
          : [],
      ),
    );
    expect(totals.easy.rowCount).toBe(248);
    expect(totals.medium.rowCount).toBe(446);
    expect(totals.hard.rowCount).toBe(174);
    expect(totals.extra.rowCount).toBe(166);
    expect(formatSpiderTotals(totals, 'all')).toBe(officialTables(`${name}.default.summary.txt`));
  });

  it.each(predictionNames)('%s with DISTINCT kept, and with plugged values', (name) => {
    for (const mode of ['keep', 'plug'] as const) {
      const rows = readOfficialRows(name, `${name}.${mode}.tsv`).filter((row) => row.note === '');
      const differing = rows.filter(
        (row) => row.exec !== matchesOn([databasePath(row.database)], row, modes[mode]),
      );
      expect(differing).toEqual([]);
    }
  });

  it.each([...predictionNames, 'gold'])('%s by the legacy evaluator', (name) => {
    const rows = readOfficialRows(name, `${name}.legacy.tsv`);
    const scored = rows.map((row) => {
      const report = match(row, 'legacy');
      return { row, report, exec: matchesLegacy(row, report) };
    });
    expect(scored.filter(({ row, report }) => !sameMatch(row, report))).toEqual([]);
    expect(scored.filter(({ row, exec }) => row.exec !== exec)).toEqual([]);
    const totals = spiderTotals(
      scored.flatMap(({ report, exec }) =>
        report.kind === 'scored'
          ? { hardness: report.hardness, executionMatched: exec, match: report }
          : [],
      ),
    );
    expect(formatSpiderTotals(totals, 'all')).toBe(officialTables(`${name}.legacy.summary.txt`));
  });

  it.each(['gold', 'c3sql', 'dail_gpt4', 'graphix'])('%s on six databases a task', (name) => {
    const rows = readOfficialRows(name, `suite/${name}.default.tsv`);
    const differing = rows.filter((row) => {
      const folder = besideSpider('suite_synth', row.database);
      const paths = readdirSync(folder).map((file) => join(folder, file));
      return row.exec !== matchesOn(paths, row, modes.default);
    });
    expect(differing).toEqual([]);
  });

  function match(row: OfficialRow, evaluator: 'test-suite' | 'legacy'): MatchReport {
    const schema = schemas.get(row.database);
    const keys = foreignKeys.get(row.database);
    if (schema === undefined || keys === undefined) throw new Error(`no ${row.database}`);
    const { gold, answer } = row;
    return matchSpiderSql({ gold, answer, schema, foreignKeys: keys, evaluator });
  }

  function matchesOn(paths: string[], row: OfficialRow, options: ExecutionOptions): boolean {
    const plan = planExecution(row.gold, row.answer, options);
    for (const answer of plan.answers) {
      const matched = paths.every((path) => {
        const gold = runs.gold(path, plan.gold);
        if (gold === undefined) throw new Error(`gold of row ${row.index} fails`);
        const rows = runs.answer(path, answer, gold.length + 1);
        return rows !== undefined && spiderResultsMatch(gold, rows, plan.orderMatters);
      });
      if (matched) return true;
    }
    return false;
  }

  function matchesLegacy(row: OfficialRow, report: MatchReport): boolean {
    if (report.kind !== 'scored') return false;
    const path = databasePath(row.database);
    const gold = runs.gold(path, row.gold) ?? [];
    const rows = runs.answer(path, row.answer, gold.length + 1);
    if (rows === undefined) return false;
    const verdict = compareSpiderLegacy(
      { sql: report.goldSql, rows: gold },
      { sql: report.answerSql, rows },
    );
    return verdict === 'match';
  }
});

function sameMatch(row: OfficialRow, report: MatchReport): boolean {
  return (
    report.kind === 'scored' &&
    report.hardness === row.hardness &&
    report.exact === row.exact &&
    (report.answerErrorClass === null) === row.isParsed
  );
}

function databasePath(database: string): string {
  return join(spiderFolder, 'database', database, `${database}.sqlite`);
}

/** What the official script printed, without the last lines, which are of the run that recorded it. */
function officialTables(name: string): string {
  const text = readFileSync(besideSpider('official', name), 'utf8');
  return text.slice(0, text.indexOf('\nruntime_s'));
}
