/**
 * A text that is equal for two parts of a query exactly when the parts are equal in depth: the official metrics compare
 * tuples and dictionaries, and multisets of them. The order of an object's keys doesn't matter, that of an array does.
 */
export function structureKey(part: unknown): string {
  if (typeof part === 'string') return JSON.stringify(part);
  if (typeof part === 'bigint') return `"${part}n"`;
  // JSON has no infinities, and a LIKE 'inf' parses as one.
  if (typeof part === 'number') return `"${part}"`;
  return typeof part === 'object' && part !== null ? objectKey(part) : String(part);
}

/** By hand: `JSON.stringify` with a replacer takes most of an evaluation's time. */
function objectKey(part: object): string {
  if (Array.isArray(part)) return `[${part.map(structureKey).join()}]`;
  const fields = part as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const name of Object.keys(fields).sort()) text += `${name}:${structureKey(fields[name])},`;
  return `${text}}`;
}

/** How many of the parts can be paired with an equal part of the other list, each used once. */
export function pairedCount(parts: readonly unknown[], others: readonly unknown[]): number {
  const available = new Map<string, number>();
  for (const other of others) {
    const key = structureKey(other);
    available.set(key, (available.get(key) ?? 0) + 1);
  }
  let count = 0;
  for (const part of parts) {
    const key = structureKey(part);
    const left = available.get(key) ?? 0;
    if (left === 0) continue;
    available.set(key, left - 1);
    count += 1;
  }
  return count;
}
