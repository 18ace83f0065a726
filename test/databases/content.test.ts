import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildDemoDatabases } from '../../dist/databases/build.js';
import { readManifest } from '../../dist/databases/manifest.js';
import { openDemo, sourceDirectory, tableNames } from './demo-files.ts';

const manifest = readManifest(join(sourceDirectory, 'manifest.json'));
const databaseIds = manifest.databases.map((database) => database.database_id);

const MAX_SAFE = BigInt(Number.MAX_SAFE_INTEGER);

let directory: string;

beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'sqlenv-content-'));
  buildDemoDatabases(directory);
});

afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

function everyCell(databaseId: string): unknown[] {
  const database = openDemo(directory, databaseId);
  try {
    return tableNames(database).flatMap((table) => {
      const rows = database.prepare(`SELECT * FROM "${table}"`).raw().safeIntegers().all();
      return (rows as unknown[][]).flat();
    });
  } finally {
    database.close();
  }
}

describe.each(databaseIds)('%s', (databaseId) => {
  test('is sound: integrity, foreign keys, and the row counts of the manifest', () => {
    const database = openDemo(directory, databaseId);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    expect(database.pragma('foreign_key_check')).toEqual([]);
    const tables = tableNames(database).map((name) => ({
      name,
      rows: database.prepare(`SELECT count(*) FROM "${name}"`).pluck().get(),
    }));
    expect(tables).toEqual(
      manifest.databases.find((entry) => entry.database_id === databaseId)?.tables,
    );
    database.close();
  });

  test('has foreign keys, NULLs, dates and text that is not ASCII', () => {
    const database = openDemo(directory, databaseId);
    const foreignKeys = tableNames(database).flatMap((table) =>
      database.prepare('SELECT * FROM pragma_foreign_key_list(?)').all(table),
    );
    expect(foreignKeys.length).toBeGreaterThan(0);
    database.close();

    const cells = everyCell(databaseId);
    const texts = cells.filter((cell) => typeof cell === 'string');
    expect(cells).toContain(null);
    expect(texts.some((text) => /^\d{4}-\d{2}-\d{2}/.test(text))).toBe(true);
    expect(texts.some((text) => /[^\0-\x7f]/.test(text))).toBe(true);
  });
});

describe('the demo databases together', () => {
  test('there are ten of them, small enough to build at set-up', () => {
    expect(databaseIds).toHaveLength(10);
    const bytes = manifest.databases.reduce((sum, database) => sum + database.bytes, 0);
    expect(bytes).toBeLessThan(25_000_000);
  });

  test('some tables are empty, and one has more than 100,000 rows', () => {
    const tables = manifest.databases.flatMap((database) => database.tables);
    const empty = tables.filter((table) => table.rows === 0).map((table) => table.name);
    expect(empty.toSorted()).toEqual(['appeals', 'storm_damage', 'swap_requests']);
    expect(tables.find((table) => table.name === 'readings')?.rows).toBeGreaterThan(100_000);
  });

  test('integers above 2^53 and BLOBs are where the descriptions say', () => {
    for (const databaseId of ['night_trains', 'parcel_lockers', 'radio_archive']) {
      const cells = everyCell(databaseId);
      expect(cells.some((cell) => typeof cell === 'bigint' && cell > MAX_SAFE)).toBe(true);
    }
    for (const databaseId of ['parcel_lockers', 'radio_archive']) {
      expect(everyCell(databaseId).some((cell) => Buffer.isBuffer(cell))).toBe(true);
    }
  });

  test('text is in many scripts', () => {
    const texts = everyCell('choir_festival')
      .filter((cell) => typeof cell === 'string')
      .join('\n');
    for (const script of ['Latin', 'Greek', 'Cyrillic', 'Hiragana', 'Han']) {
      expect(texts).toMatch(new RegExp(`\\p{Script=${script}}`, 'u'));
    }
  });
});
