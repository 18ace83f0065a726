import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import { sha256 } from '../sqlite/hash.ts';
import { fileSha256 } from '../tasks/load-databases.ts';
import { InputError } from '../tasks/task-set.ts';

/** A file of the output, for the manifest. */
export interface OutputFile {
  readonly bytes: number;
  readonly sha256: string;
}

const MANIFEST = 'manifest.json';

const Earlier = z.object({ files: z.record(z.string(), z.unknown()) });

/**
 * The folder that data is written to. It must be new, empty, or the output of an earlier run, whose files go first; anything
 * else in it would be taken for part of the data.
 */
export class OutputFolder {
  readonly #folder: string;
  readonly #files = new Map<string, OutputFile>();

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Opens the folder. Throws {@link InputError} if it holds files of somebody else. */
  static async open(folder: string): Promise<OutputFolder> {
    await mkdir(folder, { recursive: true });
    const names = await readdir(folder);
    if (names.length > 0) {
      if (!names.includes(MANIFEST)) {
        throw new InputError(
          `--out ${folder}: it is not empty, and not the output of an earlier run`,
        );
      }
      await removeEarlier(folder);
    }
    return new OutputFolder(folder);
  }

  /** Writes a file; its name may hold folders. */
  async write(name: string, content: string | Uint8Array): Promise<void> {
    const file = await this.#place(name);
    await writeFile(file, content);
    await this.#note(name, file);
  }

  /** Copies a file. */
  async copy(name: string, from: string): Promise<void> {
    const file = await this.#place(name);
    await copyFile(from, file);
    await this.#note(name, file);
  }

  /** Ends the output: the manifest lists all files, by name. */
  async finish(facts: Readonly<Record<string, unknown>>): Promise<string> {
    const sorted = [...this.#files].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const manifest = { ...facts, files: Object.fromEntries(sorted) };
    const text = `${JSON.stringify(manifest, undefined, 2)}\n`;
    await writeFile(path.join(this.#folder, MANIFEST), text);
    return sha256(text);
  }

  async #place(name: string): Promise<string> {
    const file = path.join(this.#folder, name);
    await mkdir(path.dirname(file), { recursive: true });
    return file;
  }

  async #note(name: string, file: string): Promise<void> {
    const { size } = await stat(file);
    this.#files.set(name, { bytes: size, sha256: await fileSha256(file) });
  }
}

async function removeEarlier(folder: string): Promise<void> {
  const text = await readFile(path.join(folder, MANIFEST), 'utf8');
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    throw new InputError(`--out ${folder}: its manifest.json is not one of an earlier run`);
  }
  const parsed = Earlier.safeParse(manifest);
  if (!parsed.success) {
    throw new InputError(`--out ${folder}: its manifest.json is not one of an earlier run`);
  }
  for (const name of Object.keys(parsed.data.files)) {
    const file = path.resolve(folder, name);
    // A manifest is a file that anyone may have written: it must not reach beyond its folder.
    if (file.startsWith(path.resolve(folder) + path.sep)) await rm(file, { force: true });
  }
  await rm(path.join(folder, MANIFEST));
}
