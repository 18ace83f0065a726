import path from 'node:path';
import type { Config } from '../config.ts';
import type { Log } from '../logger.ts';
import { VERSION } from '../package-root.ts';
import { writeManifest, type ManifestTasks, type RecordManifest } from '../replay/manifest.ts';
import type { DatabaseFile } from '../sqlite/messages.ts';

/** What is served, as far as its manifest says it. */
export interface ServedCatalog {
  readonly title: string;
  readonly catalogSha256: string;
  readonly files: ReadonlyMap<string, DatabaseFile>;
  /** By database id: those that are served. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** Says beside the records where their databases and golds are. Never rejects: what it fails with is logged. */
export async function recordManifest(
  folder: string,
  config: Config,
  catalog: ServedCatalog,
  log: Log,
): Promise<void> {
  try {
    await writeManifest(folder, manifestOf(config, catalog));
  } catch (error) {
    log.error({ err: error }, 'the manifest of the records cannot be written; episodes go on');
  }
}

function manifestOf(config: Config, catalog: ServedCatalog): RecordManifest {
  return {
    version: 1,
    catalog_sha256: catalog.catalogSha256,
    title: catalog.title,
    server_version: VERSION,
    tasks: tasksOf(config),
    databases: [...catalog.hashes].flatMap(([databaseId, sha256]) => {
      const file = catalog.files.get(databaseId);
      if (file === undefined) return [];
      return [{ database_id: databaseId, path: path.resolve(file.path), sha256 }];
    }),
  };
}

function tasksOf(config: Config): ManifestTasks {
  const { spider, databases, tasks } = config;
  const split = config.split ?? null;
  if (spider !== undefined) return { kind: 'spider', folder: path.resolve(spider), split };
  if (databases === undefined || tasks === undefined) return { kind: 'demo' };
  return {
    kind: 'files',
    databases: path.resolve(databases),
    tasks: path.resolve(tasks),
    split,
  };
}
