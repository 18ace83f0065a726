import { nextAttempt } from './attempt.ts';
import type { Job } from './job.ts';
import type { WorkerMessage } from './messages.ts';
import { nowUs } from './monotonic-clock.ts';
import type { NativeGuard } from './native-guard.ts';
import type { Batch, LaneRoom, Waiting } from './waiting-jobs.ts';

/** Notes that jobs begin, and gives their next attempts as messages to a thread. */
export function beginBatch(
  waiting: Waiting,
  room: LaneRoom,
  jobs: readonly Job[],
  guard: NativeGuard,
): { readonly batch: Batch; readonly messages: readonly WorkerMessage[] } {
  const crowded = isCrowded(waiting, room, jobs);
  const sinceUs = nowUs();
  const messages = jobs.map((job) => {
    const message = job.order.build(nextAttempt(job, guard.queryId(), crowded));
    job.running = { message, sinceUs };
    return message;
  });
  const batch = { sinceUs, jobCount: jobs.length };
  waiting.batches.add(batch);
  return { batch, messages };
}

/** Whether there are more jobs than cores, with those that begin now: each then holds others up for as long as it runs. */
function isCrowded(
  { jobs, batches }: Waiting,
  { wanted }: LaneRoom,
  beginning: readonly Job[],
): boolean {
  let count = jobs.length + beginning.length;
  for (const { jobCount } of batches) count += jobCount;
  return count > wanted;
}
