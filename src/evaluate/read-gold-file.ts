import path from 'node:path';
import { pythonStrip } from '../../env/spider/python-text.ts';
import { databaseIdProblem } from '../tasks/database-path.ts';
import { readTextFile } from '../tasks/read-text.ts';
import { InputError, type InputProblem, type LocatedTask } from '../tasks/task-set.ts';

/** Reads golds in the official format, `SQL<TAB>db_id` a line. Throws {@link InputError}. */
export function readGoldFile(file: string): LocatedTask[] {
  const name = path.basename(file);
  const lines = readTextFile(file)
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .map(pythonStrip);
  while (lines.at(-1) === '') lines.pop();
  const problems: InputProblem[] = [];
  const tasks = lines.flatMap((line, index): LocatedTask[] => {
    const location = `${name}:${index + 1}`;
    const [goldSql = '', databaseId = '', ...rest] = line.split('\t');
    if (goldSql === '' || databaseId === '' || rest.length > 0) {
      problems.push({ location, message: 'it must be a query, one TAB and a database id' });
      return [];
    }
    const problem = databaseIdProblem(databaseId);
    if (problem !== undefined) problems.push({ location, message: problem });
    const taskId = `${path.parse(name).name}/${index}`;
    const task = { taskId, databaseId, question: '', goldSql, split: '', difficulty: '' };
    return [{ task, location }];
  });
  if (problems.length > 0) throw new InputError('the golds can not be used', problems);
  if (tasks.length === 0) throw new InputError(`${file}: there are no golds in it`);
  return tasks;
}
