import { parseToolCalls } from '../../env/hermes.ts';
import type { Trajectory, TrajectoryQuery, TrajectoryStep } from '../../env/trajectory.ts';
import { parsePythonJson } from '../../env/json-parse.ts';
import { InputError } from '../tasks/task-set.ts';
import type { AnswerComparison, Replayer } from './ports.ts';
import { findCut } from './terminal/text/truncation.ts';

/** An episode with everything that is known of it, ready to be written in one form or another. */
export interface EpisodePrint {
  readonly trajectory: Trajectory;
  readonly steps: readonly StepPrint[];
  /** Undefined where neither the record nor the tasks have it. */
  readonly goldSql: string | undefined;
  readonly comparison: AnswerComparison | undefined;
  /** What could not be found out, and why; each once. */
  readonly notes: readonly string[];
}

/** One turn and what came of it. */
export interface StepPrint {
  readonly step: TrajectoryStep;
  /** Of an assistant's text: what stands outside its calls, and the calls as they were understood. */
  readonly calls: readonly string[];
  readonly observations: readonly ObservationPrint[];
}

/** What the model read for one call. */
export interface ObservationPrint {
  readonly text: string;
  readonly query: TrajectoryQuery | undefined;
  /** What was cut away; undefined if nothing was, or nobody knows it any more. */
  readonly cut: string | undefined;
}

/** Gathers an episode: the record, and with a replayer what was cut away, the gold and the comparison. */
export async function episodePrint(
  trajectory: Trajectory,
  replayer: Replayer,
  signal: AbortSignal,
): Promise<EpisodePrint> {
  const notes = new Set<string>();
  const attempt = async <Value>(
    what: string,
    work: () => Promise<Value>,
  ): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      notes.add(`${what}: ${error.message}`);
      return undefined;
    }
  };
  const steps: StepPrint[] = [];
  for (const step of trajectory.steps) {
    const observations: ObservationPrint[] = [];
    for (const [index, message] of step.messages.entries()) {
      const query = step.queries[index];
      const shown = { text: message.content, query };
      const cut =
        query?.text_truncated === true && query.sql !== ''
          ? await attempt('what was cut away is not known', () =>
              cutOf(trajectory, shown.text, query.sql, replayer, signal),
            )
          : undefined;
      observations.push({ ...shown, cut });
    }
    steps.push({ step, calls: callsOf(step), observations });
  }
  const goldSql = await attempt('the gold is not known', () => replayer.goldSql(trajectory));
  const comparison =
    trajectory.grade === null
      ? undefined
      : await attempt('gold and answer are not compared', () =>
          replayer.compareAnswer(trajectory, signal),
        );
  return {
    trajectory,
    steps,
    goldSql: goldSql ?? comparison?.gold.sql,
    comparison,
    notes: [...notes, ...replayer.warnings],
  };
}

async function cutOf(
  trajectory: Trajectory,
  text: string,
  sql: string,
  replayer: Replayer,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { whole } = await replayer.runQuery(trajectory, sql, signal);
  const found = findCut(text, whole.message.content, trajectory.observation.truncate_side);
  if (found === undefined) {
    throw new InputError('the query gives another result now than was recorded');
  }
  return found.cut;
}

/** The calls of a step as they were understood: a query as SQL, anything else as it was written. */
function callsOf({ action }: TrajectoryStep): string[] {
  if (action.kind === 'final_text') return [];
  if (action.kind === 'tool_call') return [callText(action.name, action.arguments_json)];
  return parseToolCalls(action.text).calls.map((call) => {
    if (call.kind !== 'call') return '(a call that is no JSON object with a name and arguments)';
    const query = call.arguments instanceof Map ? call.arguments.get('query') : undefined;
    return typeof query === 'string' ? query : `${call.name}: arguments without a text "query"`;
  });
}

function callText(name: string, argumentsJson: string): string {
  const parsed = parsePythonJson(argumentsJson);
  const query = parsed.ok && parsed.value instanceof Map ? parsed.value.get('query') : undefined;
  return typeof query === 'string' ? query : `${name} ${argumentsJson}`;
}
