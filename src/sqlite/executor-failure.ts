import type { ExecutorFailure } from '../episodes/ports.ts';
import type { JobReply } from './job.ts';

/** A reply that isn't the one hoped for, as the port names it. */
export function failureOf(reply: JobReply): ExecutorFailure {
  switch (reply.kind) {
    case 'overloaded':
    case 'starved':
      return { kind: 'overloaded' };
    case 'out_of_files':
      return { kind: 'overloaded', message: 'the server can open no more files (ulimit -n)' };
    case 'cancelled':
    case 'worker_lost':
      return { kind: reply.kind };
    case 'database_broken':
      return { kind: 'database_broken', message: reply.message };
    case 'internal':
      return { kind: 'internal', message: reply.message };
    case 'ran':
    case 'graded':
    case 'spider_graded':
    case 'spider_batch':
    case 'gold':
    case 'gold_broken':
    case 'schema':
    case 'slow':
      return unexpected(reply);
  }
}

/** An invariant broke: this kind can't be here. */
export function unexpected(message: { readonly kind: string }): {
  kind: 'internal';
  message: string;
} {
  return { kind: 'internal', message: `the executor did not expect '${message.kind}' here` };
}
