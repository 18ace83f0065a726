import { open, readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { InputProblem } from '../tasks/task-set.ts';

/** A file that may hold trajectories. */
export interface RecordFile {
  readonly path: string;
  /** Bytes on the disk. */
  readonly size: number;
  readonly compressed: boolean;
}

/** Files that were found, in the order of the paths and then of their names; each once. */
export interface RecordFilesFound {
  readonly files: readonly RecordFile[];
  readonly problems: readonly InputProblem[];
}

const NAME_PATTERN = /\.jsonl(\.gz)?$/i;
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

/** The first pass keeps summaries; a record is read when it is looked at. */
const NOT_STREAMS =
  'records are read more than once, so that they must be in a file: what comes through a pipe must be saved first';

/** Folders within folders that are looked into. */
const DEPTH_MAX = 8;

/** Finds trajectory files: files as they are named, and `*.jsonl` and `*.jsonl.gz` in folders. Never rejects. */
export async function findRecordFiles(paths: readonly string[]): Promise<RecordFilesFound> {
  const files: RecordFile[] = [];
  const problems: InputProblem[] = [];
  const seen = new Set<string>();
  const note = async (location: string, work: () => Promise<string | undefined>) => {
    try {
      const message = await work();
      if (message !== undefined) problems.push({ location, message });
    } catch (error) {
      problems.push({ location, message: reasonOf(error) });
    }
  };
  const addFile = (file: string): Promise<void> =>
    note(file, async () => {
      const real = await realpath(file);
      if (seen.has(real)) return undefined;
      seen.add(real);
      const status = await stat(file);
      if (!status.isFile())
        return status.isFIFO() || status.isCharacterDevice() ? NOT_STREAMS : 'it is not a file';
      files.push({ path: file, size: status.size, compressed: await isCompressed(file) });
      return undefined;
    });
  const addFolder = async (folder: string): Promise<string | undefined> => {
    const found = await listFolder(folder, DEPTH_MAX, problems);
    for (const file of found) await addFile(file);
    return found.length === 0 ? 'there are no trajectories in it (*.jsonl, *.jsonl.gz)' : undefined;
  };
  for (const given of paths) {
    if (given === '-') {
      problems.push({ location: given, message: NOT_STREAMS });
      continue;
    }
    await note(given, async () => {
      if ((await stat(given)).isDirectory()) return await addFolder(given);
      await addFile(given);
      return undefined;
    });
  }
  return { files, problems };
}

/** Why a file can't be read, for the user. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'there is no such file or folder';
  if (code === 'EACCES' || code === 'EPERM') return `it can't be read: no permission (${code})`;
  return `it can't be read (${code ?? (error as Error).message})`;
}

async function listFolder(
  folder: string,
  depth: number,
  problems: InputProblem[],
): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const found: string[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const inner = path.join(folder, entry.name);
    if (entry.isDirectory()) {
      if (depth === 0 || entry.name.startsWith('.')) continue;
      try {
        found.push(...(await listFolder(inner, depth - 1, problems)));
      } catch (error) {
        problems.push({ location: inner, message: reasonOf(error) });
      }
    } else if (NAME_PATTERN.test(entry.name)) {
      found.push(inner);
    }
  }
  return found;
}

/** By its name, or by its first bytes: a file may have been renamed. */
async function isCompressed(file: string): Promise<boolean> {
  const handle = await open(file, 'r');
  try {
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return (bytesRead === 2 && buffer.equals(GZIP_MAGIC)) || file.toLowerCase().endsWith('.gz');
  } finally {
    await handle.close();
  }
}
