import { createHash } from 'node:crypto';
import type { SqlenvClient } from '../rpc/client.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import {
  drawThinkMs,
  drawTurnCount,
  TURN_COUNT_MAX,
  type ThinkDistribution,
  type TurnsDistribution,
} from './distributions.ts';
import {
  allocate,
  scriptedReturn,
  scriptTurns,
  type PolicyName,
  type PolicyShares,
  type ScriptTask,
} from './policies.ts';
import { randomOf, shuffled, type Random } from './random.ts';

/** A Reset as the client takes it. */
export type ResetRequest = Parameters<SqlenvClient['reset']>[0];

/** A Step as the client takes it. */
export type StepRequest = Parameters<SqlenvClient['step']>[0];

/** The action of a step, without its place. */
export type PlannedAction = Pick<
  StepRequest,
  'assistantText' | 'toolCall' | 'finalText' | 'completionTokenCount'
>;

/** One turn of an episode. */
export interface PlannedTurn {
  /** How long the trainer thinks before it, milliseconds. */
  readonly thinkMs: number;
  readonly action: PlannedAction;
}

/** One episode that will be played. */
export interface PlannedEpisode {
  readonly batchIndex: number;
  /** Its place in the batch; the rollouts of a group follow each other. */
  readonly episodeIndex: number;
  readonly policy: PolicyName | 'recorded';
  /** What it must earn. */
  readonly expectedReturn: number;
  /** All of the Reset but its episode id. */
  readonly reset: ResetRequest;
  readonly turns: readonly PlannedTurn[];
}

/** The batches that a load consists of. The same source gives the same batches, in whatever process. */
export interface EpisodeSource {
  /** Those episodes of a batch that are wanted, in order. */
  batch(
    batchIndex: number,
    isWanted: (episodeIndex: number) => boolean,
  ): Promise<readonly PlannedEpisode[]>;
  /** A text that is the same for two batches if and only if the same is played in them. */
  digest(batchIndex: number): string;
  /** What it was to be read from and could not be; the rest is played. */
  readonly problems: readonly InputProblem[];
  /** Gives back what it holds; idempotent. */
  close(): Promise<void>;
}

/** The shape of a batch: one training step. */
export interface BatchShape {
  readonly promptCount: number;
  /** Episodes of each prompt: its group. */
  readonly rolloutCount: number;
}

/** What scripted episodes are planned from. */
export interface ScriptedPlan extends BatchShape {
  readonly seed: number;
  readonly tasks: readonly ScriptTask[];
  readonly shares: PolicyShares;
  readonly turns: TurnsDistribution;
  readonly think: Exclude<ThinkDistribution, { kind: 'recorded' }>;
  /** CPU and wall-clock limit of a query, milliseconds; 0 is the server's default. */
  readonly queryMsMax: number;
}

/** Keys of the streams of random numbers, so that none is used for two things. */
const STREAM = { tasks: 1, policies: 2, episode: 3 } as const;

/** Episodes that follow scripts over a server's tasks. */
export function scriptedSource(plan: ScriptedPlan): EpisodeSource {
  return {
    batch: (batchIndex, isWanted) =>
      Promise.resolve(
        planBatch(plan, batchIndex).filter(({ episodeIndex }) => isWanted(episodeIndex)),
      ),
    digest: (batchIndex) =>
      createHash('sha256')
        .update(JSON.stringify(planBatch(plan, batchIndex)))
        .digest('hex'),
    problems: [],
    close: () => Promise.resolve(),
  };
}

/** All episodes of a batch. The same plan and index give the same, byte for byte. */
export function planBatch(plan: ScriptedPlan, batchIndex: number): PlannedEpisode[] {
  const { promptCount, rolloutCount, seed } = plan;
  const count = promptCount * rolloutCount;
  const policies = policiesOf(plan, batchIndex);
  const draws = Array.from({ length: count }, (_, episodeIndex) => {
    const random = randomOf(seed, STREAM.episode, batchIndex, episodeIndex);
    return { random, turnCount: drawTurnCount(plan.turns, random) };
  });
  return policies.map((policy, episodeIndex) => {
    const groupIndex = Math.floor(episodeIndex / rolloutCount);
    const task = taskAt(plan, batchIndex * promptCount + groupIndex);
    const said = saidBy(policies, episodeIndex, groupIndex * rolloutCount, rolloutCount);
    const turnCount = draws[said.episodeIndex]?.turnCount ?? 1;
    const place = { batchIndex, episodeIndex: said.episodeIndex, turnCount };
    return {
      batchIndex,
      episodeIndex,
      policy,
      expectedReturn: scriptedReturn(said.policy),
      reset: resetOf(plan, task, `${batchIndex}/${groupIndex}`),
      turns: scriptTurns(said.policy, task, place).map((assistantText) => ({
        thinkMs: drawThinkMs(plan.think, draws[episodeIndex]?.random as Random),
        action: { assistantText },
      })),
    };
  });
}

/**
 * The policies of a batch. The even order of `allocate` starts somewhere else in each batch and is mixed within the groups, so
 * that a policy is not always in the same place.
 */
function policiesOf(plan: ScriptedPlan, batchIndex: number): PolicyName[] {
  const { promptCount, rolloutCount, seed, shares } = plan;
  const random = randomOf(seed, STREAM.policies, batchIndex);
  const even = allocate(shares, promptCount * rolloutCount);
  const start = random.whole(0, even.length - 1);
  const turned = [...even.slice(start), ...even.slice(0, start)];
  return Array.from({ length: promptCount }, (_, groupIndex) =>
    shuffled(turned.slice(groupIndex * rolloutCount, (groupIndex + 1) * rolloutCount), random),
  ).flat();
}

/** Tasks are drawn as a trainer's sampler does: all of them in a mixed order, then all of them in another one. */
function taskAt({ tasks, seed }: ScriptedPlan, position: number): ScriptTask {
  const epoch = Math.floor(position / tasks.length);
  const order = taskOrders.get(tasks) ?? { seed, epoch: -1, tasks: [] };
  if (order.epoch !== epoch || order.seed !== seed) {
    order.epoch = epoch;
    order.seed = seed;
    order.tasks = shuffled(tasks, randomOf(seed, STREAM.tasks, epoch));
    taskOrders.set(tasks, order);
  }
  const task = order.tasks[position % tasks.length];
  if (task === undefined) throw new Error('a load test needs at least one task');
  return task;
}

/** The order that was used last, by list of tasks: mixing 7,000 tasks for each prompt would take longer than the load. */
const taskOrders = new WeakMap<
  readonly ScriptTask[],
  { seed: number; epoch: number; tasks: ScriptTask[] }
>();

/**
 * Whose script a rollout says. One that repeats takes the first sibling that runs the gold, else the first that answers wrongly;
 * where there is neither, all that repeat say the same.
 */
function saidBy(
  policies: readonly PolicyName[],
  episodeIndex: number,
  groupStart: number,
  rolloutCount: number,
): { readonly policy: Exclude<PolicyName, 'repeated'>; readonly episodeIndex: number } {
  const policy = policies[episodeIndex] ?? 'gold';
  if (policy !== 'repeated') return { policy, episodeIndex };
  const group = policies.slice(groupStart, groupStart + rolloutCount);
  for (const sibling of ['gold', 'wrong'] as const) {
    const index = group.indexOf(sibling);
    if (index !== -1) return { policy: sibling, episodeIndex: groupStart + index };
  }
  return { policy: 'gold', episodeIndex: groupStart + group.indexOf('repeated') };
}

function resetOf(plan: ScriptedPlan, task: ScriptTask, groupId: string): ResetRequest {
  const { queryMsMax } = plan;
  return {
    taskId: task.taskId,
    groupId,
    limits: {
      queryCpuMsMax: queryMsMax,
      queryWallMsMax: queryMsMax,
      // Neither may end an episode before its script does.
      stepCountMax: TURN_COUNT_MAX + 1,
      invalidCallCountMax: TURN_COUNT_MAX + 1,
    },
    // What a script earns must not depend on how the server is configured.
    onMalformed: 'ON_MALFORMED_END',
    score: { guard: 'REWARD_GUARD_FLAG' },
  };
}
