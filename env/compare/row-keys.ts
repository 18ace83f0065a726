import { rowEqualityKey } from './python-equality.ts';
import type { SqlRow } from './value.ts';

/** A text's digest, for example SHA-256 in hex. Injective as far as its users are concerned. */
export type Hash = (text: string) => string;

/** Characters that are hashed at once: results of any size are digested without one text that holds them all. */
const CHUNK_SIZE = 65_536;

/** The canonical key of a row: equal for two rows exactly when they are equal cell by cell, as Python's `==` has it. */
export function rowKey(row: SqlRow): string {
  return rowEqualityKey(row);
}

/** The keys of a whole result, in its order. */
export function rowKeys(rows: readonly SqlRow[]): string[] {
  return rows.map(rowKey);
}

/** Digest of a sequence of keys: equal exactly for equal sequences. Each key's length goes before it. */
export function digestKeys(keys: Iterable<string>, hash: Hash): string {
  let digests = '';
  let chunk = '';
  for (const key of keys) {
    chunk += `${key.length}:${key}`;
    if (chunk.length >= CHUNK_SIZE) {
      digests += hash(chunk);
      chunk = '';
    }
  }
  return hash(digests + hash(chunk));
}
