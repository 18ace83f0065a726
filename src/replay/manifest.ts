import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { InputError } from '../tasks/task-set.ts';

/** Where the tasks of a server came from. Folders and files are absolute paths on the machine that recorded. */
const ManifestTasksSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('demo') }),
  z.object({ kind: z.literal('spider'), folder: z.string(), split: z.string().nullable() }),
  z.object({
    kind: z.literal('files'),
    /** The folder of the databases. */
    databases: z.string(),
    /** The JSONL file. */
    tasks: z.string(),
    split: z.string().nullable(),
  }),
]);

const ManifestSchema = z.object({
  version: z.literal(1),
  catalog_sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** What was served, in a few words. */
  title: z.string(),
  server_version: z.string(),
  tasks: ManifestTasksSchema,
  databases: z.array(z.object({ database_id: z.string(), path: z.string(), sha256: z.string() })),
});

/**
 * Where the episodes of a record folder can be played again: the databases that they ran on and the tasks that hold their
 * golds. It lies beside the trajectory files, one for each catalog, and holds no gold itself.
 */
export type RecordManifest = Readonly<z.infer<typeof ManifestSchema>>;

/** Where the tasks of a server came from. `split` is null if all of them were served. */
export type ManifestTasks = RecordManifest['tasks'];

/** The name of a catalog's manifest in a record folder. */
export function manifestName(catalogSha256: string): string {
  return `catalog-${catalogSha256.slice(0, 16)}.json`;
}

/**
 * Reads the manifest of a catalog in a record folder; undefined if there is none. Throws {@link InputError} if there is one
 * that can't be read, or that belongs to another catalog.
 */
export async function readManifest(
  folder: string,
  catalogSha256: string,
): Promise<RecordManifest | undefined> {
  const file = path.join(folder, manifestName(catalogSha256));
  const text = await readText(file);
  if (text === undefined) return undefined;
  const manifest = parseManifest(file, text);
  if (manifest.catalog_sha256 === catalogSha256) return manifest;
  throw new InputError(`${file}: it is of the catalog ${manifest.catalog_sha256}, not of its name`);
}

/**
 * Writes a manifest into a record folder, whole or not at all; one with the same content stays as it is. Rejects with what
 * the file system says.
 */
export async function writeManifest(folder: string, manifest: RecordManifest): Promise<void> {
  const file = path.join(folder, manifestName(manifest.catalog_sha256));
  const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
  if ((await readFile(file, 'utf8').catch(() => undefined)) === text) return;
  // A name of its own: two servers that share a folder by mistake don't write into each other's file.
  const unfinished = `${file}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    await writeFile(unfinished, text, { flag: 'wx' });
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}

async function readText(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new InputError(`${file}: it can't be read (${code ?? 'unknown error'})`);
  }
}

function parseManifest(file: string, text: string): RecordManifest {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new InputError(`${file}: it is not JSON`);
  }
  const version = (value as { version?: unknown } | null)?.version;
  if (typeof version === 'number' && version !== 1) {
    throw new InputError(`${file}: it is of version ${version}, written by a newer sqlenv`);
  }
  const parsed = ManifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const key = issue?.path.join('.') ?? '';
  throw new InputError(`${file}: ${key === '' ? '' : `${key}: `}${issue?.message ?? 'wrong'}`);
}
