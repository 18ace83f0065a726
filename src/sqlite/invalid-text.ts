import type { SqlRow, SqlValue } from '../../env/compare/value.ts';

/** What better-sqlite3 puts in the place of bytes that are not UTF-8; it can be real text too. */
const REPLACEMENT = '\uFFFD';

const strict = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Finds cells of TEXT that is not valid UTF-8, and keeps their bytes instead of the damaged string. The bytes are asked for
 * only where a string holds the replacement character, so honest rows cost a search in strings and nothing else.
 */
export function isolateInvalidText(row: SqlRow, bytesOf: (column: number) => Uint8Array): SqlRow {
  let copy: SqlValue[] | undefined;
  for (let column = 0; column < row.length; column += 1) {
    const value = row[column];
    if (typeof value !== 'string' || !value.includes(REPLACEMENT)) continue;
    const textBytes = bytesOf(column);
    if (isValid(textBytes)) continue;
    copy ??= [...row];
    copy[column] = { textBytes };
  }
  return copy ?? row;
}

function isValid(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
