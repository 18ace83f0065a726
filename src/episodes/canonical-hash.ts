import { createHash } from 'node:crypto';

/** SHA-256 of a text's UTF-8 bytes, lower-case hex. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** SHA-256 over a value of plain data in which the order of keys doesn't matter and absent equals undefined. */
export function canonicalHash(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** The same for values that are equal in that sense. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, sortKeys);
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
