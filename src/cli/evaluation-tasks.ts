import path from 'node:path';
import type { Task } from '../../env/task.ts';
import type { SpiderKeys } from '../../env/spider/foreign-keys.ts';
import { ConfigError } from '../config.ts';
import { readGoldFile } from '../evaluate/read-gold-file.ts';
import { findTablesFile } from '../evaluate/spider-schemas.ts';
import { loadTasks } from '../tasks/load-tasks.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import { demoInput } from './task-input.ts';

/** The flags that say which golds answers are held against. */
export interface EvaluationTaskFlags {
  readonly demo?: boolean;
  readonly spider?: string;
  readonly split?: string;
  readonly tasks?: string;
  readonly databases?: string;
  readonly gold?: string;
  readonly tables?: string;
}

/** The tasks of an evaluation. */
export interface EvaluationTasks {
  readonly tasks: readonly Task[];
  readonly databaseFolder: string;
  /** By database; empty where nobody knows them. */
  readonly foreignKeys: ReadonlyMap<string, SpiderKeys>;
  /** Lines that are no tasks. */
  readonly problems: readonly InputProblem[];
}

/** Spider's models are compared on this one. */
const SPIDER_SPLIT = 'dev';

/** Reads the tasks that the flags name. Throws `ConfigError` or `InputError`. */
export function evaluationTasks(flags: EvaluationTaskFlags): EvaluationTasks {
  const foreignKeys = findTablesFile(flags.tables, flags.spider);
  const { spider, databases, tasks, gold, split } = flags;
  const release = spider === undefined ? undefined : path.join(spider, 'database');
  if (gold !== undefined) {
    const databaseFolder = databases ?? release;
    if (databaseFolder === undefined) throw misuse('--gold: give --databases DIR or --spider DIR');
    const located = readGoldFile(gold);
    return { tasks: located.map(({ task }) => task), databaseFolder, foreignKeys, problems: [] };
  }
  if (tasks !== undefined) {
    const databaseFolder = databases ?? release;
    if (databaseFolder === undefined) throw misuse('--tasks: give --databases DIR');
    return read({ kind: 'files', databaseFolder, taskFile: tasks }, split, foreignKeys);
  }
  if (spider !== undefined) {
    const found = read({ kind: 'spider', folder: spider }, split ?? SPIDER_SPLIT, foreignKeys);
    return { ...found, databaseFolder: databases ?? found.databaseFolder };
  }
  if (flags.demo === true) return read(demoInput(), split, foreignKeys);
  throw misuse(
    'there is nothing to evaluate against: give --spider DIR, --tasks FILE.jsonl or --gold FILE with --databases DIR, or --demo',
  );
}

function read(
  input: Parameters<typeof loadTasks>[0],
  split: string | undefined,
  foreignKeys: EvaluationTasks['foreignKeys'],
): EvaluationTasks {
  const { tasks, databaseFolder, problems } = loadTasks(input, split);
  return { tasks: tasks.map(({ task }) => task), databaseFolder, foreignKeys, problems };
}

function misuse(message: string): ConfigError {
  return new ConfigError([message]);
}
