import { existsSync } from 'node:fs';
import path from 'node:path';

/** What is wrong with a database id, or undefined. It becomes part of a path, so it must stay inside its folder. */
export function databaseIdProblem(databaseId: string): string | undefined {
  if (/[/\\\0]/.test(databaseId) || databaseId === '.' || databaseId === '..') {
    return `${JSON.stringify(databaseId)} is not allowed; it names a file, and can't hold / or \\`;
  }
  return undefined;
}

/** Where a database lies: `DIR/ID/ID.sqlite`, or `DIR/ID.sqlite` if only that is there. */
export function databasePath(folder: string, databaseId: string): string {
  const nested = path.join(folder, databaseId, `${databaseId}.sqlite`);
  const flat = path.join(folder, `${databaseId}.sqlite`);
  return !existsSync(nested) && existsSync(flat) ? flat : nested;
}
