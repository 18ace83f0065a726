// First of all: a slow thread steps back before it loads anything. The storm of threads that runaways call up must not hold the
// others up.
import './step-back.ts';
import { answer, describeEngine } from './worker-tasks.ts';

/** What piscina calls: messages in, replies to the first of them out. */
export default answer;

export { describeEngine };
