import { accessSync, constants, writeFileSync } from 'node:fs';
import path from 'node:path';
import { InputError } from '../tasks/task-set.ts';

/** Makes sure, before long work, that a file can be written at its end. Throws {@link InputError}. */
export function checkOutput(file: string): void {
  try {
    accessSync(path.dirname(path.resolve(file)), constants.W_OK);
  } catch (error) {
    throw notWritten(file, error);
  }
}

/** Writes a file that the user asked for. Throws {@link InputError}. */
export function writeOutput(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw notWritten(file, error);
  }
}

function notWritten(file: string, error: unknown): InputError {
  const { code } = error as NodeJS.ErrnoException;
  return new InputError(`${file}: it can't be written (${code ?? 'unknown error'})`);
}
