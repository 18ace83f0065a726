import { statSync } from 'node:fs';

/** Changes when the file is replaced, rewritten or truncated. Throws if it is not there. */
export function fileFingerprint(path: string): string {
  const stat = statSync(path, { bigint: true });
  return `${stat.dev}:${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}
