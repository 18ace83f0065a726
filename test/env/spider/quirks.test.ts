import { readFileSync } from 'node:fs';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { compareSpiderLegacy } from '../../../env/compare/spider-exec-legacy.ts';
import { spiderResultsMatch } from '../../../env/compare/spider-exec.ts';
import { matchSpiderSql, type MatchReport } from '../../../env/spider/exact-match.ts';
import { planExecution } from '../../../env/spider/execution-sql.ts';
import type { ForeignKeyMap } from '../../../env/spider/foreign-keys.ts';
import { spiderHardness } from '../../../env/spider/hardness.ts';
import type { SpiderSchema } from '../../../env/spider/schema.ts';
import { besideSpider, isMissing } from './fixture-data.ts';
import { OfficialDatabase, readForeignKeys, type QueryRun } from './official-verdicts.ts';

/** Statements that the official script runs, for an empty result, and a read-only connection doesn't. */
const writing = new Set(['ddl', 'dml', 'attach']);

/** Pairs with TEXT that isn't UTF-8, which better-sqlite3 replaces: read as bytes here, from a single column. */
const invalidText = new Set(['enc_ignore', 'enc_ignore2']);

/** One hand-made pair with the official outcome in each mode; an empty text where a run crashed. */
type Quirk = Readonly<Record<string, string>>;

const skip = isMissing('quirks', 'quirks.tsv');

describe.skipIf(skip)('the hand-made pairs', () => {
  const quirks = skip ? [] : readQuirks();
  let database: OfficialDatabase;
  let schema: SpiderSchema;
  let foreignKeys: ForeignKeyMap;
  beforeAll(() => {
    database = new OfficialDatabase(
      besideSpider('quirks', 'database', 'quirkdb', 'quirkdb.sqlite'),
    );
    schema = database.schema();
    foreignKeys =
      readForeignKeys(besideSpider('quirks', 'tables_quirkdb.json')).get('quirkdb') ?? new Map();
  });
  afterAll(() => database.close());

  it('are all there', () => {
    expect(quirks.length).toBe(143);
  });

  it.each(quirks)('$id by the test-suite evaluator', (quirk) => {
    const report = match(quirk, 'test-suite');
    if (report.kind === 'gold_unparseable') {
      expect(quirk['crash_tse']).toMatch(new RegExp(`^${report.errorClass}`, 'u'));
      return;
    }
    expect(report.answerErrorClass ?? '').toBe(quirk['parse_err']?.split(':')[0]);
    if (quirk['hardness'] !== '') expect(report.hardness).toBe(quirk['hardness']);
    expect(spiderHardness(quirk['gold'] ?? '', schema)).toBe(report.hardness);
    if (quirk['exact'] !== '') expect(report.exact).toBe(quirk['exact'] === '1');
  });

  it.each(quirks)('$id by the legacy evaluator', (quirk) => {
    const report = match(quirk, 'legacy');
    if (report.kind === 'gold_unparseable') {
      expect(quirk['legacy_crash']).toMatch(new RegExp(`^${report.errorClass}`, 'u'));
      return;
    }
    if (quirk['legacy_exact'] !== '') expect(report.exact).toBe(quirk['legacy_exact'] === '1');
    if (quirk['legacy_exec'] !== '') {
      expect(legacyMatches(quirk, report)).toBe(quirk['legacy_exec'] === '1');
    }
  });

  it.each(quirks)('$id by execution', (quirk) => {
    if (writing.has(quirk['id'] ?? '')) return;
    expect(executionOf(quirk, false, false, 'exec_default')).toBe(quirk['exec_default']);
    expect(executionOf(quirk, true, false, 'exec_keep')).toBe(quirk['exec_keep']);
    expect(executionOf(quirk, false, true, 'exec_plug')).toBe(quirk['exec_plug']);
  });

  function match(quirk: Quirk, evaluator: 'test-suite' | 'legacy'): MatchReport {
    const { gold = '', pred: answer = '' } = quirk;
    return matchSpiderSql({ gold, answer, schema, foreignKeys, evaluator });
  }

  function legacyMatches(quirk: Quirk, report: MatchReport & { kind: 'scored' }): boolean {
    const gold = database.run(quirk['gold'] ?? '');
    const answer = database.run(quirk['pred'] ?? '');
    if (gold === undefined || answer === undefined) return false;
    const verdict = compareSpiderLegacy(
      { sql: report.goldSql, rows: gold },
      { sql: report.answerSql, rows: answer },
    );
    return verdict === 'match';
  }

  function executionOf(
    quirk: Quirk,
    keepDistinct: boolean,
    plugValue: boolean,
    column: string,
  ): string {
    const { gold = '', pred = '' } = quirk;
    const plan = planExecution(gold, pred, { keepDistinct, plugValue });
    const run = (sql: string): QueryRun =>
      invalidText.has(quirk['id'] ?? '') ? database.runAsText(sql) : database.run(sql);
    const goldRows = run(plan.gold);
    if (goldRows === undefined || quirk[column] === '') return '';
    for (const answer of plan.answers) {
      const rows = run(answer);
      if (rows !== undefined && spiderResultsMatch(goldRows, rows, plan.orderMatters)) return '1';
    }
    return '0';
  }
});

function readQuirks(): Quirk[] {
  const [header = '', ...lines] = readFileSync(besideSpider('quirks', 'quirks.tsv'), 'utf8')
    .replace(/\n$/u, '')
    .split('\n');
  const names = header.split('\t');
  return lines.map((line) => {
    const fields = line.split('\t');
    const unescaped = fields.map((field) => field.replaceAll('\\x0b', '\v'));
    return Object.fromEntries(names.map((name, index) => [name, unescaped[index] ?? '']));
  });
}
