import { beginEpisode } from '../../env/episode.ts';
import type { EpisodeLimits } from '../../env/limits.ts';
import type { ObservationOptions } from '../../env/query.ts';
import type { CancelSignal } from '../cancel.ts';
import type { ChosenTask } from './choose-task.ts';
import { showTask } from './choose-task.ts';
import type { Clock } from './clock.ts';
import { failureError } from './failure.ts';
import type { QueryExecutor } from './ports.ts';
import type { PromptBuilder } from './prompts.ts';
import type { EpisodeFacts, ResetRequest } from './requests.ts';
import type { EpisodeDefaults } from './server-info.ts';
import type { OpenEpisode } from './store.ts';

/** What opening an episode needs. */
export interface OpeningParts {
  readonly executor: QueryExecutor;
  readonly prompts: PromptBuilder;
  readonly defaults: EpisodeDefaults;
  readonly clock: Clock;
}

/** A Reset request that has been found possible. */
export interface OpeningPlan {
  readonly request: ResetRequest;
  readonly chosen: ChosenTask;
  readonly limits: EpisodeLimits;
  readonly observation: ObservationOptions;
}

/** Makes an episode. Its gold is run first, so that no reward can ever depend on one that is broken: TASK_BROKEN. */
export async function openEpisode(
  parts: OpeningParts,
  plan: OpeningPlan,
  signal: CancelSignal,
): Promise<OpenEpisode> {
  const { executor, prompts, defaults, clock } = parts;
  const { request, chosen, limits, observation } = plan;
  const { episodeId } = request;
  const { taskId, databaseId, goldSql, question } = chosen.task;
  const startedWallMs = clock.wallMs();
  const startedMs = clock.monotonicMs();
  const gold = await executor.describeGold(databaseId, goldSql, signal);
  if (gold.kind !== 'gold') {
    throw failureError(gold, { episodeId, taskId, databaseId }, signal);
  }
  const promptStyle = request.promptStyle ?? defaults.promptStyle;
  const onMalformed = request.onMalformed ?? defaults.onMalformed;
  const score = { ...defaults.score, ...request.score };
  const messages = await prompts.build(databaseId, promptStyle, question, signal);
  const facts: EpisodeFacts = {
    episodeId,
    ...chosen,
    goldRowCount: gold.rowCount,
    limits,
    observation,
    score,
    promptStyle,
    onMalformed,
    mode: request.mode,
    groupId: request.groupId,
    labels: request.labels,
    messages,
    startedWallMs,
    startedMs,
  };
  const task = { ...showTask(chosen, false), messages: [] };
  return {
    kind: 'open',
    episodeId,
    resetRequest: request,
    facts,
    resetResult: { episodeId, task, messages, limits, observation, score },
    state: beginEpisode({ limits, observation, onMalformed, score }),
    steps: [],
    lastStep: undefined,
    runningStep: undefined,
    touchedMs: 0,
    textBytes: question.length + goldSql.length,
  };
}
