import { open, type FileHandle } from 'node:fs/promises';
import type { Spool } from './spool.ts';

/** A file that records are read from. */
export interface RecordSource {
  /** The file as the user named it. */
  readonly path: string;
  /** Set if the file is compressed: its text is there. */
  readonly spool?: Spool;
}

/** Where one record is. */
export interface RecordPlace {
  readonly source: RecordSource;
  readonly offset: number;
  readonly size: number;
  readonly lineNumber: number;
}

const CAPACITY = 1_024;

/** The places of all records, by index. In typed arrays: as objects they would take as much memory as the summaries. */
export class RecordPlaces {
  readonly #sources: RecordSource[] = [];
  #offsets = new Float64Array(CAPACITY);
  #sizes = new Uint32Array(CAPACITY);
  #lineNumbers = new Uint32Array(CAPACITY);
  #sourceIndices = new Uint32Array(CAPACITY);
  #count = 0;

  /** Adds the place of the next record. */
  add({ source, offset, size, lineNumber }: RecordPlace): void {
    const index = this.#count;
    if (index === this.#offsets.length) this.#grow(index * 2);
    if (this.#sources.at(-1) !== source) this.#sources.push(source);
    this.#offsets[index] = offset;
    this.#sizes[index] = size;
    this.#lineNumbers[index] = lineNumber;
    this.#sourceIndices[index] = this.#sources.length - 1;
    this.#count += 1;
  }

  /** The place of a record; undefined if there are fewer. */
  at(index: number): RecordPlace | undefined {
    const source =
      index < this.#count ? this.#sources[this.#sourceIndices[index] ?? -1] : undefined;
    if (source === undefined) return undefined;
    return {
      source,
      offset: this.#offsets[index] ?? 0,
      size: this.#sizes[index] ?? 0,
      lineNumber: this.#lineNumbers[index] ?? 0,
    };
  }

  #grow(capacity: number): void {
    const grown = <T extends Float64Array | Uint32Array>(from: T, to: T): T => {
      to.set(from);
      return to;
    };
    this.#offsets = grown(this.#offsets, new Float64Array(capacity));
    this.#sizes = grown(this.#sizes, new Uint32Array(capacity));
    this.#lineNumbers = grown(this.#lineNumbers, new Uint32Array(capacity));
    this.#sourceIndices = grown(this.#sourceIndices, new Uint32Array(capacity));
  }
}

/** Runs work with a source opened for reading. Rejects with what the file system or the work says. */
export async function withSource<T>(
  source: RecordSource,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  if (source.spool !== undefined) return await work(source.spool.handle);
  const handle = await open(source.path, 'r');
  try {
    return await work(handle);
  } finally {
    await handle.close();
  }
}

/** Fills a buffer from a place of a file; gives the bytes that were there, fewer only at the file's end. */
export async function readFully(
  handle: FileHandle,
  buffer: Buffer,
  offset: number,
): Promise<Buffer> {
  let size = 0;
  while (size < buffer.length) {
    const { bytesRead } = await handle.read(buffer, size, buffer.length - size, offset + size);
    if (bytesRead === 0) break;
    size += bytesRead;
  }
  return buffer.subarray(0, size);
}
