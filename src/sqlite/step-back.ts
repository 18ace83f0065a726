import { loadGuard } from './native-guard.ts';

/** Lowest priority that Linux gives a thread: slow queries get what the honest ones leave. */
const SLOW_NICE = 19;

const [lane] = process.argv.slice(2);
if (lane === 'slow') loadGuard().lowerPriority(SLOW_NICE);
