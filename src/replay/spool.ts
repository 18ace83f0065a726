import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/**
 * A temporary file that decompressed records are kept in, so that one of them can be read by its place. Its name is removed
 * as soon as it is open: however this process ends, the system takes the space back.
 */
export class Spool {
  readonly handle: FileHandle;
  readonly #descriptor: number;
  #size = 0;
  #closed = false;

  private constructor(handle: FileHandle, descriptor: number) {
    this.handle = handle;
    this.#descriptor = descriptor;
  }

  /** Makes the file in the system's folder for temporary files. Rejects with what the file system says. */
  static async create(): Promise<Spool> {
    const folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-replay-'));
    try {
      const file = path.join(folder, 'records.jsonl');
      const descriptor = openSync(file, 'wx', 0o600);
      try {
        return new Spool(await open(file, 'r'), descriptor);
      } catch (error) {
        closeSync(descriptor);
        throw error;
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }

  /** Bytes written so far: the place of the next. */
  get size(): number {
    return this.#size;
  }

  /** Appends bytes at once: a stream that fails must not take along what it has given by then. Throws what the file system throws. */
  append(bytes: Buffer): void {
    let written = 0;
    while (written < bytes.length) {
      const count = writeSync(this.#descriptor, bytes, written);
      written += count;
      this.#size += count;
    }
  }

  /** Gives the space back; idempotent. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    closeSync(this.#descriptor);
    await this.handle.close();
  }
}
