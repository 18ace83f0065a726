import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { DemoDatabase } from './catalog.ts';
import { sha256 } from './database-file.ts';
import type { DatabaseFile } from './database-file.ts';
import { databasesDirectory } from './directory.ts';

/** Where the manifest of this package is. */
export const manifestPath = join(databasesDirectory, 'manifest.json');

const tasksPath = join(databasesDirectory, 'tasks.jsonl');

const sha256Schema = z.string().regex(/^[0-9a-f]{64}$/);
const countSchema = z.number().int().nonnegative();

const manifestSchema = z.strictObject({
  version: z.literal(1),
  databases: z.array(
    z.strictObject({
      database_id: z.string(),
      description: z.string(),
      sha256: sha256Schema,
      bytes: countSchema,
      tables: z.array(z.strictObject({ name: z.string(), rows: countSchema })),
    }),
  ),
  tasks: z.strictObject({
    file: z.literal('tasks.jsonl'),
    sha256: sha256Schema,
    count: countSchema,
    /** Number of tasks by split, then by difficulty. */
    splits: z.record(z.string(), z.record(z.string(), countSchema)),
  }),
});

/** The list of demo databases and tasks, with the hashes that every build must reproduce. */
export type Manifest = z.infer<typeof manifestSchema>;

const taskLineSchema = z.object({ split: z.string(), difficulty: z.string() });

/** Reads and checks a manifest; throws an error that names the file when it isn't one. */
export function readManifest(path: string): Manifest {
  const text = readFileSync(path, 'utf8');
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new Error(`${path} is not a manifest of demo databases`, { cause: error });
  }
}

/** The manifest of databases just built and of the tasks beside them. */
export function describeManifest(
  files: readonly { readonly definition: DemoDatabase; readonly file: DatabaseFile }[],
): Manifest {
  const tasks = readFileSync(tasksPath);
  const lines = tasks
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => taskLineSchema.parse(JSON.parse(line)));
  const splits: Manifest['tasks']['splits'] = {};
  for (const split of ['train', 'dev']) {
    splits[split] = {};
    for (const difficulty of ['easy', 'medium', 'hard', 'extra']) {
      splits[split][difficulty] = lines.filter(
        (line) => line.split === split && line.difficulty === difficulty,
      ).length;
    }
  }
  return {
    version: 1,
    databases: files.map(({ definition, file }) => ({
      database_id: definition.databaseId,
      description: definition.description,
      sha256: file.sha256,
      bytes: file.bytes.length,
      tables: [...file.tables],
    })),
    tasks: { file: 'tasks.jsonl', sha256: sha256(tasks), count: lines.length, splits },
  };
}
