import { stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DatabaseFile } from './messages.ts';
import { fingerprintOf } from './fingerprint.ts';

/** How old a look at a file may be before the next one is due, milliseconds. */
const LOOK_MS = 200;

/** How old the last look may be for its result to count, milliseconds: a look can take long where the disk is not local. */
const TRUST_MS = 500;

/** How long is waited for a look, milliseconds; a local disk takes a tenth of one. */
const WAIT_MS = 5;

interface Watched {
  unchanged: boolean;
  lookedMs: number;
  looking: Promise<void> | undefined;
}

/**
 * Tells whether database files are still those that were served, without waiting for a slow disk: the answer is that of the last
 * look, and "no" where that is too long ago. Threads look for themselves before they run a query.
 */
export class FileWatch {
  readonly #files = new Map<string, Watched>();

  /** Whether it was the same file a moment ago. */
  isUnchanged(file: DatabaseFile): boolean {
    let watched = this.#files.get(file.path);
    if (watched === undefined) {
      watched = { unchanged: false, lookedMs: -Infinity, looking: undefined };
      this.#files.set(file.path, watched);
    }
    const ageMs = performance.now() - watched.lookedMs;
    if (ageMs > LOOK_MS) watched.looking ??= look(file, watched);
    return watched.unchanged && ageMs <= TRUST_MS;
  }

  /** Waits for a look that is under way, but not for long: after a pause the first one who asks would else know nothing. */
  async settled(file: DatabaseFile): Promise<void> {
    const looking = this.#files.get(file.path)?.looking;
    if (looking === undefined) return;
    const giveUp = new AbortController();
    await Promise.race([looking, sleep(WAIT_MS, undefined, { signal: giveUp.signal })]);
    giveUp.abort();
  }
}

async function look(file: DatabaseFile, watched: Watched): Promise<void> {
  const startedMs = performance.now();
  try {
    watched.unchanged = fingerprintOf(await stat(file.path, { bigint: true })) === file.fingerprint;
  } catch {
    watched.unchanged = false;
  }
  watched.lookedMs = startedMs;
  watched.looking = undefined;
}
