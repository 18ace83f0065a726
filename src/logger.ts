import { createRequire } from 'node:module';
import pino from 'pino';
import type { LogLevel } from './config-schema.ts';

type LogMethod = (fields: Readonly<Record<string, unknown>>, message: string) => void;

/** The part of a logger that the layers below the commands use; pino's fits. */
export interface Log {
  readonly debug: LogMethod;
  readonly info: LogMethod;
  readonly warn: LogMethod;
  readonly error: LogMethod;
  /** Whether lines of this level are written at all; without it they may be. */
  readonly isLevelEnabled?: (level: string) => boolean;
}

/** The process's log, and the way to write out what it still holds. */
export interface ProcessLog {
  readonly log: Log;
  /** Writes out what is buffered; called before the process exits. */
  readonly flush: () => void;
}

/** Log lines that may wait for a slow reader of stderr before new ones are dropped. */
const BUFFER_BYTES_MAX = 16 * 1024 * 1024;

/** Lines are written together: a write of its own for each step's line cost a tenth of the main thread's time. */
const LOG_BUFFER_BYTES = 8_192;

/** How long a line may wait for others to be written with, milliseconds. */
const LOG_FLUSH_MS = 50;

/**
 * Opens the log: one JSON object a line on stderr, without ever making a call wait for whoever reads it. `pretty` is for
 * people, and holds only where stderr is a terminal and `pino-pretty` is installed.
 */
export function openLog(level: LogLevel, pretty: boolean): ProcessLog {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: pino.stdSerializers.errWithCause },
  };
  if (pretty && process.stderr.isTTY && isInstalled('pino-pretty')) {
    const transport = {
      target: 'pino-pretty',
      options: { destination: 2, ignore: 'hostname,pid' },
    };
    const { formatters: _, ...plain } = options;
    const log = pino({ ...plain, transport });
    return { log, flush: () => log.flush() };
  }
  const destination = pino.destination({
    dest: 2,
    sync: false,
    minLength: LOG_BUFFER_BYTES,
    periodicFlush: LOG_FLUSH_MS,
    maxLength: BUFFER_BYTES_MAX,
  });
  return { log: pino(options, destination), flush: () => flushQuietly(destination) };
}

function isInstalled(name: string): boolean {
  try {
    createRequire(import.meta.url).resolve(name);
    return true;
  } catch {
    return false;
  }
}

function flushQuietly(destination: { flushSync(): void }): void {
  try {
    destination.flushSync();
  } catch {
    // A stderr that is closed or not yet open has no reader to serve.
  }
}
