// Bundles the script of `sqlenv replay --html` into one file, so that a page can hold it whole.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['src/replay/page/main.ts'],
  outfile: 'dist/page/replay.js',
  bundle: true,
  format: 'iife',
  target: 'es2023',
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
});
