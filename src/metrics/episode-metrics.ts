import type { StepOutcome } from '../../env/episode.ts';
import { COMPARISON_MODES, type Grade, type Verdict } from '../../env/grade.ts';
import type { QueryStatus } from '../../env/query.ts';
import type { TrajectoryEnd } from '../../env/trajectory.ts';
import type { EpisodeTelemetry } from '../episodes/telemetry.ts';
import { CounterFamily, HistogramFamily, type Cell, type Family } from './families.ts';

/** What can end an episode, and the reasons that go with it. */
const ENDS: readonly (readonly [TrajectoryEnd, readonly string[]])[] = [
  ['terminated', ['answer', 'malformed_call']],
  ['truncated', ['step_limit', 'invalid_call_limit', 'token_limit']],
  ['closed', ['']],
  ['expired', ['']],
  ['abandoned', ['']],
];

const VERDICTS: readonly Verdict[] = [
  'match',
  'mismatch',
  'answer_missing',
  'answer_sql_error',
  'answer_forbidden',
  'answer_time_limit',
  'answer_too_big',
];

const QUERY_STATUSES: readonly QueryStatus[] = [
  'ok',
  'sql_error',
  'forbidden',
  'time_limit',
  'too_big',
  'unparsed',
  'invalid_arguments',
  'unknown_tool',
];

const STEP_COUNT_BOUNDS = [1, 2, 3, 4, 6, 8, 12, 16, 32, 64];

/** Counts episodes, steps, tool calls and verdicts. */
export class EpisodeMetrics implements EpisodeTelemetry {
  readonly families: readonly Family[];
  readonly #opened: Cell;
  readonly #ended: ReadonlyMap<string, Cell>;
  readonly #steps: { readonly [outcome in 'continued' | 'terminated' | 'truncated']: Cell };
  readonly #stepCounts;
  readonly #toolCalls: Readonly<Record<QueryStatus, Cell>>;
  readonly #ignoredCalls: Cell;
  readonly #rewards;
  readonly #stepVerdicts: ReadonlyMap<string, Cell>;
  readonly #scoreVerdicts: ReadonlyMap<string, Cell>;

  constructor() {
    const opened = new CounterFamily('sqlenv_episodes_opened_total', 'Episodes that Reset opened.');
    const ended = new CounterFamily(
      'sqlenv_episodes_ended_total',
      'Episodes that ended, by what ended them and why; no reason for those that no task and no limit ended.',
      ['end', 'reason'],
    );
    const stepCounts = new HistogramFamily(
      'sqlenv_episode_steps',
      'Steps of the episodes that ended.',
      STEP_COUNT_BOUNDS,
    );
    const steps = new CounterFamily(
      'sqlenv_steps_total',
      'Steps taken, by what became of the episode; repeats of a step are not counted.',
      ['outcome'],
    );
    const toolCalls = new CounterFamily(
      'sqlenv_tool_calls_total',
      'Tool calls of steps, by the status of their query.',
      ['status'],
    );
    const ignored = new CounterFamily(
      'sqlenv_tool_calls_ignored_total',
      'Tool calls of steps that were dropped or ignored.',
    );
    const verdicts = new CounterFamily(
      'sqlenv_verdicts_total',
      'Verdicts on answers, by the call that asked for them and the comparison mode.',
      ['method', 'comparison_mode', 'verdict'],
    );
    const rewards = new HistogramFamily(
      'sqlenv_reward',
      'Rewards of the steps in which an answer was graded; sum over count is the mean.',
      [0, 1],
    );
    this.families = [opened, ended, stepCounts, steps, toolCalls, ignored, verdicts, rewards];
    this.#opened = opened.cell([], true);
    this.#ended = new Map(
      ENDS.flatMap(([end, reasons]) =>
        reasons.map((reason) => [end + reason, ended.cell([end, reason], true)]),
      ),
    );
    this.#stepCounts = stepCounts.cell();
    this.#steps = {
      continued: steps.cell(['continued'], true),
      terminated: steps.cell(['terminated'], true),
      truncated: steps.cell(['truncated'], true),
    };
    this.#toolCalls = Object.fromEntries(
      QUERY_STATUSES.map((status) => [status, toolCalls.cell([status], true)]),
    ) as Record<QueryStatus, Cell>;
    this.#ignoredCalls = ignored.cell([], true);
    this.#stepVerdicts = verdictCells(verdicts, 'Step', true);
    this.#scoreVerdicts = verdictCells(verdicts, 'Score', false);
    this.#rewards = rewards.cell();
  }

  episodeOpened(): void {
    this.#opened.value += 1;
  }

  episodeEnded(end: TrajectoryEnd, reason: string | undefined, stepCount: number): void {
    count(this.#ended.get(end + (reason ?? '')));
    this.#stepCounts.observe(stepCount);
  }

  stepTaken(outcome: StepOutcome): void {
    const { terminated, truncated, queries, grade } = outcome;
    this.#steps[terminated ? 'terminated' : truncated ? 'truncated' : 'continued'].value += 1;
    for (const { status } of queries) this.#toolCalls[status].value += 1;
    this.#ignoredCalls.value += outcome.ignoredCallCount;
    if (grade === undefined) return;
    count(this.#stepVerdicts.get(grade.comparisonMode + grade.verdict));
    this.#rewards.observe(outcome.reward);
  }

  answerScored(grades: readonly Grade[]): void {
    for (const { comparisonMode, verdict } of grades) {
      count(this.#scoreVerdicts.get(comparisonMode + verdict));
    }
  }
}

function count(cell: Cell | undefined): void {
  if (cell !== undefined) cell.value += 1;
}

function verdictCells(
  family: CounterFamily,
  method: string,
  always: boolean,
): ReadonlyMap<string, Cell> {
  return new Map(
    COMPARISON_MODES.flatMap((mode) =>
      VERDICTS.map((verdict) => [mode + verdict, family.cell([method, mode, verdict], always)]),
    ),
  );
}
