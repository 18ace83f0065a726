import type { Job } from './job.ts';

/** A lane's waiting jobs, first come first served. Jobs that were given up stay until their turn comes, and are skipped. */
export interface Waiting {
  jobs: Job[];
  running: number;
}

/** Takes the first jobs that still wait for a thread, as many as can travel together. */
export function takeJobs(waiting: Waiting, countMax: number): Job[] {
  const jobs: Job[] = [];
  let taken = 0;
  for (const job of waiting.jobs) {
    if (jobs.length >= countMax) break;
    if (job.alone && jobs.length > 0) break;
    taken += 1;
    if (job.settled) continue;
    jobs.push(job);
    if (job.alone) break;
  }
  waiting.jobs.splice(0, taken);
  return jobs;
}
