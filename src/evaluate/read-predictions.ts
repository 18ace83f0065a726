import { readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { extractAnswer } from '../../env/final-answer.ts';
import { pythonStrip } from '../../env/spider/python-text.ts';
import { readTextFile } from '../tasks/read-text.ts';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import { EpisodeRecordSchema, type EpisodeRecord } from './episode-record.ts';

/** The answer of one line of the official format. */
export interface LineAnswer {
  readonly location: string;
  /** Empty: no answer. */
  readonly sql: string;
  /** What stands behind the first TAB: a database id in some files. The official scripts cut it off without looking at it. */
  readonly afterTab: string | undefined;
}

/** An answer that names its task. */
export interface NamedAnswer {
  readonly location: string;
  readonly taskId: string;
  /** undefined: there is none. */
  readonly answerSql: string | undefined;
}

/** What a file of predictions holds; lines that can't be read are problems. */
export type Predictions =
  | { readonly kind: 'lines'; readonly answers: readonly LineAnswer[] }
  | {
      readonly kind: 'named';
      readonly answers: readonly NamedAnswer[];
      readonly problems: readonly InputProblem[];
    }
  | {
      readonly kind: 'episodes';
      readonly episodes: readonly { readonly location: string; readonly record: EpisodeRecord }[];
      readonly problems: readonly InputProblem[];
    };

/**
 * Reads predictions: one SQL query a line (the official format), JSONL of `{"task_id", "sql"}` or `{"task_id", "completion"}`,
 * JSONL of recorded trajectories, or a folder of those. Throws {@link InputError}.
 */
export function readPredictions(place: string): Predictions {
  const files = filesOf(place);
  const contents = files.map((file) => ({ name: path.basename(file), text: textOf(file) }));
  const [first] = contents;
  if (first === undefined) throw new InputError(`${place}: there are no .jsonl files in it`);
  // No SQL query begins with a brace.
  const isJson = contents.length > 1 || /^\s*\{/.test(first.text);
  if (!isJson) return { kind: 'lines', answers: readLines(first.name, first.text) };
  return readJsonLines(contents);
}

function textOf(file: string): string {
  return readTextFile(file).replace(/^\uFEFF/, '');
}

function filesOf(place: string): string[] {
  if (statSync(place, { throwIfNoEntry: false })?.isDirectory() !== true) return [place];
  const names = readdirSync(place).filter((name) => name.endsWith('.jsonl'));
  return names.toSorted().map((name) => path.join(place, name));
}

/** As Python reads them: any line end, stripped, fields parted by TABs. Empty lines at the end don't count. */
function readLines(name: string, text: string): LineAnswer[] {
  const lines = text.split(/\r\n|\r|\n/).map(pythonStrip);
  while (lines.at(-1) === '') lines.pop();
  return lines.map((line, index) => {
    const [sql = '', afterTab] = line.split('\t');
    return { location: `${name}:${index + 1}`, sql, afterTab };
  });
}

const NamedLine = z.union([
  z.strictObject({ task_id: z.string().min(1), sql: z.string() }),
  z.strictObject({ task_id: z.string().min(1), completion: z.string() }),
]);

const NAMED_SHAPE = 'a line must be {"task_id", "sql"}, {"task_id", "completion"} or a trajectory';

function readJsonLines(
  contents: readonly { readonly name: string; readonly text: string }[],
): Predictions {
  const answers: NamedAnswer[] = [];
  const episodes: { location: string; record: EpisodeRecord }[] = [];
  const problems: InputProblem[] = [];
  for (const { name, text } of contents) {
    for (const [index, line] of text.split('\n').entries()) {
      if (line.trim() === '') continue;
      const location = `${name}:${index + 1}`;
      const read = readJsonLine(line);
      if (typeof read === 'string') problems.push({ location, message: read });
      else if ('steps' in read) episodes.push({ location, record: read });
      else answers.push({ location, ...read });
    }
  }
  if (episodes.length === 0) return { kind: 'named', answers, problems };
  const mixed = answers.map(({ location }) => ({
    location,
    message: 'it is no trajectory, and other lines are',
  }));
  return { kind: 'episodes', episodes, problems: [...problems, ...mixed] };
}

function readJsonLine(
  line: string,
): EpisodeRecord | Pick<NamedAnswer, 'taskId' | 'answerSql'> | string {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `not valid JSON: ${(error as Error).message}`;
  }
  if (typeof value === 'object' && value !== null && 'episode_id' in value) {
    const parsed = EpisodeRecordSchema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    return `not a trajectory: ${issue?.path.join('.')}: ${issue?.message}`;
  }
  const parsed = NamedLine.safeParse(value);
  if (!parsed.success) return NAMED_SHAPE;
  const { task_id: taskId } = parsed.data;
  const answerSql =
    'sql' in parsed.data
      ? pythonStrip(parsed.data.sql)
      : extractAnswer(parsed.data.completion, 'statement');
  return { taskId, answerSql: answerSql === '' ? undefined : answerSql };
}
