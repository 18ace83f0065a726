import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { buildDemoDatabases, writeManifest } from '../../dist/databases/build.js';
import { readManifest } from '../../dist/databases/manifest.js';
import {
  buildProgram,
  databasePath,
  sourceDirectory,
  withTemporaryDirectory,
} from './demo-files.ts';

const runProgram = promisify(execFile);

const manifestPath = join(sourceDirectory, 'manifest.json');
const manifest = readManifest(manifestPath);
const databaseIds = manifest.databases.map((database) => database.database_id);

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

describe('building the demo databases', () => {
  test('two builds give equal bytes, which have the hashes of the manifest', async () => {
    await withTemporaryDirectory((directory) => {
      const [first, second] = [join(directory, 'first'), join(directory, 'second')];
      const built = buildDemoDatabases(first);
      buildDemoDatabases(second);
      expect(built.map((database) => database.state)).toEqual(databaseIds.map(() => 'built'));
      for (const entry of manifest.databases) {
        const bytes = readFileSync(databasePath(first, entry.database_id));
        expect(bytes.equals(readFileSync(databasePath(second, entry.database_id)))).toBe(true);
        expect(bytes.length).toBe(entry.bytes);
        expect(sha256(bytes)).toBe(entry.sha256);
      }
    });
  });

  test('a folder holds its database and nothing else, and no temporary file is left', async () => {
    await withTemporaryDirectory((directory) => {
      buildDemoDatabases(directory);
      expect(readdirSync(directory).toSorted()).toEqual(databaseIds.toSorted());
      for (const id of databaseIds) {
        expect(readdirSync(join(directory, id))).toEqual([`${id}.sqlite`]);
      }
    });
  });

  test('the header names a fixed SQLite version, not the one that wrote the file', async () => {
    await withTemporaryDirectory((directory) => {
      for (const { path } of buildDemoDatabases(directory)) {
        const header = readFileSync(path).subarray(0, 100);
        expect(header.toString('latin1', 0, 15)).toBe('SQLite format 3');
        expect(header.readUInt16BE(16)).toBe(4096);
        expect(header.readUInt32BE(24)).toBe(header.readUInt32BE(92));
        expect(header.readUInt32BE(96)).toBe(3_040_000);
      }
    });
  });

  test('a second build leaves good files alone and replaces a damaged one', async () => {
    await withTemporaryDirectory((directory) => {
      buildDemoDatabases(directory);
      const goodPath = databasePath(directory, 'cave_survey');
      const badPath = databasePath(directory, 'river_gauges');
      const goodInode = statSync(goodPath).ino;
      const bytes = readFileSync(badPath);
      writeFileSync(badPath, bytes.subarray(0, bytes.length / 2));

      const again = buildDemoDatabases(directory);
      expect(again.filter((database) => database.state === 'built')).toMatchObject([
        { databaseId: 'river_gauges' },
      ]);
      expect(readFileSync(badPath).equals(bytes)).toBe(true);
      expect(statSync(goodPath).ino).toBe(goodInode);
    });
  });

  test('a hash that differs from the manifest is an error that names the database', async () => {
    await withTemporaryDirectory((directory) => {
      const wrong = structuredClone(manifest);
      const entry = wrong.databases.find(({ database_id }) => database_id === 'cave_survey');
      const wrongHash = '0'.repeat(64);
      Object.assign(entry ?? {}, { sha256: wrongHash });
      const wrongPath = join(directory, 'manifest.json');
      writeFileSync(wrongPath, JSON.stringify(wrong));

      const out = join(directory, 'out');
      expect(() => buildDemoDatabases(out, { manifestPath: wrongPath })).toThrow(
        new RegExp(`"cave_survey" .* but the manifest says ${wrongHash}`),
      );
      expect(readdirSync(out)).not.toContain('cave_survey');
    });
  });

  test('a database that the manifest does not list is an error', async () => {
    await withTemporaryDirectory((directory) => {
      const wrongPath = join(directory, 'manifest.json');
      writeFileSync(wrongPath, JSON.stringify({ ...manifest, databases: [] }));
      expect(() => buildDemoDatabases(directory, { manifestPath: wrongPath })).toThrow(
        'demo database "bakery_chain" is not in the manifest',
      );
    });
  });

  test('a file that is no manifest is named in the error', async () => {
    await withTemporaryDirectory((directory) => {
      const wrongPath = join(directory, 'manifest.json');
      writeFileSync(wrongPath, '{"version":2}');
      expect(() => readManifest(wrongPath)).toThrow(`${wrongPath} is not a manifest`);
    });
  });

  test('the manifest is up to date with sources and tasks', async () => {
    await withTemporaryDirectory((directory) => {
      const path = join(directory, 'manifest.json');
      writeManifest(path);
      expect(readFileSync(path, 'utf8')).toBe(readFileSync(manifestPath, 'utf8'));
    });
  });
});

describe('the build program', () => {
  test('two at once both succeed, and the files are whole', async () => {
    await withTemporaryDirectory(async (directory) => {
      await Promise.all([1, 2].map(() => runProgram(process.execPath, [buildProgram, directory])));
      expect(buildDemoDatabases(directory).every(({ state }) => state === 'kept')).toBe(true);
    });
  });

  test('prints one line for each database that it built', async () => {
    await withTemporaryDirectory(async (directory) => {
      buildDemoDatabases(directory);
      const { stdout: nothing } = await runProgram(process.execPath, [buildProgram, directory]);
      expect(nothing).toBe('');
      writeFileSync(databasePath(directory, 'cave_survey'), '');
      const { stdout } = await runProgram(process.execPath, [buildProgram, directory]);
      expect(stdout).toMatch(/^built cave_survey \(\d+ bytes\)\n$/);
    });
  });

  test('fails with a message and status 1 when it cannot write', async () => {
    await withTemporaryDirectory(async (directory) => {
      // A folder stands where the database should be.
      mkdirSync(databasePath(directory, 'cave_survey'), { recursive: true });
      const run = runProgram(process.execPath, [buildProgram, directory]);
      await expect(run).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/EISDIR/) });
    });
  });
});
