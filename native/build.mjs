// Builds native/build/guard.node with the system's C compiler. No network, no node-gyp: it needs `cc` (or $CC) alone.
// Run at install; `--strict` makes a failure an error, otherwise it is a warning and `sqlenv serve` says what to do.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const strict = process.argv.includes('--strict');
const out = path.join(here, 'build');
const target = path.join(out, 'guard.node');
const stampFile = path.join(out, 'guard.stamp');

try {
  build();
} catch (error) {
  console.error(`sqlenv: the native guard could not be built: ${error.message}`);
  console.error(
    'sqlenv: it needs a C compiler (Debian: apt-get install gcc libc6-dev; macOS: xcode-select --install);',
  );
  console.error('sqlenv: then run `npm rebuild sqlenv`, or in a checkout `node native/build.mjs`.');
  process.exitCode = strict ? 1 : 0;
}

function build() {
  const require = createRequire(path.join(here, 'build.mjs'));
  const sqliteHeaders = path.join(
    path.dirname(require.resolve('better-sqlite3/package.json')),
    'deps',
    'sqlite3',
  );
  const nodeHeaders = require('node-api-headers').include_dir;
  const sources = ['guard.c', 'statements.c'].map((name) => path.join(here, name));
  const compiler = process.env.CC ?? 'cc';
  const flags = [
    ...[
      '-O2',
      '-g',
      '-std=gnu11',
      '-fPIC',
      '-fvisibility=hidden',
      '-Wall',
      '-Wextra',
      '-Werror=implicit-function-declaration',
    ],
    ...['-DNAPI_VERSION=8', `-I${sqliteHeaders}`, `-I${nodeHeaders}`],
    ...(process.platform === 'darwin'
      ? ['-bundle', '-undefined', 'dynamic_lookup']
      : ['-shared', '-pthread', '-ldl']),
  ];
  const stamp = createHash('sha256')
    .update([...sources, path.join(here, 'guard.h')].map((file) => readFileSync(file)).join('\n'))
    .update(readFileSync(path.join(sqliteHeaders, 'sqlite3ext.h')))
    .update(
      JSON.stringify([
        compiler,
        flags.filter((flag) => !flag.startsWith('-I')),
        process.platform,
        process.arch,
      ]),
    )
    .digest('hex');
  if (existsSync(target) && existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp)
    return;
  mkdirSync(out, { recursive: true });
  // A new file takes the old one's place at once: a running server keeps the one that it has mapped.
  const fresh = path.join(out, `guard.${process.pid}.tmp`);
  try {
    execFileSync(compiler, [...flags, '-o', fresh, ...sources], {
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    renameSync(fresh, target);
    writeFileSync(stampFile, stamp);
  } finally {
    rmSync(fresh, { force: true });
  }
}
