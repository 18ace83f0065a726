import { stat } from 'node:fs/promises';
import type { DatabaseFile } from './messages.ts';
import { fingerprintOf } from './fingerprint.ts';

/** How old a look at a file may be before the next one is due, milliseconds. */
const LOOK_MS = 200;

/** How old the last look may be for its result to count, milliseconds: a look can take long where the disk is not local. */
const TRUST_MS = 500;

interface Watched {
  unchanged: boolean;
  lookedMs: number;
  looking: boolean;
}

/**
 * Tells whether database files are still those that were served, without ever waiting for a disk: the answer is that of the last
 * look, and "no" where that is too long ago. Threads look for themselves before they run a query.
 */
export class FileWatch {
  readonly #files = new Map<string, Watched>();

  /** Whether it was the same file a moment ago. */
  isUnchanged(file: DatabaseFile): boolean {
    let watched = this.#files.get(file.path);
    if (watched === undefined) {
      watched = { unchanged: false, lookedMs: -Infinity, looking: false };
      this.#files.set(file.path, watched);
    }
    const ageMs = performance.now() - watched.lookedMs;
    if (ageMs > LOOK_MS && !watched.looking) void look(file, watched);
    return watched.unchanged && ageMs <= TRUST_MS;
  }
}

async function look(file: DatabaseFile, watched: Watched): Promise<void> {
  watched.looking = true;
  const startedMs = performance.now();
  try {
    watched.unchanged = fingerprintOf(await stat(file.path, { bigint: true })) === file.fingerprint;
  } catch {
    watched.unchanged = false;
  }
  watched.lookedMs = startedMs;
  watched.looking = false;
}
