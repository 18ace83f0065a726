import type { Job } from './job.ts';
import type { RunTimes, WorkerReply } from './messages.ts';
import type { LastingReply } from './result-cache.ts';

/** A reply for one who did not cause it: nothing ran for him, and all that he did was wait. */
export function sharedReply(reply: LastingReply, queueUs: number): LastingReply {
  const shown = { queryCpuUs: 0, queryUs: 0, queueUs: Math.max(0, Math.round(queueUs)) };
  const times = { ...reply.times, cpuUs: 0, wallUs: 0 };
  if (reply.kind === 'ran') return { ...reply, times, query: { ...reply.query, ...shown } };
  const judgements = reply.judgements.map((each) => ({
    ...each,
    answerQuery: each.answerQuery && { ...each.answerQuery, ...shown },
  }));
  return { ...reply, times, judgements };
}

type TimedReply = Extract<WorkerReply, { readonly times: RunTimes }>;

/** Adds what earlier attempts used; all other time since the job's arrival was spent waiting. */
export function withHistory(job: Job, reply: TimedReply): WorkerReply {
  const queueUs = Math.max(0, Math.round(reply.times.startedUs - job.arrivedUs - job.spentWallUs));
  const times: RunTimes = {
    startedUs: reply.times.startedUs,
    cpuUs: reply.times.cpuUs + job.spentCpuUs,
    wallUs: reply.times.wallUs + job.spentWallUs,
  };
  const shown = { queueUs, queryCpuUs: times.cpuUs, queryUs: times.wallUs };
  switch (reply.kind) {
    case 'ran':
      return { ...reply, times, query: { ...reply.query, ...shown } };
    case 'graded':
      return {
        ...reply,
        times,
        judgements: reply.judgements.map((each) => ({
          ...each,
          answerQuery: each.answerQuery && { ...each.answerQuery, ...shown },
        })),
      };
    case 'spider_graded':
    case 'spider_batch':
    case 'gold':
    case 'gold_broken':
    case 'schema':
    case 'slow':
      return { ...reply, times };
  }
}
