import type { ComparisonMode } from '../../env/grade.ts';
import type { Trajectory } from '../../env/trajectory.ts';
import { ServerError } from '../errors.ts';
import { CallError } from '../rpc/client.ts';
import { InputError } from '../tasks/task-set.ts';
import { checkEpisode, type CheckGold } from './check-episode.ts';
import { compareAnswer, gradeUnder } from './compare-answer.ts';
import { openFork } from './fork-session.ts';
import type {
  EpisodeCheck,
  GoldFound,
  ReplayEnvironment,
  Replayer,
  ReplaySource,
} from './ports.ts';
import { comparisonModeOf, limitsOf, observationOf } from './recorded-requests.ts';
import { cellText, parseResultText } from './result-text.ts';

/** How an answer came out under another mode, and under its own once more. */
export interface Rescored {
  readonly own: { readonly verdict: string; readonly reward: number };
  readonly other: { readonly verdict: string; readonly reward: number };
}

/** A {@link Replayer} that can score old answers anew as well. */
export interface EpisodeReplayer extends Replayer {
  /** Scores the recorded answer under another mode. Rejects with `InputError` if it can't be scored, or was never graded. */
  rescore(trajectory: Trajectory, mode: ComparisonMode, signal: AbortSignal): Promise<Rescored>;
}

/** As the prompts show them: see `sqlite/read-schema.ts`. */
const TABLE_SQLS = `SELECT sql FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql IS NOT NULL ORDER BY name`;

/** Plays recorded episodes again wherever the source says. */
export function createReplayer(source: ReplaySource): EpisodeReplayer {
  return {
    get engine() {
      return source.engine;
    },
    serverVersion: source.serverVersion,
    catalogSha256: source.catalogSha256,
    get warnings() {
      return source.warnings;
    },
    check: (trajectory, signal) => check(source, trajectory, signal),
    rescore: (trajectory, mode, signal) =>
      inputErrors(signal, () => rescore(source, trajectory, mode, signal)),
    compareAnswer: (trajectory, signal, answerSql) =>
      inputErrors(signal, async () => {
        const environment = await source.environmentOf(trajectory);
        const goldSql = await requiredGold(environment, trajectory);
        const answer = {
          goldSql,
          answerSql: answerSql ?? recordedAnswer(trajectory),
          recorded: answerSql === undefined,
        };
        return await compareAnswer(environment, trajectory, answer, signal);
      }),
    runQuery: (trajectory, sql, signal) =>
      inputErrors(signal, () => runQuery(source, trajectory, sql, signal)),
    fork: (parent, stepIndex, signal) =>
      inputErrors(signal, async () => {
        const environment = await source.environmentOf(parent);
        const goldSql = await requiredGold(environment, parent);
        return await openFork({ environment, parent, stepIndex, goldSql }, signal);
      }),
    goldSql: async (trajectory) => {
      if (trajectory.gold_sql !== undefined) return trajectory.gold_sql;
      const found = await source.findGold(trajectory);
      return found.kind === 'found' ? found.goldSql : undefined;
    },
    schema: (trajectory, signal) => inputErrors(signal, () => schema(source, trajectory, signal)),
    stop: () => source.stop(),
  };
}

async function check(
  source: ReplaySource,
  trajectory: Trajectory,
  signal: AbortSignal,
): Promise<EpisodeCheck> {
  try {
    return await inputErrors(signal, async () => {
      const environment = await source.environmentOf(trajectory);
      const found = await findGold(environment, trajectory);
      const gold: CheckGold =
        found.kind === 'found'
          ? { kind: 'known', goldSql: found.goldSql }
          : { kind: 'stand_in', reason: missingGold(found) };
      return await checkEpisode(environment, trajectory, gold, signal);
    });
  } catch (error) {
    if (error instanceof InputError) return { kind: 'unplayable', reason: error.message };
    throw error;
  }
}

async function rescore(
  source: ReplaySource,
  trajectory: Trajectory,
  mode: ComparisonMode,
  signal: AbortSignal,
): Promise<Rescored> {
  const { grade } = trajectory;
  if (grade === null) throw new InputError('no answer was graded');
  const { verdict, reward } = grade;
  if (grade.answer_sql === '') return { own: { verdict, reward }, other: { verdict, reward } };
  const environment = await source.environmentOf(trajectory);
  const goldSql = await requiredGold(environment, trajectory);
  const under = (each: ComparisonMode) =>
    gradeUnder(
      environment,
      trajectory,
      { goldSql, answerSql: grade.answer_sql, mode: each },
      signal,
    );
  const own = await under(comparisonModeOf(grade.comparison_mode));
  return { own, other: await under(mode) };
}

async function runQuery(
  source: ReplaySource,
  trajectory: Trajectory,
  sql: string,
  signal: AbortSignal,
): ReturnType<Replayer['runQuery']> {
  const environment = await source.environmentOf(trajectory);
  const request = {
    databaseId: trajectory.database_id,
    input: { kind: 'query', sql },
    limits: limitsOf(trajectory),
  } as const;
  const observation = observationOf(trajectory);
  const shown = await environment.runSql({ ...request, observation }, signal);
  if (!shown.query.textTruncated) return { shown, whole: shown };
  const all = { ...observation, textSizeMax: 0 };
  return { shown, whole: await environment.runSql({ ...request, observation: all }, signal) };
}

async function schema(
  source: ReplaySource,
  trajectory: Trajectory,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const environment = await source.environmentOf(trajectory);
  const { message } = await environment.runSql(
    {
      databaseId: trajectory.database_id,
      input: { kind: 'query', sql: TABLE_SQLS },
      observation: { textSizeMax: 0 },
      limits: {},
    },
    signal,
  );
  const table = parseResultText(message.content);
  if (table === undefined) throw new InputError(`the schema can't be read: ${message.content}`);
  return table.rows.map(([json = '""']) => cellText(json).trim());
}

/** The recorded answer; undefined if there is none. */
function recordedAnswer({ grade }: Trajectory): string | undefined {
  return grade === null || grade.answer_sql === '' ? undefined : grade.answer_sql;
}

async function findGold(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
): Promise<GoldFound> {
  const { gold_sql: goldSql, task_id: taskId, gold_sha256: hash } = trajectory;
  if (goldSql !== undefined) return { kind: 'found', goldSql };
  return await environment.findGold(taskId, hash);
}

async function requiredGold(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
): Promise<string> {
  const found = await findGold(environment, trajectory);
  if (found.kind === 'found') return found.goldSql;
  throw new InputError(missingGold(found));
}

function missingGold(found: Exclude<GoldFound, { kind: 'found' }>): string {
  if (found.kind === 'unknown') return `the gold is not known: ${found.reason}`;
  return "the task's gold is another one now, and the record does not hold its own";
}

/** Turns what a call failed with into words for the user. What he cancelled, and what is a bug of ours, stays what it is. */
async function inputErrors<Value>(signal: AbortSignal, work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    // One episode that the service fails on must not end the check of all others.
    if (error instanceof ServerError || error instanceof CallError) {
      throw new InputError(error.message);
    }
    throw error;
  }
}
