import type { TimeLimit } from '../../env/query.ts';
import type { Job } from './job.ts';
import type { RunClocks, RunTimes, WorkerReply } from './messages.ts';
import { nowUs } from './monotonic-clock.ts';
import type { NativeGuard } from './native-guard.ts';

/** How long the guard may be trying to stop a query before it is answered without waiting for its thread, milliseconds. */
const OVERDUE_MS = 25;

/** The reply to a running job whose query does not stop although the guard tells it to; undefined if it is none of those. */
export function overdueReply(guard: NativeGuard, job: Job): WorkerReply | undefined {
  if (job.settled || !job.running) return undefined;
  const { message } = job.running;
  if (guard.overdue(message.queryId) < OVERDUE_MS) return undefined;
  const cpuMs = guard.usedCpuMs(message.queryId);
  if (cpuMs < 0) return undefined; // it has stopped just now
  const wallMs = guard.usedWallMs(message.queryId);
  const timeLimit = message.trial
    ? limitOver(job.order.clocks, cpuMs, wallMs)
    : guard.stopping(message.queryId) === 1
      ? 'cpu'
      : 'wall';
  if (timeLimit === 'none') return undefined;
  const wallUs = Math.round(wallMs * 1_000);
  const times: RunTimes = {
    startedUs: nowUs() - wallUs,
    cpuUs: Math.round(cpuMs * 1_000),
    wallUs,
  };
  // No trial any more: what it has used is its answer.
  return job.order.timedOut({ ...message, trial: false }, timeLimit, times);
}

/** Which of its own limits a query has gone over that is stuck in its trial. */
function limitOver(clocks: RunClocks, cpuMs: number, wallMs: number): TimeLimit {
  if (cpuMs >= clocks.cpuMs + OVERDUE_MS) return 'cpu';
  return wallMs >= clocks.wallMs + OVERDUE_MS ? 'wall' : 'none';
}
