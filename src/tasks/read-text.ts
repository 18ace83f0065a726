import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from './task-set.ts';

/** Reads a text file of the user's. Throws {@link InputError}. */
export function readTextFile(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT' ? 'there is no such file' : `it can't be read (${code ?? 'unknown error'})`;
    throw new InputError(`${file}: ${problem}`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InputError(`${path.basename(file)}: it is not valid UTF-8`);
  }
}
