// Bundles what a worker thread runs into one file: a thread that loads eighty modules one by one needs twice the CPU time to start.
import { build } from 'esbuild';
import { fileURLToPath } from 'node:url';

await build({
  absWorkingDir: fileURLToPath(new URL('..', import.meta.url)),
  entryPoints: ['src/sqlite/worker.ts'],
  outfile: 'dist/src/sqlite/worker.cjs',
  bundle: true,
  platform: 'node',
  // CommonJS: piscina tries `require` first, and starting the loader of ES modules costs a thread 15 ms.
  format: 'cjs',
  target: 'node20',
  external: ['better-sqlite3'],
  banner: {
    js: "'use strict';\nconst moduleUrl = require('node:url').pathToFileURL(__filename).href;",
  },
  define: { 'import.meta.url': 'moduleUrl' },
  logLevel: 'warning',
});
