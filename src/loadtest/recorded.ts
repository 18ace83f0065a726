import { createHash } from 'node:crypto';
import type { Trajectory, TrajectoryAction, TrajectoryStep } from '../../env/trajectory.ts';
import type { EpisodeLibrary, EpisodeSummary } from '../replay/ports.ts';
import { InputError } from '../tasks/task-set.ts';
import { drawThinkMs, THINK_MS_MAX, type ThinkDistribution } from './distributions.ts';
import type {
  BatchShape,
  EpisodeSource,
  PlannedAction,
  PlannedEpisode,
  PlannedTurn,
  ResetRequest,
} from './plan.ts';
import { randomOf } from './random.ts';

/** What recorded episodes are planned from. */
export interface RecordedPlan extends BatchShape {
  readonly seed: number;
  readonly think: ThinkDistribution;
  /** CPU and wall-clock limit of a query, milliseconds; 0 takes the recorded ones. */
  readonly queryMsMax: number;
}

const THINK_STREAM = 5;

/**
 * Episodes as they were recorded, group by group in the order in which the groups began; after the last one the first comes
 * again. Throws `InputError` if nothing in the library can be played.
 */
export function recordedSource(library: EpisodeLibrary, plan: RecordedPlan): EpisodeSource {
  const order = playOrder(library.episodes);
  if (order.length === 0) {
    throw new InputError('there are no recorded episodes with steps to play', library.problems);
  }
  const size = plan.promptCount * plan.rolloutCount;
  const at = (batchIndex: number, episodeIndex: number): EpisodeSummary => {
    const summary = order[(batchIndex * size + episodeIndex) % order.length];
    if (summary === undefined) throw new Error('the order of recorded episodes has a hole');
    return summary;
  };
  return {
    batch: async (batchIndex, isWanted) => {
      const episodes: PlannedEpisode[] = [];
      for (let episodeIndex = 0; episodeIndex < size; episodeIndex += 1) {
        if (!isWanted(episodeIndex)) continue;
        const trajectory = await library.read(at(batchIndex, episodeIndex).index);
        episodes.push(planRecorded(trajectory, plan, batchIndex, episodeIndex));
      }
      return episodes;
    },
    digest: (batchIndex) => {
      const hash = createHash('sha256').update(JSON.stringify([plan.think, plan.queryMsMax]));
      for (let episodeIndex = 0; episodeIndex < size; episodeIndex += 1) {
        hash.update(`${at(batchIndex, episodeIndex).episodeId}\n`);
      }
      return hash.digest('hex');
    },
    problems: library.problems,
    close: () => library.close(),
  };
}

function playOrder(episodes: readonly EpisodeSummary[]): EpisodeSummary[] {
  const groups = new Map<string, EpisodeSummary[]>();
  const byStart = episodes
    .filter(({ stepCount }) => stepCount > 0)
    .toSorted((a, b) => a.startedMs - b.startedMs || a.index - b.index);
  for (const episode of byStart) {
    // Without a group it stands for itself.
    const key = episode.groupId === '' ? `episode ${episode.index}` : `group ${episode.groupId}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [episode]);
    else group.push(episode);
  }
  return [...groups.values()].flat();
}

function planRecorded(
  trajectory: Trajectory,
  plan: RecordedPlan,
  batchIndex: number,
  episodeIndex: number,
): PlannedEpisode {
  const { think, seed } = plan;
  const random = randomOf(seed, THINK_STREAM, batchIndex, episodeIndex);
  const turns = trajectory.steps.map((step, index): PlannedTurn => ({
    thinkMs:
      think.kind === 'recorded'
        ? recordedThinkMs(step, trajectory.steps[index - 1])
        : drawThinkMs(think, random),
    action: { ...actionOf(step.action), completionTokenCount: step.completion_token_count },
  }));
  return {
    batchIndex,
    episodeIndex,
    policy: 'recorded',
    expectedReturn: trajectory.return,
    reset: resetOf(trajectory, plan, `${batchIndex}/${trajectory.group_id}`),
    turns,
  };
}

/** From the answer to the step before, or the episode's start, to the arrival of this step. */
function recordedThinkMs(step: TrajectoryStep, before: TrajectoryStep | undefined): number {
  const free = before === undefined ? 0 : before.started_ms + before.step_ms;
  return Math.min(THINK_MS_MAX, Math.max(0, step.started_ms - free));
}

function actionOf(action: TrajectoryAction): PlannedAction {
  switch (action.kind) {
    case 'assistant_text':
      return { assistantText: action.text };
    case 'final_text':
      return { finalText: action.text };
    case 'tool_call':
      return { toolCall: { name: action.name, argumentsJson: action.arguments_json } };
  }
}

/** All that decides observations and rewards, as it was. */
function resetOf(trajectory: Trajectory, plan: RecordedPlan, groupId: string): ResetRequest {
  const { limits, observation, score } = trajectory;
  return {
    ...taskOf(trajectory),
    groupId: groupId.slice(0, 100),
    goldSha256: trajectory.gold_sha256,
    limits: {
      stepCountMax: limits.step_count_max,
      invalidCallCountMax: limits.invalid_call_count_max,
      parallelCallCountMax: limits.parallel_call_count_max,
      completionTokenCountMax: limits.completion_token_count_max,
      queryCpuMsMax: plan.queryMsMax || limits.query_cpu_ms_max,
      queryWallMsMax: plan.queryMsMax || limits.query_wall_ms_max,
      rowCountMax: limits.row_count_max,
      cellBytesMax: limits.cell_bytes_max,
      resultBytesMax: limits.result_bytes_max,
    },
    observation: {
      textSizeMax: observation.text_size_max,
      truncateSide: `TRUNCATE_SIDE_${upper(observation.truncate_side)}`,
    },
    score: {
      comparisonMode: score.comparison_mode,
      guard: `REWARD_GUARD_${upper(score.guard)}`,
      scope: `ANSWER_SCOPE_${upper(score.scope)}`,
      fallback: `ANSWER_FALLBACK_${upper(score.fallback)}`,
    },
    promptStyle:
      trajectory.prompt_style === 'compact' ? 'PROMPT_STYLE_COMPACT' : 'PROMPT_STYLE_DDL',
    onMalformed:
      trajectory.on_malformed === 'observe' ? 'ON_MALFORMED_OBSERVE' : 'ON_MALFORMED_END',
  };
}

/** A task that the caller brought along comes along again if its gold was recorded; otherwise the server must know it. */
function taskOf(trajectory: Trajectory): Pick<ResetRequest, 'taskId' | 'inlineTask'> {
  const { task_id: taskId, database_id: databaseId, question, gold_sql: goldSql } = trajectory;
  if (!trajectory.inline_task || goldSql === undefined) return { taskId };
  return { inlineTask: { taskId, databaseId, question, goldSql } };
}

function upper<T extends string>(text: T): Uppercase<T> {
  return text.toUpperCase() as Uppercase<T>;
}
