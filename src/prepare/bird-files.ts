import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { FIELD_LIMITS } from '../../env/limits.ts';
import { utf8Size } from '../../env/utf8.ts';
import { databaseIdProblem } from '../tasks/database-path.ts';
import { readTextFile } from '../tasks/read-text.ts';
import { InputError, type InputProblem, type LocatedTask } from '../tasks/task-set.ts';

/** One split of a BIRD release. */
export interface BirdSplit {
  readonly tasks: readonly LocatedTask[];
  readonly problems: readonly InputProblem[];
  readonly databaseFolder: string;
}

/** Where releases keep their files: at the top, or in a folder a split. */
const SPLITS = [
  { split: 'train', file: 'train.json', databases: 'train_databases', folders: ['.', 'train'] },
  { split: 'dev', file: 'dev.json', databases: 'dev_databases', folders: ['.', 'dev'] },
] as const;

const Row = z.object({
  question_id: z.union([z.string(), z.int()]).optional(),
  db_id: z.string().min(1),
  question: z.string().min(1),
  evidence: z.string().optional(),
  SQL: z.string().min(1),
});

/**
 * Reads a BIRD release: `train.json` and `dev.json` with their folders of databases. A row's evidence stands below its
 * question, as BIRD's own prompts have it. Throws {@link InputError}.
 */
export function readBird(folder: string, withEvidence: boolean): BirdSplit[] {
  const found = SPLITS.flatMap(({ split, file, databases, folders }) => {
    const place = folders
      .map((name) => path.join(folder, name))
      .find((each) => existsSync(path.join(each, file)));
    return place === undefined ? [] : [{ split, place, file, databases }];
  });
  if (found.length === 0) {
    throw new InputError(`${folder}: there is no train.json nor dev.json: is it a BIRD release?`);
  }
  return found.map(({ split, place, file, databases }) => ({
    ...readSplit(path.join(place, file), split, withEvidence),
    databaseFolder: path.join(place, databases),
  }));
}

function readSplit(file: string, split: string, withEvidence: boolean) {
  const name = path.basename(file);
  let rows: unknown;
  try {
    rows = JSON.parse(readTextFile(file));
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name}: not valid JSON: ${(error as Error).message}`);
  }
  if (!Array.isArray(rows)) throw new InputError(`${name}: it must hold a JSON array of rows`);
  const tasks: LocatedTask[] = [];
  const problems: InputProblem[] = [];
  for (const [index, row] of (rows as unknown[]).entries()) {
    const location = `${name}: row ${index}`;
    const parsed = Row.safeParse(row);
    const problem = parsed.success ? problemOf(parsed.data) : firstIssue(parsed.error);
    if (!parsed.success || problem !== undefined) {
      problems.push({ location, message: problem ?? 'it is no row of BIRD' });
      continue;
    }
    const { question_id: id, db_id: databaseId, question, evidence, SQL: goldSql } = parsed.data;
    const hint = withEvidence && evidence !== undefined && evidence.trim() !== '';
    const task = {
      taskId: `bird/${split}/${id ?? index}`,
      databaseId,
      question: hint ? `${question}\n${evidence.trim()}` : question,
      goldSql,
      split,
      difficulty: '',
    };
    tasks.push({ task, location });
  }
  return { tasks, problems };
}

function problemOf(row: z.infer<typeof Row>): string | undefined {
  if (utf8Size(row.SQL) > FIELD_LIMITS.sqlBytesMax) return 'SQL: it is too long';
  if (utf8Size(row.question) > FIELD_LIMITS.questionBytesMax / 2) return 'question: it is too long';
  return databaseIdProblem(row.db_id);
}

function firstIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
