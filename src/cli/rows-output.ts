import { ConfigError } from '../config.ts';
import { checkOutput } from './write-output.ts';

/** A file that the verdicts are written to, row by row. */
export interface RowsOutput {
  readonly file: string;
  readonly format: 'tsv' | 'jsonl';
}

/** The files that `--rows` names. Throws `ConfigError`, or `InputError` where one can't be written. */
export function rowsOutputs(files: readonly string[] = []): RowsOutput[] {
  return files.map((file) => {
    checkOutput(file);
    if (file.endsWith('.tsv')) return { file, format: 'tsv' };
    if (file.endsWith('.jsonl')) return { file, format: 'jsonl' };
    throw new ConfigError([
      `--rows: ${JSON.stringify(file)} is not allowed; it must end in .tsv or .jsonl`,
    ]);
  });
}
