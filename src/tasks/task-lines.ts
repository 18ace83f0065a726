import path from 'node:path';
import { z } from 'zod';
import { FIELD_LIMITS } from '../../env/limits.ts';
import { utf8Size } from '../../env/utf8.ts';
import { suggest } from '../suggest.ts';
import { databaseIdProblem } from './database-path.ts';
import { readLines } from './read-text.ts';
import type { InputProblem, LocatedTask } from './task-set.ts';

const { idBytesMax, questionBytesMax, sqlBytesMax } = FIELD_LIMITS;

function text(bytesMax: number): z.ZodString {
  return z
    .string()
    .min(1, 'it is empty')
    .refine((value) => utf8Size(value) <= bytesMax, `it is longer than ${bytesMax} bytes`);
}

/** One line of a task file. */
const TaskLine = z.strictObject({
  task_id: text(idBytesMax),
  database_id: text(idBytesMax).superRefine((value, context) => {
    const problem = databaseIdProblem(value);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
  }),
  question: text(questionBytesMax),
  gold_sql: text(sqlBytesMax),
  split: z.string().max(idBytesMax).default(''),
  difficulty: z
    .enum(['', 'easy', 'medium', 'hard', 'extra'], {
      error: 'it must be one of easy, medium, hard, extra',
    })
    .default(''),
});

const KEYS = Object.keys(TaskLine.shape);

/** What a file of tasks holds. */
export interface TasksRead {
  readonly tasks: readonly LocatedTask[];
  readonly problems: readonly InputProblem[];
}

/** Reads a JSONL file of tasks. Each bad line is a problem with its number; the rest are tasks. */
export function readTaskLines(file: string): TasksRead {
  const name = path.basename(file);
  const tasks: LocatedTask[] = [];
  const problems: InputProblem[] = [];
  for (const [index, line] of readLines(file).entries()) {
    const location = `${name}:${index + 1}`;
    if (line === undefined) {
      problems.push({ location, message: 'it is not valid UTF-8' });
      continue;
    }
    if (line.trim() === '') continue;
    const parsed = parseLine(line);
    if ('messages' in parsed) {
      problems.push(...parsed.messages.map((message) => ({ location, message })));
    } else {
      tasks.push({ task: parsed.task, location });
    }
  }
  return { tasks, problems };
}

function parseLine(
  line: string,
): { readonly task: LocatedTask['task'] } | { readonly messages: readonly string[] } {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return { messages: [`not valid JSON: ${(error as Error).message}`] };
  }
  const parsed = TaskLine.safeParse(value);
  if (!parsed.success) return { messages: parsed.error.issues.flatMap(describeIssue) };
  const { task_id, database_id, question, gold_sql, split, difficulty } = parsed.data;
  const task = {
    taskId: task_id,
    databaseId: database_id,
    question,
    goldSql: gold_sql,
    split,
    difficulty,
  };
  return { task };
}

function describeIssue(issue: z.core.$ZodIssue): string[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => `${JSON.stringify(key)}: no such key${suggest(key, KEYS)}`);
  }
  const key = issue.path.join('.');
  if (key === '') return ['it must be a JSON object'];
  if (issue.code === 'invalid_type') {
    // zod leaves out what it got; a key that is not there is the mistake that matters.
    const missing = /received undefined/.test(issue.message);
    return [`${key}: ${missing ? 'it is missing' : 'it must be a text'}`];
  }
  return [`${key}: ${issue.message}`];
}
