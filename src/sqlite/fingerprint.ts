import { statSync, type BigIntStats } from 'node:fs';

/** Changes when the file is replaced, rewritten or truncated. Throws if it is not there. */
export function fileFingerprint(path: string): string {
  return fingerprintOf(statSync(path, { bigint: true }));
}

/** The same, of what the system says of a file. */
export function fingerprintOf(stat: BigIntStats): string {
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}
