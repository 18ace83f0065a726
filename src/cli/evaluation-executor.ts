import { availableParallelism } from 'node:os';
import type { DatabaseFiles } from '../evaluate/database-files.ts';
import { createExecutor, type SqliteExecutor } from '../sqlite/executor.ts';
import { wholeNumber } from './numbers.ts';

/** Queries that may wait for a thread: callers bound how many they have on the way. */
const QUEUE_COUNT_MAX = 100_000;

/** Starts the threads of an evaluation: no more than can run at once. */
export async function openExecutor(
  databases: Pick<DatabaseFiles, 'files'>,
  threads: number,
): Promise<SqliteExecutor> {
  return await createExecutor({
    databases: databases.files,
    queueCountMax: QUEUE_COUNT_MAX,
    fastThreadCount: threads,
    slowThreadCountMax: threads,
    slowThreadCountMin: 0,
  });
}

/** What `--threads` says; by default one a core. */
export function threadCount(flag: string | undefined): number {
  return flag === undefined ? availableParallelism() : wholeNumber('--threads', flag, 1, 256);
}
