import type { Trajectory } from '../../../../env/trajectory.ts';
import type { DiffLine } from '../text/diff-lines.ts';
import type { State, Updated } from './state.ts';
import { isRunning, pushPager, say, startTask } from './views.ts';

/** Shows the schema of an episode's database, read from the database if it can be. */
export function openSchema(state: State, trajectory: Trajectory): Updated {
  const problem = state.facts.replayerProblem;
  if (problem !== undefined) return [recordedSchema(state, trajectory, problem), []];
  if (isRunning(state, 'schema')) return [state, []];
  return startTask(state, { kind: 'schema', trajectory }, 'reading the schema');
}

/** The schema as the recorded prompt tells it, where the database can't be read. */
export function recordedSchema(state: State, trajectory: Trajectory, problem: string): State {
  const told = trajectory.messages.filter(({ role }) => role === 'system');
  const messages = told.length === 0 ? trajectory.messages : told;
  const lines = messages.flatMap(({ content }) =>
    content.split('\n').map((text): DiffLine => [{ text, style: 'plain' }]),
  );
  const paged = pushPager(state, {
    title: `schema of ${trajectory.database_id}, as the prompt told it`,
    note: '',
    lines,
  });
  return say(paged, 'warn', problem);
}
