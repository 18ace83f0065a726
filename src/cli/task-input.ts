import { existsSync } from 'node:fs';
import path from 'node:path';
import { ConfigError, type Config } from '../config.ts';
import { PACKAGE_ROOT } from '../package-root.ts';
import type { TaskInput } from '../tasks/load-tasks.ts';
import { InputError } from '../tasks/task-set.ts';

/** Which tasks the configuration asks for. Throws if it names none, or the demo has not been built. */
export function taskInputOf(config: Config): TaskInput {
  const { demo, spider, databases, tasks } = config;
  if (spider !== undefined) return { kind: 'spider', folder: spider };
  if (databases !== undefined && tasks !== undefined) {
    return { kind: 'files', databaseFolder: databases, taskFile: tasks };
  }
  if (demo) return demoInput();
  throw new ConfigError([
    'there is nothing to serve: give --demo, --spider DIR, or --databases DIR with --tasks FILE.jsonl',
  ]);
}

/** The demo that comes with the package. Throws if it has not been built. */
export function demoInput(): Extract<TaskInput, { kind: 'files' }> {
  const folder = path.join(PACKAGE_ROOT, 'databases');
  const databaseFolder = path.join(folder, 'build');
  if (!existsSync(databaseFolder)) {
    throw new InputError(
      "the demo databases have not been built; run 'npm start', or 'node dist/databases/build.js'",
    );
  }
  const taskFile = path.join(folder, 'tasks.jsonl');
  return { kind: 'files', databaseFolder, taskFile, title: 'the demo' };
}
