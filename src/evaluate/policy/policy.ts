import type { Message, Task } from '../../../env/task.ts';

/** What a policy is asked for: the next message of an episode. */
export interface PolicyTurn {
  readonly task: Task;
  /** Which attempt at the task it is, from 0. */
  readonly attempt: number;
  /** From 0. */
  readonly turnIndex: number;
  /** All messages so far, to the byte as in training. */
  readonly messages: readonly Message[];
  /** Completion tokens that the episode has left. */
  readonly tokenCountLeft: number;
}

/** A message of the policy, tool calls as hermes text. */
export interface PolicyReply {
  readonly text: string;
  /** As the endpoint counted them; 0 where nobody did. */
  readonly completionTokenCount: number;
}

/** Whatever plays episodes. */
export interface Policy {
  act(turn: PolicyTurn, signal: AbortSignal): Promise<PolicyReply>;
}

/** The policy can't play any episode, so there is no point in going on. Its message is for the user. */
export class PolicyUnusable extends Error {
  override readonly name = 'PolicyUnusable';
}
