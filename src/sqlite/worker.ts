import { loadGuard } from './native-guard.ts';

/** Lowest priority that Linux gives a thread: slow queries get what the honest ones leave. */
const SLOW_NICE = 19;

// A slow thread steps back before it loads anything: the storm of threads that runaways call up must not hold the others up.
const [lane] = process.argv.slice(2);
if (lane === 'slow') loadGuard().lowerPriority(SLOW_NICE);

const { answer, describeEngine } = await import('./worker-tasks.ts');

/** What piscina calls: messages in, replies to the first of them out. */
export default answer;

export { describeEngine };
