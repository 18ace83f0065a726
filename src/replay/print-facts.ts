import type {
  Trajectory,
  TrajectoryGrade,
  TrajectoryQuery,
  TrajectoryStep,
} from '../../env/trajectory.ts';
import { counted, durationText } from './terminal/text/format.ts';

/** What an episode is, a few facts a line. */
export function factsOf(trajectory: Trajectory): string[] {
  const { task_id: task, database_id: database, split, difficulty, labels, parent } = trajectory;
  const { engine, limits, observation, score } = trajectory;
  const shown = Object.entries(labels).map(([key, value]) => `${key}=${value}`);
  const size = observation.text_size_max;
  return [
    joined([
      `task ${task}`,
      `database ${database}`,
      split === '' ? '' : `split ${split}`,
      difficulty === '' ? '' : `difficulty ${difficulty}`,
      `mode ${trajectory.mode}`,
    ]),
    joined([
      trajectory.group_id === '' ? '' : `group ${trajectory.group_id}`,
      ...(shown.length === 0 ? [] : [`labels ${shown.join(', ')}`]),
      parent === undefined ? '' : `fork of ${parent.episode_id} from step ${parent.step_index}`,
    ]),
    joined([
      `${score.comparison_mode}, guard ${score.guard}`,
      size === 0 ? 'observations whole' : `observations of ${size} characters`,
      `${limits.step_count_max} steps`,
      `${limits.query_cpu_ms_max} ms of CPU a query`,
    ]),
    joined([
      trajectory.started_at,
      `took ${durationText(Date.parse(trajectory.ended_at) - Date.parse(trajectory.started_at))}`,
      `sqlenv ${trajectory.server_version}`,
      `SQLite ${engine.sqlite_version}`,
    ]),
  ].filter((line) => line !== '');
}

/** How it ended, and what it earned. */
export function wordsOf(trajectory: Trajectory): string {
  const { end, termination_reason: terminated, truncation_reason: truncated } = trajectory;
  const reason = terminated || truncated;
  const why = reason === '' ? '' : ` (${reason.replaceAll('_', ' ')})`;
  return `${end}${why}, return ${trajectory.return}`;
}

/** The verdict and what goes with it. */
export function gradeFacts(grade: TrajectoryGrade): string[] {
  const { verdict, reward, comparison_mode: mode, flags, error_text: error } = grade;
  return [
    joined([
      `${verdict}, reward ${reward} by ${mode}`,
      flags.length === 0 ? '' : `flags ${flags.join(', ')}`,
      error,
    ]),
  ];
}

/** How long a step took, and its tokens. */
export function stepFacts(step: TrajectoryStep): string {
  return joined([
    `${durationText(step.step_ms)} at ${durationText(step.started_ms)}`,
    step.completion_token_count === 0 ? '' : `${step.completion_token_count} tokens`,
    step.reward === 0 ? '' : `reward ${step.reward}`,
  ]);
}

/** How a query ran. */
export function queryFacts(query: TrajectoryQuery): string {
  const { status, row_count: rows, query_cpu_us: cpuUs, queue_us: queueUs } = query;
  return joined([
    query.time_limit === 'none' ? status : `${status} (${query.time_limit})`,
    counted(rows, 'row'),
    query.capped ? 'capped' : '',
    query.text_truncated ? `shortened from ${query.text_size} characters` : '',
    `${durationText(cpuUs / 1_000)} of CPU`,
    queueUs >= 1_000 ? `waited ${durationText(queueUs / 1_000)}` : '',
  ]);
}

function joined(facts: readonly string[]): string {
  return facts.filter((fact) => fact !== '').join(' · ');
}
