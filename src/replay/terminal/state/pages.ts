import type { Trajectory, TrajectoryStep } from '../../../../env/trajectory.ts';

/** What one page of an episode shows. */
export type Page =
  | { readonly kind: 'prompt' }
  | { readonly kind: 'step'; readonly step: TrajectoryStep }
  | { readonly kind: 'verdict' };

/** The pages of an episode: its prompt, its steps, and how it ended. */
export function pageCount(trajectory: Trajectory): number {
  return trajectory.steps.length + 2;
}

/** The page of that index; one that is too large is the last one. */
export function pageOf(trajectory: Trajectory, index: number): Page {
  if (index <= 0) return { kind: 'prompt' };
  const step = trajectory.steps[index - 1];
  return step === undefined ? { kind: 'verdict' } : { kind: 'step', step };
}
