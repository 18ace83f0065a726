import type { Task } from '../../env/task.ts';
import { sha256 } from '../sqlite/hash.ts';
import { InputError, type InputProblem } from '../tasks/task-set.ts';
import { ATTEMPT_LABEL, type EpisodeRecord } from './episode-record.ts';
import type { LineAnswer, NamedAnswer, Predictions } from './read-predictions.ts';
import type { AnswerRow } from './row.ts';

/** Rows to be scored, and what of the input has become none. */
export interface AnswerRows {
  readonly rows: readonly AnswerRow[];
  readonly problems: readonly InputProblem[];
  /** What a reader of the score should know, though it is as the official scripts do. */
  readonly notes: readonly InputProblem[];
  /** Tasks that the predictions say nothing about; only trajectories may leave tasks out. */
  readonly tasksWithoutRow: number;
}

/** How predictions are put to tasks. */
export interface PairingOptions {
  /** Tasks without a prediction count as answered wrong; otherwise they are an error. */
  readonly allowMissing: boolean;
}

/** Puts predictions to tasks. Throws {@link InputError} where the two don't fit: a shifted file must not get a score. */
export function pairRows(
  tasks: readonly Task[],
  predictions: Predictions,
  options: PairingOptions,
): AnswerRows {
  switch (predictions.kind) {
    case 'lines':
      return { ...pairLines(tasks, predictions.answers), problems: [], tasksWithoutRow: 0 };
    case 'named': {
      const rows = pairNamed(tasks, predictions.answers, predictions.problems, options);
      return { rows, problems: predictions.problems, notes: [], tasksWithoutRow: 0 };
    }
    case 'episodes':
      return pairEpisodes(tasks, predictions.episodes, predictions.problems);
  }
}

function pairLines(
  tasks: readonly Task[],
  answers: readonly LineAnswer[],
): Pick<AnswerRows, 'rows' | 'notes'> {
  if (answers.length !== tasks.length) {
    throw new InputError(
      `misaligned: there are ${answers.length} predictions for ${tasks.length} tasks; no row is scored`,
    );
  }
  const databaseIds = new Set(tasks.map((task) => task.databaseId));
  const problems: InputProblem[] = [];
  const notes: InputProblem[] = [];
  const rows = tasks.map((task, index): AnswerRow => {
    const answer = answers[index];
    const rest = answer?.afterTab;
    if (answer !== undefined && rest !== undefined && rest !== task.databaseId) {
      const { location } = answer;
      const message = `it names database ${rest}, but the task of this row is over ${task.databaseId}`;
      if (databaseIds.has(rest)) problems.push({ location, message });
      else notes.push({ location, message: 'what follows its first TAB is cut off' });
    }
    return { index, attempt: 0, task, answerSql: answer?.sql === '' ? undefined : answer?.sql };
  });
  if (problems.length > 0) {
    throw new InputError('misaligned: predictions name other databases than their tasks', problems);
  }
  return { rows, notes };
}

function pairNamed(
  tasks: readonly Task[],
  answers: readonly NamedAnswer[],
  unread: readonly InputProblem[],
  { allowMissing }: PairingOptions,
): AnswerRow[] {
  const known = new Set(tasks.map((task) => task.taskId));
  const byTask = new Map<string, NamedAnswer>();
  const problems: InputProblem[] = [];
  for (const answer of answers) {
    const { location, taskId } = answer;
    const first = byTask.get(taskId);
    if (!known.has(taskId)) {
      problems.push({ location, message: `there is no task ${taskId}` });
    } else if (first !== undefined) {
      problems.push({ location, message: `${taskId} is answered already, at ${first.location}` });
    } else byTask.set(taskId, answer);
  }
  if (!allowMissing) {
    const missing = tasks.filter((task) => !byTask.has(task.taskId));
    problems.push(
      ...missing.map(({ taskId }) => ({ location: taskId, message: 'it has no prediction' })),
    );
  }
  if (problems.length > 0) {
    throw new InputError('misaligned: predictions and tasks do not fit; no row is scored', [
      ...unread,
      ...problems,
    ]);
  }
  return tasks.map((task, index) => ({
    index,
    attempt: 0,
    task,
    answerSql: byTask.get(task.taskId)?.answerSql,
  }));
}

/** Rows in the order of the tasks, and of the file for episodes of the same task. */
function pairEpisodes(
  tasks: readonly Task[],
  episodes: readonly { readonly location: string; readonly record: EpisodeRecord }[],
  unread: readonly InputProblem[],
): AnswerRows {
  const byTask = new Map<string, EpisodeRecord[]>(tasks.map(({ taskId }) => [taskId, []]));
  const problems = [...unread];
  for (const { location, record } of episodes) {
    const known = byTask.get(record.task_id);
    if (known === undefined) {
      problems.push({ location, message: `there is no task ${record.task_id}` });
    } else known.push(record);
  }
  const rows: AnswerRow[] = [];
  for (const task of tasks) {
    const goldSha256 = sha256(task.goldSql);
    const attempts = withoutRepeated(byTask.get(task.taskId) ?? []).toSorted(
      (a, b) => attemptOf(a) - attemptOf(b),
    );
    for (const [attempt, record] of attempts.entries()) {
      const answer = record.grade?.answer_sql ?? '';
      const index = rows.length;
      const answerSql = answer === '' ? undefined : answer;
      rows.push({
        index,
        attempt,
        task,
        answerSql,
        record,
        problem: mismatchOf(record, task, goldSha256),
      });
    }
  }
  const tasksWithoutRow = tasks.filter(({ taskId }) => byTask.get(taskId)?.length === 0).length;
  return { rows, problems, notes: [], tasksWithoutRow };
}

/** A run that was broken off and resumed has attempts twice: once without an end, which says nothing, and once with one. */
function withoutRepeated(records: readonly EpisodeRecord[]): readonly EpisodeRecord[] {
  const ended = new Set(records.filter(({ grade }) => grade !== null).map(attemptOf));
  return records.filter(
    (record) =>
      record.grade !== null ||
      record.labels[ATTEMPT_LABEL] === undefined ||
      !ended.has(attemptOf(record)),
  );
}

/** Episodes that were played side by side end in any order. */
function attemptOf(record: EpisodeRecord): number {
  return Number(record.labels[ATTEMPT_LABEL] ?? 0);
}

/** An answer to another gold must not be judged by this one, and an episode that was broken off is no wrong answer. */
function mismatchOf(record: EpisodeRecord, task: Task, goldSha256: string): string | undefined {
  if (record.grade === null) return `the episode has no answer: it was ${record.end}`;
  if (record.gold_sha256 !== goldSha256) return 'the gold is not the one that the episode had';
  return record.database_id === task.databaseId
    ? undefined
    : `the episode was over database ${record.database_id}`;
}
