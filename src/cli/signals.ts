import type { Log } from '../logger.ts';

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

type StopSignal = keyof typeof EXIT_CODES;

/** Signals that tell the process to stop. */
export interface SignalWatch {
  /** Resolves with the first one. From then on the next one ends the process at once. */
  readonly first: Promise<StopSignal>;
  /** Ends the process as a signal would. */
  die(signal: StopSignal): Promise<never>;
}

/** How long the system is given to end the process before it ends itself. */
const LAST_RESORT_MS = 200;

/** Watches for SIGINT and SIGTERM until the process ends. */
export function watchSignals(log: Log, flush: () => void): SignalWatch {
  let seen = false;
  const first = new Promise<StopSignal>((resolve) => {
    for (const signal of Object.keys(EXIT_CODES) as StopSignal[]) {
      process.on(signal, () => {
        if (seen) {
          log.warn({ signal }, 'stopping at once');
          flush();
          die(signal);
        } else {
          seen = true;
          resolve(signal);
        }
      });
    }
  });
  return {
    first,
    die: (signal) => {
      flush();
      die(signal);
      return new Promise(() => undefined);
    },
  };
}

/**
 * Ends the process as the signal would by itself; a shell sees 130 or 143. `process.exit` would wait for the threads, and a
 * thread inside SQLite does not end before its query.
 */
function die(signal: StopSignal): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // The first process of a container does not die of its own signals.
  setTimeout(() => process.exit(EXIT_CODES[signal]), LAST_RESORT_MS);
}
