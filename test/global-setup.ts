import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** Worker threads run built files, so what is tested is the built product: it is brought up to date once, first. */
export default function setup(): void {
  const root = fileURLToPath(new URL('..', import.meta.url));
  execFileSync(process.execPath, ['scripts/setup.mjs'], { cwd: root, stdio: 'inherit' });
}
