import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { demoDatabases } from './catalog.ts';
import type { DemoDatabase } from './catalog.ts';
import { createDatabaseFile, sha256 } from './database-file.ts';
import { describeManifest, manifestPath, readManifest } from './manifest.ts';
import type { Manifest } from './manifest.ts';
import { databasesDirectory } from './directory.ts';

/** Where the demo databases are built when nobody says otherwise. */
export const defaultBuildDirectory = join(databasesDirectory, 'build');

/** One demo database that is now on disk and has the manifest's hash. */
export interface BuiltDatabase {
  readonly databaseId: string;
  /** The absolute path of `OUT/NAME/NAME.sqlite`. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  /** `kept` when the file was already there, byte for byte. */
  readonly state: 'built' | 'kept';
}

/** Settings of {@link buildDemoDatabases}. */
export interface BuildOptions {
  /** Another manifest to check against. */
  readonly manifestPath?: string;
  /** Called after each database, in the order of the manifest. */
  readonly onDatabase?: (database: BuiltDatabase) => void;
}

/**
 * Makes sure that every demo database is in `outDirectory` as `NAME/NAME.sqlite`, with the manifest's bytes.
 * A file that already has them is left alone; any other is replaced in one rename, so a crash leaves nothing
 * half-written and two processes may build at once. Throws an error that names the database if the bytes differ.
 */
export function buildDemoDatabases(
  outDirectory: string,
  options: BuildOptions = {},
): BuiltDatabase[] {
  const manifest = readManifest(options.manifestPath ?? manifestPath);
  return demoDatabases.map((definition) => {
    const database = buildDatabase(resolve(outDirectory), definition, manifest);
    options.onDatabase?.(database);
    return database;
  });
}

/** Builds all databases in memory and writes the manifest that describes them and the tasks. */
export function writeManifest(path: string = manifestPath): void {
  const files = demoDatabases.map((definition) => ({
    definition,
    file: createDatabaseFile(definition),
  }));
  writeFileSync(path, `${JSON.stringify(describeManifest(files), null, 2)}\n`);
}

function buildDatabase(
  outDirectory: string,
  definition: DemoDatabase,
  manifest: Manifest,
): BuiltDatabase {
  const { databaseId } = definition;
  const entry = manifest.databases.find((candidate) => candidate.database_id === databaseId);
  if (entry === undefined) {
    throw new Error(`demo database "${databaseId}" is not in the manifest (see --write-manifest)`);
  }
  const directory = join(outDirectory, databaseId);
  const path = join(directory, `${databaseId}.sqlite`);
  const built = { databaseId, path, bytes: entry.bytes, sha256: entry.sha256 };
  if (hashOfFile(path) === entry.sha256) return { ...built, state: 'kept' };

  const file = createDatabaseFile(definition);
  if (file.sha256 !== entry.sha256) {
    throw new Error(
      `demo database "${databaseId}" was built with sha256 ${file.sha256}, but the manifest says ` +
        `${entry.sha256}. Nothing was written. If its schema, rows or generator were changed on ` +
        `purpose, run databases/build with --write-manifest.`,
    );
  }
  mkdirSync(directory, { recursive: true });
  replaceFile(outDirectory, path, file.bytes);
  return { ...built, state: 'built' };
}

function hashOfFile(path: string): string | undefined {
  try {
    return sha256(readFileSync(path));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function replaceFile(outDirectory: string, path: string, bytes: Buffer): void {
  // Not inside the database's own folder: whatever lies there may be taken for another copy of the database.
  const temporary = join(outDirectory, `.building-${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(temporary, bytes, { flag: 'wx' });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function main(): void {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { 'write-manifest': { type: 'boolean', default: false } },
  });
  if (positionals.length > 1) throw new Error('usage: build.js [--write-manifest] [OUT]');
  if (values['write-manifest']) {
    writeManifest();
    process.stdout.write(`wrote ${manifestPath}\n`);
  }
  buildDemoDatabases(positionals[0] ?? defaultBuildDirectory, {
    onDatabase: ({ databaseId, bytes, state }) => {
      if (state === 'built') process.stdout.write(`built ${databaseId} (${String(bytes)} bytes)\n`);
    },
  });
}

if (process.argv[1] !== undefined && isThisFile(process.argv[1])) {
  try {
    main();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

function isThisFile(path: string): boolean {
  try {
    return realpathSync(path) === realpathSync(fileURLToPath(import.meta.url));
  } catch {
    return false;
  }
}
