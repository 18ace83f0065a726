import { existsSync } from 'node:fs';
import path from 'node:path';
import { goldHash } from '../episodes/task-source.ts';
import { readManifest, type RecordManifest } from '../replay/manifest.ts';
import type { GoldFound } from '../replay/ports.ts';
import { databaseIdProblem, databasePath } from '../tasks/database-path.ts';
import { loadTasks, type TaskInput } from '../tasks/load-tasks.ts';
import { InputError } from '../tasks/task-set.ts';
import { demoInput } from './task-input.ts';

/** Where the user says that databases and tasks are; all that is left out comes from the records' manifests. */
export interface ReplayPlaces {
  readonly spider?: string | undefined;
  readonly databases?: string | undefined;
  readonly tasks?: string | undefined;
  readonly demo?: boolean | undefined;
}

/** A database that a record names. */
export interface LocatedDatabase {
  readonly path: string;
  /** Of the file when the episode was recorded, by the manifest; undefined if nobody wrote it down. */
  readonly sha256: string | undefined;
}

const HOW_TO =
  'give --spider DIR, --databases DIR or --demo, or --server HOST:PORT of a server that has it';

/** Finds the databases and golds of recorded episodes: where the flags say, else where the manifest beside the records says. */
export class ReplayCatalogs {
  readonly #folders: readonly string[];
  readonly #places: ReplayPlaces;
  readonly #manifests = new Map<string, Promise<RecordManifest | undefined>>();
  readonly #golds = new Map<string, GoldLookup>();

  /** The folders are those of the records. */
  constructor(folders: readonly string[], places: ReplayPlaces) {
    this.#folders = folders;
    this.#places = places;
  }

  /** Where a database lies. Rejects with {@link InputError} if nobody knows it; whether the file is there is not looked at. */
  async locate(databaseId: string, catalogSha256: string): Promise<LocatedDatabase> {
    const problem = databaseIdProblem(databaseId);
    if (problem !== undefined) throw new InputError(`the database id ${problem}`);
    const folder = this.#databaseFolder();
    const manifest = await this.#manifestOf(catalogSha256);
    const entry = manifest?.databases.find((each) => each.database_id === databaseId);
    const sha256 = entry?.sha256;
    if (folder !== undefined) return { path: databasePath(folder, databaseId), sha256 };
    if (manifest?.tasks.kind === 'demo') {
      // The package's own, wherever it is by now.
      return { path: databasePath(demoInput().databaseFolder, databaseId), sha256 };
    }
    if (entry !== undefined) return { path: entry.path, sha256 };
    throw new InputError(
      manifest === undefined
        ? `nothing says where database ${databaseId} is, for there is no manifest beside the records: ${HOW_TO}`
        : `the manifest beside the records does not name database ${databaseId}: ${HOW_TO}`,
    );
  }

  /** The gold of a task that has this hash. */
  async findGold(taskId: string, goldSha256: string, catalogSha256: string): Promise<GoldFound> {
    const inputs = [...this.#givenTasks()];
    const manifest = await this.#manifestOf(catalogSha256);
    if (manifest !== undefined) inputs.push(inputOf(manifest));
    let reason = 'there are no tasks to take it from: give --tasks FILE.jsonl or --spider DIR';
    for (const input of inputs) {
      const found = this.#lookUp(input, taskId, goldSha256);
      if (found.kind !== 'unknown') return found;
      reason = found.reason;
    }
    return { kind: 'unknown', reason };
  }

  #databaseFolder(): string | undefined {
    const { databases, spider, demo } = this.#places;
    if (databases !== undefined) return databases;
    if (spider !== undefined) return path.join(spider, 'database');
    return demo === true ? demoInput().databaseFolder : undefined;
  }

  *#givenTasks(): Generator<TaskInput> {
    const { tasks, spider, demo } = this.#places;
    if (tasks !== undefined) yield { kind: 'files', databaseFolder: '', taskFile: tasks };
    if (spider !== undefined) yield { kind: 'spider', folder: spider };
    if (demo === true) yield demoInput();
  }

  #manifestOf(catalogSha256: string): Promise<RecordManifest | undefined> {
    const known = this.#manifests.get(catalogSha256);
    if (known !== undefined) return known;
    const reading = this.#readManifest(catalogSha256);
    this.#manifests.set(catalogSha256, reading);
    return reading;
  }

  async #readManifest(catalogSha256: string): Promise<RecordManifest | undefined> {
    for (const folder of this.#folders) {
      const manifest = await readManifest(folder, catalogSha256);
      if (manifest !== undefined) return manifest;
    }
    return undefined;
  }

  #lookUp(input: TaskInput, taskId: string, goldSha256: string): GoldFound {
    const name = input.kind === 'spider' ? input.folder : input.taskFile;
    let lookup = this.#golds.get(name);
    if (lookup === undefined) {
      lookup = readGolds(input, name);
      this.#golds.set(name, lookup);
    }
    if (lookup.kind === 'problem') return { kind: 'unknown', reason: lookup.message };
    const goldSql = lookup.golds.get(taskId);
    if (goldSql === undefined) {
      return { kind: 'unknown', reason: `${name} has no task ${taskId}` };
    }
    return goldHash(goldSql) === goldSha256 ? { kind: 'found', goldSql } : { kind: 'changed' };
  }
}

type GoldLookup =
  | { readonly kind: 'golds'; readonly golds: ReadonlyMap<string, string> }
  | { readonly kind: 'problem'; readonly message: string };

function inputOf({ tasks }: RecordManifest): TaskInput {
  switch (tasks.kind) {
    case 'demo':
      return demoInput();
    case 'spider':
      return { kind: 'spider', folder: tasks.folder };
    case 'files':
      return { kind: 'files', databaseFolder: tasks.databases, taskFile: tasks.tasks };
  }
}

/** Tasks that have gone leave queries to be replayed: it is a problem only where a gold is needed. */
function readGolds(input: TaskInput, name: string): GoldLookup {
  if (!existsSync(name)) return { kind: 'problem', message: `${name} is not there any more` };
  try {
    const { tasks } = loadTasks(input, undefined);
    const golds = new Map(tasks.map(({ task }) => [task.taskId, task.goldSql]));
    return { kind: 'golds', golds };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { kind: 'problem', message: error.message };
  }
}
