import type { Task } from '../../env/task.ts';

/** A task, and where it was read from: `tasks.jsonl:12`. */
export interface LocatedTask {
  readonly task: Task;
  readonly location: string;
}

/** Something that is wrong with the input; its text is for the user. */
export interface InputProblem {
  /** File and line, or the database. */
  readonly location: string;
  readonly message: string;
}

/** Tasks as they were read, and where their databases should be. */
export interface TaskSet {
  /** What is served, in a few words. */
  readonly title: string;
  readonly tasks: readonly LocatedTask[];
  /** Folder that holds the databases. */
  readonly databaseFolder: string;
  /** Lines that are no tasks. */
  readonly problems: readonly InputProblem[];
}

/** The input can't be served at all; its message is for the user. */
export class InputError extends Error {
  readonly problems: readonly InputProblem[];

  constructor(message: string, problems: readonly InputProblem[] = []) {
    super(message);
    this.name = 'InputError';
    this.problems = problems;
  }
}
