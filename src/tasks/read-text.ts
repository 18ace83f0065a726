import { readFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from './task-set.ts';

/** Reads a text file of the user's. Throws {@link InputError}. */
export function readTextFile(file: string): string {
  const text = decode(readBytes(file));
  if (text === undefined) throw new InputError(`${path.basename(file)}: it is not valid UTF-8`);
  return text;
}

/** Reads a file line by line; a line that is not valid UTF-8 is undefined. Throws {@link InputError}. */
export function readLines(file: string): (string | undefined)[] {
  const bytes = readBytes(file);
  const whole = decode(bytes);
  if (whole !== undefined) return whole.split('\n');
  const lines: (string | undefined)[] = [];
  for (let start = 0; start <= bytes.length;) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline === -1 ? bytes.length : newline;
    lines.push(decode(bytes.subarray(start, end)));
    start = end + 1;
  }
  return lines;
}

function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const problem =
      code === 'ENOENT' ? 'there is no such file' : `it can't be read (${code ?? 'unknown error'})`;
    throw new InputError(`${file}: ${problem}`);
  }
}

function decode(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
