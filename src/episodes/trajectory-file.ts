import { mkdir, open, readdir, type FileHandle } from 'node:fs/promises';
import path from 'node:path';

const NAME_PATTERN = /^trajectories-(\d{6,})\.jsonl$/;
const NEWLINE = 0x0a;

/** What was found when a file was opened for appending. */
export interface OpenedFile {
  readonly name: string;
  /** Its last line has no end: whoever wrote it was killed, or its disk was full. */
  readonly torn: boolean;
}

/** A write that failed, and how much of it still reached the file. */
export class AppendError extends Error {
  /** Bytes of the text that were written before it failed. */
  readonly writtenBytes: number;

  constructor(writtenBytes: number, cause: unknown) {
    super('the trajectories could not be appended', { cause });
    this.name = 'AppendError';
    this.writtenBytes = writtenBytes;
  }
}

/**
 * The numbered files `trajectories-000001.jsonl`, ... of one folder, of which the last is appended to. Lines are written
 * whole, in one call and in append mode, so that even two servers that share a folder by mistake don't mix theirs.
 */
export class TrajectoryFiles {
  readonly folder: string;
  readonly #fileBytesMax: number;
  #number = 1;
  #handle: FileHandle | undefined;
  #size = 0;

  private constructor(folder: string, fileBytesMax: number) {
    this.folder = folder;
    this.#fileBytesMax = fileBytesMax;
  }

  /** Makes the folder where it is missing, and finds its last file. */
  static async find(folder: string, fileBytesMax: number): Promise<TrajectoryFiles> {
    await mkdir(folder, { recursive: true });
    const files = new TrajectoryFiles(folder, fileBytesMax);
    for (const name of await readdir(folder)) {
      const number = Number(NAME_PATTERN.exec(name)?.[1] ?? 0);
      if (number > files.#number) files.#number = number;
    }
    return files;
  }

  /** Opens the last file, or a new one if that is full. A torn last line gets its end here, so that it stays one line. */
  async open(): Promise<OpenedFile> {
    await this.close();
    const name = `trajectories-${String(this.#number).padStart(6, '0')}.jsonl`;
    const handle = await open(path.join(this.folder, name), 'a+');
    try {
      const status = await handle.stat();
      this.#size = status.isFile() ? status.size : 0;
      const torn = this.#size > 0 && (await lastByte(handle, this.#size)) !== NEWLINE;
      if (torn) {
        await handle.appendFile('\n');
        this.#size += 1;
      }
      this.#handle = handle;
      return { name, torn };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** True between a successful `open` and `close`. */
  get isOpen(): boolean {
    return this.#handle !== undefined;
  }

  /** True if nothing has been written to the file. */
  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** True if the file may take so many bytes more. */
  hasRoomFor(bytes: number): boolean {
    return this.#size + bytes <= this.#fileBytesMax;
  }

  /** Ends the current file, on the disk, and begins the next. */
  async rotate(): Promise<OpenedFile> {
    await this.sync();
    this.#number += 1;
    return await this.open();
  }

  /** Appends whole lines. Throws {@link AppendError}. */
  async append(lines: Buffer): Promise<void> {
    let written = 0;
    try {
      if (this.#handle === undefined) throw new Error('no trajectory file is open');
      while (written < lines.length) {
        const { bytesWritten } = await this.#handle.write(lines, written);
        written += bytesWritten;
        this.#size += bytesWritten;
      }
    } catch (error) {
      throw new AppendError(written, error);
    }
  }

  /** Makes sure that what was written survives a power cut. */
  async sync(): Promise<void> {
    await this.#handle?.sync();
  }

  /** Closes the file, if one is open. */
  async close(): Promise<void> {
    const handle = this.#handle;
    this.#handle = undefined;
    await handle?.close();
  }
}

async function lastByte(handle: FileHandle, size: number): Promise<number | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(1), 0, 1, size - 1);
  return bytesRead === 1 ? buffer[0] : undefined;
}
