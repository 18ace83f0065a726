import { FIELD_LIMITS } from '../../env/limits.ts';
import { callsVolatileFunction } from '../../env/sql-text.ts';
import type {
  Trajectory,
  TrajectoryGrade,
  TrajectoryQuery,
  TrajectoryStep,
} from '../../env/trajectory.ts';
import type { Message } from '../../env/task.ts';
import { utf8Size } from '../../env/utf8.ts';
import type { ReplayDifference } from './ports.ts';

/** What differs, without the episode and the step, which the caller knows. */
export type Difference = Pick<ReplayDifference, 'what' | 'recorded' | 'now' | 'note'>;

const TIME_NOTE = "near a time limit the machine's speed decides; --print shows how long it took";
const VOLATILE_NOTE = 'the query reads the clock or a random function';

/** Compares the prompts byte by byte. */
export function comparePrompts(
  recorded: readonly Message[],
  now: readonly Message[],
): Difference[] {
  return compareMessages('prompt', recorded, now);
}

/** Compares what a step gave. Times are not compared, and rewards only by {@link compareGrades}. */
export function compareSteps(recorded: TrajectoryStep, now: TrajectoryStep): Difference[] {
  const differences: Difference[] = [];
  const count = Math.max(recorded.messages.length, now.messages.length);
  for (let index = 0; index < count; index += 1) {
    const [before, after] = [recorded.queries[index], now.queries[index]];
    const timed = before && after ? timeLimitDifference(before, after) : undefined;
    if (timed !== undefined) {
      differences.push(timed);
      continue;
    }
    const messages = [recorded.messages, now.messages].map((all) => all.slice(index, index + 1));
    const note = callsVolatileFunction(before?.sql ?? '') ? { note: VOLATILE_NOTE } : {};
    for (const difference of compareMessages('observation', messages[0] ?? [], messages[1] ?? [])) {
      differences.push({ ...difference, ...note });
    }
    if (before && after) differences.push(...compareQueries(before, after));
  }
  differences.push(
    ...compareFields({ ignored_call_count: recorded.ignored_call_count }, now, [
      ['ignored_call_count', 'ignored calls'],
    ]),
  );
  return differences;
}

/** Compares verdict, reward, flags and how the answer ran. */
export function compareGrades(
  recorded: TrajectoryGrade | null,
  now: TrajectoryGrade | null,
): Difference[] {
  if (recorded === null || now === null) {
    if (recorded === now) return [];
    return [
      { what: 'verdict', recorded: recorded?.verdict ?? 'none', now: now?.verdict ?? 'none' },
    ];
  }
  const timed =
    recorded.answer_query && now.answer_query
      ? timeLimitDifference(recorded.answer_query, now.answer_query)
      : undefined;
  if (timed !== undefined) {
    const verdicts = `${recorded.verdict} and earned ${recorded.reward}; now ${now.verdict} earns ${now.reward}`;
    return [{ ...timed, note: `it was ${verdicts}: ${timed.note ?? ''}` }];
  }
  const differences = compareFields(recorded, now, [
    ['verdict', 'verdict'],
    ['matched', 'matched'],
    ['reward', 'reward'],
    ['flags', 'flags'],
    ['answer_sql', 'answer'],
    ['error_text', 'error'],
    ['gold_row_count', "gold's rows"],
    ['comparison_mode', 'comparison mode'],
  ]);
  const [before, after] = [recorded.answer_query, now.answer_query];
  if ((before === null) !== (after === null)) {
    const text = (query: TrajectoryQuery | null): string => query?.status ?? 'it did not run';
    differences.push({ what: "answer's query", recorded: text(before), now: text(after) });
  } else if (before && after) differences.push(...compareQueries(before, after));
  return differences;
}

/** Compares how the episode ended, and what it earned in all. */
export function compareEnds(
  recorded: Trajectory,
  now: Pick<Trajectory, 'end' | 'termination_reason' | 'truncation_reason' | 'return'>,
): Difference[] {
  return compareFields(recorded, now, [
    ['end', 'end'],
    ['termination_reason', 'end'],
    ['truncation_reason', 'end'],
    ['return', 'return'],
  ]);
}

/** A query that one time went over a time limit and the other time did not, or over another one; undefined for all others. */
function timeLimitDifference(
  recorded: TrajectoryQuery,
  now: TrajectoryQuery,
): Difference | undefined {
  if (recorded.status !== 'time_limit' && now.status !== 'time_limit') return undefined;
  const text = ({ status, time_limit: limit }: TrajectoryQuery): string =>
    status === 'time_limit' ? `stopped by its ${limit} limit` : `ran (${status})`;
  const [before, after] = [text(recorded), text(now)];
  if (before === after) return undefined;
  return { what: 'time limit', recorded: before, now: after, note: TIME_NOTE };
}

function compareMessages(
  what: string,
  recorded: readonly Message[],
  now: readonly Message[],
): Difference[] {
  const differences: Difference[] = [];
  for (let index = 0; index < Math.max(recorded.length, now.length); index += 1) {
    const [before, after] = [recorded[index], now[index]];
    if (before?.role === after?.role && before?.content === after?.content) continue;
    const sameRole = before?.role === after?.role || before === undefined || after === undefined;
    const text = (message: Message | undefined): string =>
      message === undefined
        ? '(no message)'
        : sameRole
          ? message.content
          : `${message.role}: ${message.content}`;
    differences.push({ what, recorded: text(before), now: text(after) });
  }
  return differences;
}

function compareQueries(recorded: TrajectoryQuery, now: TrajectoryQuery): Difference[] {
  // SQL over the limit never ran, and a server's response leaves it out.
  const leftOut = now.sql === '' && utf8Size(recorded.sql) > FIELD_LIMITS.sqlBytesMax;
  return compareFields(leftOut ? { ...recorded, sql: '' } : recorded, now, [
    ['status', 'status'],
    ['sql', 'SQL that ran'],
    ['row_count', 'rows'],
    ['capped', 'capped'],
    ['text_truncated', 'shortened'],
    ['text_size', 'text size'],
    ['time_limit', 'time limit'],
  ]);
}

/** Compares keys of two records; `what` says each for the user. */
function compareFields<Key extends string>(
  recorded: Readonly<Record<Key, unknown>>,
  now: Readonly<Record<Key, unknown>>,
  fields: readonly (readonly [Key, string])[],
): Difference[] {
  return fields.flatMap(([key, what]) => {
    const [before, after] = [shown(recorded[key]), shown(now[key])];
    return before === after ? [] : [{ what, recorded: before, now: after }];
  });
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(', ') || 'none';
  if (typeof value === 'string') return value;
  return JSON.stringify(value) ?? '';
}
