import type { QueryOutcome, QueryTelemetry } from '../episodes/ports.ts';
import type { Job, JobOrder, JobReply } from './job.ts';

/** Tells how a job ended that was answered just now. */
export function reportEnd(telemetry: QueryTelemetry, job: Job, reply: JobReply): void {
  const times = 'times' in reply ? reply.times : undefined;
  // It got the reply of another one that asked the same, and nothing ran for it.
  const shared = times?.wallUs === 0;
  telemetry.queryEnded(job.order.purpose, shared ? 'none' : job.lane, outcomeOf(reply));
  if (times === undefined || shared) return;
  const { startedUs, cpuUs, wallUs } = times;
  // As in the query's own account: what was neither run now nor in an earlier attempt was waiting.
  const queueUs = Math.max(0, startedUs - job.arrivedUs - job.spentWallUs);
  telemetry.queryTimed(job.lane, queueUs, cpuUs, wallUs);
}

/** Tells that a kept reply was given: no lane ran anything. */
export function reportShared(telemetry: QueryTelemetry, order: JobOrder, reply: JobReply): void {
  telemetry.queryEnded(order.purpose, 'none', outcomeOf(reply));
}

function outcomeOf(reply: JobReply): QueryOutcome {
  switch (reply.kind) {
    case 'ran':
      return reply.query.status as QueryOutcome;
    case 'graded':
      return (reply.judgements[0]?.answerQuery?.status ?? 'ok') as QueryOutcome;
    case 'gold':
    case 'schema':
    case 'spider_graded':
    case 'spider_batch':
      return 'ok';
    case 'slow':
      // The clocks of a trial never end a job; the slow lane does.
      return 'time_limit';
    case 'out_of_files':
      return 'overloaded';
    case 'gold_broken':
    case 'starved':
    case 'cancelled':
    case 'overloaded':
    case 'worker_lost':
    case 'database_broken':
    case 'internal':
      return reply.kind;
  }
}
