import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Folder of a Spider release; tests that need it skip loudly where it isn't there. */
export const SPIDER_DIR: string = path.resolve(
  root,
  process.env['SQLENV_SPIDER_DIR'] ?? '../shared/data/spider',
);

/** Whether it is there. */
export const HAS_SPIDER: boolean = existsSync(path.join(SPIDER_DIR, 'dev.json'));

if (!HAS_SPIDER) {
  process.stderr.write(
    `\n!!! SKIPPED: no Spider data in ${SPIDER_DIR} (set SQLENV_SPIDER_DIR): its tests do not run !!!\n\n`,
  );
}
