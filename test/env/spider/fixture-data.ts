import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

import { spiderSchema, type SpiderSchema } from '../../../env/spider/schema.ts';

const projectFolder = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');

/** The Spider layout that the tests read; the outputs of the official scripts lie beside it. */
export const spiderFolder = resolve(
  projectFolder,
  process.env['SQLENV_SPIDER_DIR'] ?? '../shared/data/spider',
);

/** A file beside the Spider folder. */
export function besideSpider(...names: string[]): string {
  return join(dirname(spiderFolder), ...names);
}

/** True when the data isn't there; says so, because a skipped comparison proves nothing. */
export function isMissing(...names: string[]): boolean {
  const path = besideSpider(...names);
  if (existsSync(path)) return false;
  // oxlint-disable-next-line no-console -- a skipped comparison must be seen
  console.warn(
    `SKIPPED: ${path} is missing; set SQLENV_SPIDER_DIR to compare with the official outputs`,
  );
  return true;
}

/** The lines of a gzipped JSONL file beside the Spider folder. */
export function readJsonLines<Line>(...names: string[]): Line[] {
  const text = gunzipSync(readFileSync(besideSpider(...names))).toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}

/** The schemas that the official parser was run with, by database. */
export function readSchemas(): Map<string, SpiderSchema> {
  const text = readFileSync(besideSpider('fixtures', 'schemas.json'), 'utf8');
  const columnsByTable = JSON.parse(text) as Record<string, Record<string, string[]>>;
  return new Map(
    Object.entries(columnsByTable).map(([database, tables]) => [
      database,
      spiderSchema(Object.entries(tables).map(([name, columns]) => ({ name, columns }))),
    ]),
  );
}
