import { randomUUID } from 'node:crypto';
import type { StepOutcome } from '../../env/episode.ts';
import type {
  Trajectory,
  TrajectoryEnd,
  TrajectoryGrade,
  TrajectoryStep,
} from '../../env/trajectory.ts';
import { gradeRecord, stepRecord } from '../episodes/trajectory-record.ts';
import {
  compareEnds,
  compareGrades,
  comparePrompts,
  compareSteps,
  type Difference,
} from './check-step.ts';
import type { EpisodeCheck, ReplayDifference, ReplayEnvironment } from './ports.ts';
import { actionOf, resetRequestOf } from './recorded-requests.ts';

/** The gold that an episode is played with. */
export type CheckGold =
  | { readonly kind: 'known'; readonly goldSql: string }
  /** Why its own isn't known, for the user. */
  | { readonly kind: 'stand_in'; readonly reason: string };

/** Runs wherever there is a database. Rewards that it gives are never shown. */
const STAND_IN_GOLD = 'SELECT 1';

/** Ends that the recorded actions lead to by themselves. */
const OWN_ENDS: readonly TrajectoryEnd[] = ['terminated', 'truncated'];

/**
 * Plays the recorded actions again and compares every byte. Without its gold an episode is played all the same, up to what
 * depends on the gold. Rejects where it can't be played: what the calls reject with, or `InputError`.
 */
export async function checkEpisode(
  environment: ReplayEnvironment,
  trajectory: Trajectory,
  gold: CheckGold,
  signal: AbortSignal,
): Promise<EpisodeCheck> {
  const differences: ReplayDifference[] = [];
  const note = (found: readonly Difference[], stepIndex?: number): void => {
    for (const each of found) {
      differences.push({ episodeId: trajectory.episode_id, stepIndex, ...each });
    }
  };
  const episodeId = `replay/${randomUUID()}`;
  const goldSql = gold.kind === 'known' ? gold.goldSql : STAND_IN_GOLD;
  const opened = await environment.reset(resetRequestOf(trajectory, episodeId, goldSql), signal);
  let last: StepOutcome | undefined;
  try {
    note(comparePrompts(trajectory.messages, opened.messages));
    for (const step of trajectory.steps) {
      last = await playStep(environment, episodeId, step, signal, note);
      if (last.terminated || last.truncated) break;
    }
  } finally {
    // If that fails too, its lease ends it.
    if (!hasEnded(last)) await environment.closeEpisode(episodeId).catch(() => {});
  }
  const unchecked = endDifferences(trajectory, last, gold, note);
  const more = unchecked === undefined ? {} : { unchecked };
  return differences.length === 0
    ? { kind: 'same', ...more }
    : { kind: 'different', differences, ...more };
}

type Note = (found: readonly Difference[], stepIndex?: number) => void;

async function playStep(
  environment: ReplayEnvironment,
  episodeId: string,
  step: TrajectoryStep,
  signal: AbortSignal,
  note: Note,
): Promise<StepOutcome> {
  const request = {
    episodeId,
    stepIndex: step.step_index,
    action: actionOf(step.action),
    completionTokenCount: step.completion_token_count,
  };
  const outcome = await environment.step(request, signal);
  note(compareSteps(step, stepRecord(request, outcome, 0, 0)), step.step_index);
  return outcome;
}

/** Compares the end with its grade; gives the reason why the reward could not be checked, if it could not. */
function endDifferences(
  trajectory: Trajectory,
  last: StepOutcome | undefined,
  gold: CheckGold,
  note: Note,
): string | undefined {
  const lastRecorded = trajectory.steps.at(-1)?.step_index;
  const ended = hasEnded(last);
  const own = OWN_ENDS.includes(trajectory.end);
  if (ended && (!own || last?.stepIndex !== lastRecorded)) {
    note([{ what: 'end', recorded: 'it goes on', now: endText(last) }], last?.stepIndex);
    return undefined;
  }
  if (!own) return undefined;
  if (!ended) {
    note([{ what: 'end', recorded: trajectory.end, now: 'it goes on' }], lastRecorded);
    return undefined;
  }
  const grade = last?.grade === undefined ? null : gradeRecord(last.grade);
  const { unchecked, found } = gradeDifferences(trajectory.grade, grade, gold);
  note(found, lastRecorded);
  // A reward that differs makes the return differ, too: one line is enough.
  const sameReturn = found.length > 0 || unchecked !== undefined;
  const end = endOf(trajectory, last, sameReturn);
  note(compareEnds(trajectory, end), lastRecorded);
  return unchecked;
}

/** Verdicts that are the same whatever the gold is. */
const GOLDLESS_VERDICTS = ['answer_missing', 'answer_sql_error', 'answer_forbidden'];

function gradeDifferences(
  recorded: TrajectoryGrade | null,
  now: TrajectoryGrade | null,
  gold: CheckGold,
): { readonly found: readonly Difference[]; readonly unchecked: string | undefined } {
  if (gold.kind === 'known' || recorded === null || now === null) {
    return { found: compareGrades(recorded, now), unchecked: undefined };
  }
  const unsure = !GOLDLESS_VERDICTS.includes(recorded.verdict) || recorded.verdict !== now.verdict;
  const failedNow = GOLDLESS_VERDICTS.includes(now.verdict);
  const ranThen = recorded.verdict === 'match' || recorded.verdict === 'mismatch';
  if (unsure && !(failedNow && ranThen)) {
    const answers = { recorded: recorded.answer_sql, now: now.answer_sql };
    const found = answers.recorded === answers.now ? [] : [{ what: 'answer', ...answers }];
    return { found, unchecked: gold.reason };
  }
  const { gold_row_count, flags } = recorded;
  return {
    found: compareGrades(recorded, { ...now, gold_row_count, flags }),
    unchecked: undefined,
  };
}

function endOf(
  recorded: Trajectory,
  last: StepOutcome | undefined,
  sameReturn: boolean,
): Parameters<typeof compareEnds>[1] {
  return {
    end: last?.terminated === true ? 'terminated' : 'truncated',
    termination_reason: last?.terminationReason ?? '',
    truncation_reason: last?.truncationReason ?? '',
    return: sameReturn ? recorded.return : (last?.episodeReturn ?? 0),
  };
}

function hasEnded(outcome: StepOutcome | undefined): boolean {
  return outcome !== undefined && (outcome.terminated || outcome.truncated);
}

function endText(outcome: StepOutcome | undefined): string {
  const reason = outcome?.terminationReason ?? outcome?.truncationReason ?? '';
  return `${outcome?.terminated === true ? 'terminated' : 'truncated'} (${reason})`;
}
