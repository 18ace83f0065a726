import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import type { Action } from '../../env/action.ts';
import type { StepOutcome } from '../../env/episode.ts';
import { TOOL_NAME } from '../../env/refusals.ts';
import type { Trajectory, TrajectoryEnd, TrajectoryStep } from '../../env/trajectory.ts';
import type { ResetResult } from '../episodes/requests.ts';
import { goldHash } from '../episodes/task-source.ts';
import { stepRecord, trajectoryOf, type RecordedEpisode } from '../episodes/trajectory-record.ts';
import { InputError } from '../tasks/task-set.ts';
import { appendTrajectory } from './append-trajectory.ts';
import { comparePrompts, compareSteps } from './check-step.ts';
import type { ForkSession, ReplayDifference, ReplayEnvironment } from './ports.ts';
import {
  actionOf,
  limitsOf,
  observationOf,
  onMalformedOf,
  promptStyleOf,
  resetRequestOf,
  scoreOptionsOf,
} from './recorded-requests.ts';

/** An episode to be forked. */
export interface ForkPlan {
  readonly environment: ReplayEnvironment;
  readonly parent: Trajectory;
  /** The first step that is done by hand. */
  readonly stepIndex: number;
  readonly goldSql: string;
}

/** Opens an episode like the recorded one, plays its steps before `stepIndex`, and hands over. */
export async function openFork(plan: ForkPlan, signal: AbortSignal): Promise<ForkSession> {
  const { environment, parent, stepIndex, goldSql } = plan;
  if (!Number.isInteger(stepIndex) || stepIndex < 0 || stepIndex > parent.steps.length) {
    throw new InputError(
      `the episode has ${parent.steps.length} steps: it can't be forked at step ${stepIndex}`,
    );
  }
  const episodeId = `fork/${randomUUID()}`;
  const startedWallMs = Date.now();
  const startedMs = performance.now();
  const opened = await environment.reset(resetRequestOf(parent, episodeId, goldSql), signal);
  const fork = new Fork(plan, opened, { episodeId, startedWallMs, startedMs });
  try {
    await fork.replay(signal);
    return fork;
  } catch (error) {
    await fork.discard();
    throw error;
  }
}

interface ForkStart {
  readonly episodeId: string;
  readonly startedWallMs: number;
  readonly startedMs: number;
}

class Fork implements ForkSession {
  readonly differences: ReplayDifference[] = [];
  readonly #plan: ForkPlan;
  readonly #opened: ResetResult;
  readonly #start: ForkStart;
  readonly #steps: TrajectoryStep[] = [];
  #last: StepOutcome | undefined;
  #closed = false;
  #saved = false;

  constructor(plan: ForkPlan, opened: ResetResult, start: ForkStart) {
    this.#plan = plan;
    this.#opened = opened;
    this.#start = start;
  }

  get ended(): boolean {
    return this.#closed || this.#last?.terminated === true || this.#last?.truncated === true;
  }

  get trajectory(): Trajectory {
    return this.#record(this.#end());
  }

  /** Plays the recorded steps; what comes out otherwise is noted and forbids nothing. */
  async replay(signal: AbortSignal): Promise<void> {
    const { parent, stepIndex } = this.#plan;
    const note = (found: ReturnType<typeof comparePrompts>, step: number | undefined): void => {
      for (const each of found) {
        this.differences.push({ episodeId: parent.episode_id, stepIndex: step, ...each });
      }
    };
    note(comparePrompts(parent.messages, this.#opened.messages), undefined);
    for (const step of parent.steps.slice(0, stepIndex)) {
      await this.#take(actionOf(step.action), step.completion_token_count, signal);
      const played = this.#steps.at(-1);
      if (played !== undefined) note(compareSteps(step, played), step.step_index);
      if (this.ended && step.step_index + 1 < stepIndex) {
        throw new InputError(`the episode now ends with step ${step.step_index}; see --check`);
      }
    }
  }

  runSql(sql: string, signal: AbortSignal): Promise<StepOutcome> {
    const args = JSON.stringify({ query: sql });
    if (!this.#writesText() || sql.includes('tool_call>')) {
      return this.#take({ kind: 'tool_call', name: TOOL_NAME, argumentsJson: args }, 0, signal);
    }
    const call = `{"name": ${JSON.stringify(TOOL_NAME)}, "arguments": ${args}}`;
    const text = `<tool_call>\n${call}\n</tool_call>`;
    return this.#take({ kind: 'assistant_text', text }, 0, signal);
  }

  say(assistantText: string, signal: AbortSignal): Promise<StepOutcome> {
    return this.#take({ kind: 'assistant_text', text: assistantText }, 0, signal);
  }

  answer(sql: string, signal: AbortSignal): Promise<StepOutcome> {
    return this.#take({ kind: 'final_text', text: `\`\`\`sql\n${sql}\n\`\`\`` }, 0, signal);
  }

  async save(file: string): Promise<string> {
    const { episodeId } = this.#start;
    if (this.#saved) return episodeId;
    if (this.#closed) throw new InputError('the fork was discarded: there is nothing to save');
    await appendTrajectory(file, this.trajectory);
    this.#saved = true;
    await this.discard();
    return episodeId;
  }

  async discard(): Promise<void> {
    if (this.ended) return;
    this.#closed = true;
    // A server that is gone has dropped it, and any other does so when its lease is over.
    await this.#plan.environment.closeEpisode(this.#start.episodeId).catch(() => {});
  }

  /** The model wrote its calls into its text, and so does whoever goes on in its place. */
  #writesText(): boolean {
    const kinds = this.#plan.parent.steps.map((step) => step.action.kind);
    return !kinds.includes('tool_call') && kinds.includes('assistant_text');
  }

  async #take(
    action: Action,
    completionTokenCount: number,
    signal: AbortSignal,
  ): Promise<StepOutcome> {
    if (this.ended) throw new InputError('the fork has ended: it takes no more steps');
    const { episodeId, startedMs } = this.#start;
    const stepIndex = this.#steps.length;
    const request = { episodeId, stepIndex, action, completionTokenCount };
    const stepStart = performance.now();
    const outcome = await this.#plan.environment.step(request, signal);
    const now = performance.now();
    this.#steps.push(stepRecord(request, outcome, stepStart - startedMs, now - stepStart));
    this.#last = outcome;
    return outcome;
  }

  #end(): TrajectoryEnd {
    if (this.#last?.terminated === true) return 'terminated';
    return this.#last?.truncated === true ? 'truncated' : 'closed';
  }

  #record(end: TrajectoryEnd): Trajectory {
    const { environment, parent, stepIndex } = this.#plan;
    const last = this.#last;
    const record = trajectoryOf(
      {
        facts: this.#facts(),
        state: {
          episodeReturn: last?.episodeReturn ?? 0,
          completionTokenCount: last?.completionTokenCount ?? 0,
        },
        steps: [...this.#steps],
        lastStep: last && { outcome: last },
      },
      end,
      Date.now(),
      {
        serverVersion: environment.serverVersion,
        engine: environment.engine,
        catalogSha256: environment.catalogSha256 ?? parent.catalog_sha256,
        recordGold: parent.gold_sql !== undefined,
      },
    );
    return { ...record, parent: { episode_id: parent.episode_id, step_index: stepIndex } };
  }

  #facts(): RecordedEpisode['facts'] {
    const { parent, goldSql } = this.#plan;
    return {
      episodeId: this.#start.episodeId,
      task: {
        taskId: parent.task_id,
        databaseId: parent.database_id,
        question: parent.question,
        goldSql,
        split: parent.split,
        difficulty: parent.difficulty,
      },
      goldSha256: goldHash(goldSql),
      inlineTask: parent.inline_task,
      limits: limitsOf(parent),
      observation: observationOf(parent),
      score: scoreOptionsOf(parent),
      promptStyle: promptStyleOf(parent),
      onMalformed: onMalformedOf(parent),
      mode: parent.mode,
      groupId: parent.group_id,
      labels: parent.labels,
      messages: this.#opened.messages,
      startedWallMs: this.#start.startedWallMs,
    };
  }
}
