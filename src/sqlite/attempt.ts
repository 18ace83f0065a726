import type { Attempt, Job } from './job.ts';

/**
 * What a query may take in the fast lane before it counts as slow. On Spider's dev set the slowest gold takes 3.3 ms of CPU
 * time, so honest queries stay; a runaway costs the lane this much and no more.
 */
export const TRIAL_CLOCKS = { cpuMs: 20, wallMs: 250 } as const;

/** The same while others wait for a thread: 26 runaways in a batch of 512 held the honest ones up by half a second. */
const CROWDED_TRIAL_CPU_MS = 8;

/** The next try of a job: a trial in the fast lane (a shorter one if it is crowded), else with what its limits leave. */
export function nextAttempt(job: Job, queryId: number, crowded: boolean): Attempt {
  const { clocks } = job.order;
  const cpuMs = crowded ? CROWDED_TRIAL_CPU_MS : TRIAL_CLOCKS.cpuMs;
  const trial = job.lane === 'fast' && clocks.cpuMs > TRIAL_CLOCKS.cpuMs;
  if (trial) {
    return {
      queryId,
      trial,
      clocks: { cpuMs, wallMs: Math.min(TRIAL_CLOCKS.wallMs, clocks.wallMs) },
    };
  }
  return {
    queryId,
    trial,
    clocks: {
      cpuMs: Math.max(1, clocks.cpuMs - job.spentCpuUs / 1_000),
      wallMs: Math.max(1, clocks.wallMs - job.spentWallUs / 1_000),
    },
  };
}
