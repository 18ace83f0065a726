// Bundles the script and the styles of `sqlenv replay --html` into a file each, so that a page can hold them whole.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: [
    { in: 'src/replay/page/main.ts', out: 'replay' },
    { in: 'src/replay/page/styles/page.css', out: 'replay' },
  ],
  outdir: 'dist/page',
  bundle: true,
  format: 'iife',
  target: 'es2023',
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
});
