import { existsSync } from 'node:fs';
import path from 'node:path';
import { FIELD_LIMITS } from '../../env/limits.ts';
import { utf8Size } from '../../env/utf8.ts';
import { databaseIdProblem } from './database-path.ts';
import { readTextFile } from './read-text.ts';
import { InputError, type InputProblem, type LocatedTask } from './task-set.ts';
import type { TasksRead } from './task-lines.ts';

/** The files of a Spider release that hold questions, by split. */
const SPLIT_FILES = [
  ['train', 'train_spider.json'],
  ['dev', 'dev.json'],
] as const;

/** Reads the tasks of a Spider release; without a split, those of all its splits. Throws {@link InputError}. */
export function readSpiderTasks(folder: string, split: string | undefined): TasksRead {
  const known = SPLIT_FILES.map(([name]) => name);
  if (split !== undefined && !known.some((name) => name === split)) {
    const names = known.join(', ');
    throw new InputError(`--split ${split}: a Spider release has the splits ${names}`);
  }
  const wanted = SPLIT_FILES.filter(([name]) => split === undefined || name === split);
  const present = wanted.filter(([, file]) => existsSync(path.join(folder, file)));
  if (present.length === 0) {
    const names = wanted.map(([, file]) => file).join(' nor ');
    throw new InputError(`${folder}: there is no ${names}: is it a Spider release?`);
  }
  const read = present.map(([name, file]) => readSplit(path.join(folder, file), name));
  return {
    tasks: read.flatMap((part) => part.tasks),
    problems: read.flatMap((part) => part.problems),
  };
}

function readSplit(file: string, split: string): TasksRead {
  const name = path.basename(file);
  const content = readTextFile(file);
  let rows: unknown;
  try {
    rows = JSON.parse(content);
  } catch (error) {
    throw new InputError(`${name}: not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(rows)) throw new InputError(`${name}: it must hold a JSON array of rows`);
  const lines = elementLines(content);
  const tasks: LocatedTask[] = [];
  const problems: InputProblem[] = [];
  for (const [index, row] of (rows as unknown[]).entries()) {
    const location = `${name}:${lines[index] ?? 1}`;
    const taskId = `spider/${split}/${index}`;
    const parsed = parseRow(row);
    if (typeof parsed === 'string') {
      problems.push({ location, message: `${taskId}: ${parsed}` });
    } else {
      tasks.push({ task: { taskId, ...parsed, split, difficulty: '' }, location });
    }
  }
  return { tasks, problems };
}

interface Row {
  readonly databaseId: string;
  readonly question: string;
  readonly goldSql: string;
}

/** The row's task, or what is wrong with it. Keys that Spider has besides these don't matter. */
function parseRow(row: unknown): Row | string {
  if (typeof row !== 'object' || row === null) return 'the row must be a JSON object';
  const { idBytesMax, questionBytesMax, sqlBytesMax } = FIELD_LIMITS;
  const fields = row as Readonly<Record<string, unknown>>;
  for (const [key, bytesMax] of [
    ['db_id', idBytesMax],
    ['question', questionBytesMax],
    ['query', sqlBytesMax],
  ] as const) {
    const value = fields[key];
    if (value === undefined) return `${key}: it is missing`;
    if (typeof value !== 'string' || value === '') return `${key}: it must be a text, not empty`;
    if (utf8Size(value) > bytesMax) return `${key}: it is longer than ${bytesMax} bytes`;
  }
  const databaseId = fields['db_id'] as string;
  const problem = databaseIdProblem(databaseId);
  if (problem !== undefined) return `db_id: ${problem}`;
  return {
    databaseId,
    question: fields['question'] as string,
    goldSql: fields['query'] as string,
  };
}

/** The line on which each element of a JSON array starts, from 1. The text is known to be valid, and its elements objects. */
function elementLines(text: string): number[] {
  const lines: number[] = [];
  let line = 1;
  let depth = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\n') line += 1;
    else if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === '[' || character === '{') {
      if (depth === 1) lines.push(line);
      depth += 1;
    } else if (character === ']' || character === '}') depth -= 1;
  }
  return lines;
}
