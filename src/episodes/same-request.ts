import { isDeepStrictEqual } from 'node:util';
import { canonicalJson } from './canonical-hash.ts';
import type { ResetRequest, StepRequest } from './requests.ts';

/** Whether a request is a repeat: the same step of the same episode with the same action. Cheaper than any hash of it. */
export function isSameStep(before: StepRequest, now: StepRequest): boolean {
  if (before.episodeId !== now.episodeId || before.stepIndex !== now.stepIndex) return false;
  if (before.completionTokenCount !== now.completionTokenCount) return false;
  const { action } = before;
  if (action.kind === 'tool_call') {
    return (
      now.action.kind === 'tool_call' &&
      action.name === now.action.name &&
      action.argumentsJson === now.action.argumentsJson
    );
  }
  return action.kind === now.action.kind && action.text === now.action.text;
}

/** Whether a Reset request asks for the same episode: what is left out is the same as what is not set. */
export function isSameReset(before: ResetRequest, now: ResetRequest): boolean {
  return isDeepStrictEqual(before, now) || canonicalJson(before) === canonicalJson(now);
}
