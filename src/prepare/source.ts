import { existsSync } from 'node:fs';
import path from 'node:path';
import { findDatabaseFiles, type DatabaseFiles } from '../evaluate/database-files.ts';
import { readTextFile } from '../tasks/read-text.ts';
import { loadTasks } from '../tasks/load-tasks.ts';
import type { InputProblem, LocatedTask } from '../tasks/task-set.ts';
import { readBird } from './bird-files.ts';

/** What data is made from. */
export type SourceChoice =
  | { readonly kind: 'spider'; readonly folder: string }
  | { readonly kind: 'bird'; readonly folder: string; readonly withEvidence: boolean }
  | { readonly kind: 'jsonl'; readonly taskFile: string; readonly databaseFolder: string };

/** Tasks with their databases. */
export interface Source {
  readonly tasks: readonly LocatedTask[];
  readonly problems: readonly InputProblem[];
  readonly databases: DatabaseFiles;
  /** The entries of the release's `tables.json`; empty where there is none. */
  readonly tables: readonly { readonly db_id?: unknown }[];
}

/** Reads a release. Throws `InputError` where nothing can be made of it. */
export function readSource(choice: SourceChoice): Source {
  switch (choice.kind) {
    case 'spider':
    case 'jsonl': {
      const set = loadTasks(
        choice.kind === 'spider'
          ? choice
          : { kind: 'files', taskFile: choice.taskFile, databaseFolder: choice.databaseFolder },
        undefined,
      );
      const { tasks, problems } = set;
      const databases = findDatabaseFiles(set.databaseFolder, databaseIds(tasks));
      const tables = choice.kind === 'spider' ? readTables(choice.folder) : [];
      return { tasks, problems, databases, tables };
    }
    case 'bird': {
      const splits = readBird(choice.folder, choice.withEvidence);
      const found = splits.map((split) =>
        findDatabaseFiles(split.databaseFolder, databaseIds(split.tasks)),
      );
      return {
        tasks: splits.flatMap((split) => split.tasks),
        problems: splits.flatMap((split) => split.problems),
        databases: joined(found),
        tables: [],
      };
    }
  }
}

function databaseIds(tasks: readonly LocatedTask[]): Set<string> {
  return new Set(tasks.map(({ task }) => task.databaseId));
}

function joined(found: readonly DatabaseFiles[]): DatabaseFiles {
  return {
    files: new Map(found.flatMap(({ files }) => [...files])),
    idsByDatabase: new Map(found.flatMap(({ idsByDatabase }) => [...idsByDatabase])),
    problems: new Map(found.flatMap(({ problems }) => [...problems])),
  };
}

function readTables(folder: string): Source['tables'] {
  const file = path.join(folder, 'tables.json');
  if (!existsSync(file)) return [];
  const value: unknown = JSON.parse(readTextFile(file));
  return Array.isArray(value) ? (value as Source['tables']) : [];
}
