// Makes a checkout ready: dependencies, native guard, build, demo databases. Does only what is missing or out of date.
// `npm start`, `npm test` and `npm run demo` begin with it, so that each works on a fresh clone.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stamps = path.join(root, 'node_modules', '.sqlenv');

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  fail(`Node ${process.versions.node} is too old: sqlenv runs on 20.19 to 26`);
}

installDependencies();
step(
  'native guard',
  ['native/guard.c', 'native/guard.h', 'native/statements.c', 'native/build.mjs'],
  'native/build/guard.node',
  () => run(process.execPath, ['native/build.mjs', '--strict']),
);
step('TypeScript', ['src', 'env', 'databases', 'tsconfig.json'], 'dist/src/main.js', () => {
  run(process.execPath, ['node_modules/typescript/bin/tsc']);
  removeStale();
});
const WORKER_SOURCES = [
  'src',
  'env',
  'tsconfig.json',
  'scripts/build-worker.mjs',
  'package-lock.json',
];
step('worker threads', WORKER_SOURCES, 'dist/src/sqlite/worker.cjs', () =>
  run(process.execPath, ['scripts/build-worker.mjs']),
);
const PAGE_SOURCES = [
  'src/replay',
  'src/suggest.ts',
  'env',
  'scripts/build-page.mjs',
  'package-lock.json',
];
step('replay page', PAGE_SOURCES, 'dist/page/replay.js', () =>
  run(process.execPath, ['scripts/build-page.mjs']),
);
step('demo databases', ['databases'], 'databases/build', () =>
  run(process.execPath, ['dist/databases/build.js'], { quiet: true }),
);

function installDependencies() {
  const lock = readFileSync(path.join(root, 'package-lock.json'));
  const stamp = hash([lock, process.versions.modules, process.platform, process.arch]);
  if (readStamp('dependencies') === stamp) return;
  if (
    existsSync(path.join(root, 'node_modules/better-sqlite3/build/Release/better_sqlite3.node'))
  ) {
    // Installed by hand: only what does not fit the lock file is put right.
    const check = spawnSync('npm', ['ls', '--all', '--silent'], { cwd: root, stdio: 'ignore' });
    if (check.status === 0) return writeStamp('dependencies', stamp);
  }
  say(
    'installing dependencies (a minute or two: SQLite is compiled where no built one can be had)',
  );
  run('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  writeStamp('dependencies', stamp);
}

/** Runs `make` unless the target is there and was made from sources with the same bytes. */
function step(name, sources, target, make) {
  const contents = sources.flatMap((source) => listFiles(path.join(root, source)));
  const stamp = hash(contents.flatMap((file) => [path.relative(root, file), readFileSync(file)]));
  if (existsSync(path.join(root, target)) && readStamp(name) === stamp) return;
  say(`building: ${name}`);
  make();
  writeStamp(name, stamp);
}

/** Built files whose source is gone would still be found by an import. Removed last, so that a server which runs keeps its files. */
function removeStale() {
  for (const file of listFiles(path.join(root, 'dist'))) {
    const name = path.relative(path.join(root, 'dist'), file);
    // Bundles, made by steps of their own.
    if (path.dirname(name) === 'page' || name.endsWith('.cjs')) continue;
    const source = path.join(root, name.replace(/(\.d\.ts|\.js)(\.map)?$/, '.ts'));
    if (!existsSync(source) && !existsSync(`${source}x`)) rmSync(file);
  }
}

function listFiles(place) {
  if (!existsSync(place)) fail(`${place} is missing: the checkout is incomplete`);
  if (path.extname(place) !== '') return [place];
  return readdirSync(place, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => !file.startsWith(path.join(root, 'databases', 'build')))
    .toSorted();
}

function run(command, args, { quiet = false } = {}) {
  const done = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', quiet ? 'ignore' : 'inherit', 'inherit'],
  });
  if (done.error) fail(`${command} can't be started: ${done.error.message}`);
  if (done.status !== 0) fail(`'${[command, ...args].join(' ')}' failed`);
}

function hash(parts) {
  const sha = createHash('sha256');
  for (const part of parts) sha.update(part).update('\0');
  return sha.digest('hex');
}

function readStamp(name) {
  const file = path.join(stamps, name.replaceAll(' ', '-'));
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

function writeStamp(name, stamp) {
  mkdirSync(stamps, { recursive: true });
  writeFileSync(path.join(stamps, name.replaceAll(' ', '-')), stamp);
}

function say(text) {
  process.stderr.write(`sqlenv: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
