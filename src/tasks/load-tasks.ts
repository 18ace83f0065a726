import path from 'node:path';
import { readSpiderTasks } from './spider-files.ts';
import { readTaskLines, type TasksRead } from './task-lines.ts';
import { InputError, type InputProblem, type LocatedTask, type TaskSet } from './task-set.ts';

/** Where tasks come from: exactly one of these. */
export type TaskInput =
  | { readonly kind: 'spider'; readonly folder: string }
  | {
      readonly kind: 'files';
      readonly databaseFolder: string;
      readonly taskFile: string;
      /** What is served, in a few words; by default the name of the file. */
      readonly title?: string;
    };

/** Reads tasks, of one split or all. Broken lines and duplicates are problems; throws {@link InputError} if nothing is left. */
export function loadTasks(input: TaskInput, split: string | undefined): TaskSet {
  const read = readInput(input, split);
  const { tasks, problems } = withoutDuplicates(read);
  const chosen = split === undefined ? tasks : tasks.filter(({ task }) => task.split === split);
  if (chosen.length === 0) throw nothingLeft(tasks, split, problems);
  return { title: titleOf(input), databaseFolder: folderOf(input), tasks: chosen, problems };
}

function readInput(input: TaskInput, split: string | undefined): TasksRead {
  return input.kind === 'spider'
    ? readSpiderTasks(input.folder, split)
    : readTaskLines(input.taskFile);
}

function titleOf(input: TaskInput): string {
  if (input.kind === 'spider') return 'Spider';
  return input.title ?? path.basename(input.taskFile);
}

function folderOf(input: TaskInput): string {
  return input.kind === 'spider' ? path.join(input.folder, 'database') : input.databaseFolder;
}

/** The first of two tasks with the same id stays: the later one is the mistake. */
function withoutDuplicates(read: TasksRead): TasksRead {
  const firsts = new Map<string, LocatedTask>();
  const problems: InputProblem[] = [...read.problems];
  for (const located of read.tasks) {
    const { taskId } = located.task;
    const first = firsts.get(taskId);
    if (first === undefined) firsts.set(taskId, located);
    else {
      const message = `task_id: ${JSON.stringify(taskId)} is there already, at ${first.location}`;
      problems.push({ location: located.location, message });
    }
  }
  return { tasks: [...firsts.values()], problems };
}

function nothingLeft(
  tasks: readonly LocatedTask[],
  split: string | undefined,
  problems: readonly InputProblem[],
): InputError {
  if (tasks.length === 0) return new InputError('there are no tasks to serve', problems);
  const splits = [...new Set(tasks.map(({ task }) => task.split))].map((name) => name || '(none)');
  return new InputError(`no task has the split ${split}; there are ${splits.join(', ')}`, problems);
}
