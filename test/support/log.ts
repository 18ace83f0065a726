import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../../src/logger.ts';

/** One line of the log. */
export interface LogLine {
  readonly level: keyof Log;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly message: string;
}

/** A log that keeps its lines. */
export interface RecordedLog extends Log {
  readonly lines: LogLine[];
}

/** Opens a log that keeps its lines for a test to look at. */
export function recordingLog(): RecordedLog {
  const lines: LogLine[] = [];
  const method = (level: keyof Log) => (fields: LogLine['fields'], message: string) => {
    lines.push({ level, fields, message });
  };
  return {
    lines,
    debug: method('debug'),
    info: method('info'),
    warn: method('warn'),
    error: method('error'),
  };
}

/** Waits until something holds. The time is for machines that are busy: what is waited for takes milliseconds. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`still not so after 10 s: ${holds.toString()}`);
    await sleep(2);
  }
}
