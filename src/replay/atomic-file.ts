import { open, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { InputError } from '../tasks/task-set.ts';

/** A file that is there whole or not at all: it is written beside its place and moved there at the end. */
export interface AtomicFile {
  write(text: string): Promise<void>;
  /** Moves it to its place and gives its size in bytes. */
  commit(): Promise<number>;
  /** Removes what was written; idempotent, and nothing after `commit`. */
  discard(): Promise<void>;
}

/** Begins a file. It and its methods reject with {@link InputError} if the file can't be written. */
export async function openAtomicFile(file: string): Promise<AtomicFile> {
  const target = path.resolve(file);
  const place = await stat(target).catch(() => undefined);
  if (place !== undefined && !place.isFile()) throw notWritten(file, 'it is no file');
  const temporary = `${target}.${process.pid}.partial`;
  const handle = await orInputError(file, open(temporary, 'w'));
  let [byteCount, finished] = [0, false];
  return {
    write: async (text) => {
      const bytes = Buffer.from(text);
      await orInputError(file, writeAll(handle, bytes));
      byteCount += bytes.length;
    },
    commit: async () => {
      await orInputError(file, handle.close());
      await orInputError(file, rename(temporary, target));
      finished = true;
      return byteCount;
    },
    discard: async () => {
      if (finished) return;
      finished = true;
      await handle.close().catch(() => undefined);
      await rm(temporary, { force: true });
    },
  };
}

/** One write may take only a part of the bytes. */
async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at);
    at += bytesWritten;
  }
}

async function orInputError<Value>(file: string, work: Promise<Value>): Promise<Value> {
  try {
    return await work;
  } catch (error) {
    throw notWritten(file, (error as NodeJS.ErrnoException).code ?? 'unknown error');
  }
}

function notWritten(file: string, reason: string): InputError {
  return new InputError(`${file}: it can't be written (${reason})`);
}
