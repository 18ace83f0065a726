import path from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { formatSpiderTotals } from '../../env/spider/totals.ts';
import type { MatchScore, ScoredRow } from '../../src/evaluate/row.ts';
import { runTotals } from '../../src/evaluate/totals.ts';
import { isMissing } from '../env/spider/fixture-data.ts';
import { HAS_SPIDER, SPIDER_DIR } from '../support/spider.ts';
import {
  DATA_DIR,
  NAMES,
  openOfficialRun,
  readOfficial,
  readOfficialTables,
  type OfficialRow,
  type OfficialRun,
} from './official-run.ts';

const skip = !HAS_SPIDER || isMissing('pred') || isMissing('official');

describe.skipIf(skip)('predictions through the guarded threads', () => {
  let official: OfficialRun;
  beforeAll(async () => {
    official = await openOfficialRun(path.join(SPIDER_DIR, 'database'));
  });
  afterAll(() => official.close());

  it.each([...NAMES, 'gold'])(
    '%s by both evaluators, row by row and in all tables',
    async (name) => {
      const scored = await official.run(name);
      expect(scored.flatMap(({ problems }) => problems)).toEqual([]);
      const rows = readOfficial(`${name}.default.tsv`);
      expect(differences(scored, rows, (row) => row.match)).toEqual([]);
      expect(execDifferences(scored, rows, (row) => row.execution?.matched)).toEqual([]);
      const legacy = readOfficial(`${name}.legacy.tsv`);
      expect(differences(scored, legacy, (row) => row.legacyMatch)).toEqual([]);
      expect(execDifferences(scored, legacy, (row) => row.legacyExecution?.matched)).toEqual([]);
      const totals = runTotals(scored);
      expect(formatSpiderTotals(totals.testSuite, 'all')).toBe(
        readOfficialTables(`${name}.default.summary.txt`),
      );
      expect(formatSpiderTotals(totals.legacy, 'all')).toBe(
        readOfficialTables(`${name}.legacy.summary.txt`),
      );
    },
  );

  it.each(NAMES)('%s with DISTINCT kept', async (name) => {
    const scored = await official.run(name, { keepDistinct: true });
    const rows = readOfficial(`${name}.keep.tsv`);
    expect(execDifferences(scored, rows, (row) => row.execution?.matched)).toEqual([]);
    expect(formatSpiderTotals(runTotals(scored).testSuite, 'all')).toBe(
      readOfficialTables(`${name}.keep.summary.txt`),
    );
  });

  it.each(NAMES)('%s with plugged values', async (name) => {
    const scored = await official.run(name, { plugValue: true });
    const rows = readOfficial(`${name}.plug.tsv`);
    expect(execDifferences(scored, rows, (row) => row.execution?.matched)).toEqual([]);
  });
});

describe.skipIf(skip)('predictions on several databases a task', () => {
  let official: OfficialRun;
  beforeAll(async () => {
    official = await openOfficialRun(path.join(DATA_DIR, 'suite_synth'));
  });
  afterAll(() => official.close());

  it.each(['gold', 'c3sql', 'dail_gpt4', 'graphix'])('%s', async (name) => {
    const scored = await official.run(name);
    expect(scored.flatMap(({ problems }) => problems)).toEqual([]);
    const rows = readOfficial(`suite/${name}.default.tsv`);
    expect(execDifferences(scored, rows, (row) => row.execution?.matched)).toEqual([]);
    expect(formatSpiderTotals(runTotals(scored).testSuite, 'all')).toBe(
      readOfficialTables(`suite/${name}.default.summary.txt`),
    );
  });
});

function differences(
  scored: readonly ScoredRow[],
  official: readonly OfficialRow[],
  matchOf: (row: ScoredRow) => MatchScore | undefined,
): unknown[] {
  expect(scored.length).toBe(official.length);
  return scored.filter((row, index) => {
    const match = matchOf(row);
    const said = official[index];
    return (
      match?.exact !== said?.exact ||
      match?.hardness !== said?.hardness ||
      (match?.parseError === '') !== said?.parsed
    );
  });
}

/** Rows on which the official run was cut short have no official verdict. */
function execDifferences(
  scored: readonly ScoredRow[],
  official: readonly OfficialRow[],
  matchedOf: (row: ScoredRow) => boolean | undefined,
): unknown[] {
  expect(scored.length).toBe(official.length);
  return scored
    .filter((row, index) => {
      const said = official[index];
      return said?.note === '' && matchedOf(row) !== said.exec;
    })
    .map(({ row, execution, legacyExecution }) => ({ row, execution, legacyExecution }));
}
