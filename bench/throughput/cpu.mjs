// CPU time of other processes, from /proc: user and system time of all their threads.
import { readFileSync } from 'node:fs';

/**
 * Rounds before anything is measured: a server's code is compiled as it runs, and the first batches of its life cost twice what all
 * later ones do. A training run has thousands.
 */
export const WARM_ROUND_COUNT = 30;

/** Milliseconds of CPU that a process has used; Linux counts them in steps of 10. */
export function cpuMsOf(processId) {
  const stat = readFileSync(`/proc/${processId}/stat`, 'utf8');
  // The name in parentheses may hold anything, blanks too.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** Microseconds of CPU of this process a unit, while `work` runs; it returns how many units it did. */
export async function ownCpuUs(work) {
  const before = process.cpuUsage();
  const count = await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / count;
}

export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
