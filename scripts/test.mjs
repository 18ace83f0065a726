// `npm test`: every check there is, each named with its time, and one closing line `N passed, N failed`.
// All of them run, also after one failed. With CI set, a test that was skipped is a failure: there nothing may be missing.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const inCi = Boolean(process.env.CI);
const only = process.argv.slice(2);
const scratch = mkdtempSync(path.join(tmpdir(), 'sqlenv-npm-test-'));
const totals = { passed: 0, failed: 0, skipped: 0 };
/** Said again at the end: of a long output often only the end is kept. */
const failures = [];

const bin = (name) => path.join('node_modules', '.bin', name);

/** @typedef {{ ok: boolean, passed?: number, failed?: number, skipped?: number, names?: string[] }} Outcome */
/** @type {readonly [string, () => Outcome][]} */
const checks = [
  ['set-up', () => run(process.execPath, ['scripts/setup.mjs'])],
  ['format', () => run(bin('prettier'), ['--check', '--log-level=warn', '.'])],
  ['lint', () => run(bin('oxlint'), ['--type-aware', '--deny-warnings'])],
  ['types', () => run(bin('tsc'), ['--noEmit', '-p', 'test/tsconfig.json'])],
  ['types of the page', () => run(bin('tsc'), ['--noEmit', '-p', 'src/replay/page/tsconfig.json'])],
  ['dead code', () => run(bin('knip'), ['--no-progress'])],
  ['proto lint', () => run(bin('buf'), ['lint'])],
  ['proto format', () => run(bin('buf'), ['format', '--diff', '--exit-code'])],
  ['generated code', compareGenerated],
  ['TypeScript tests', runVitest],
  ['Python tests', runPython],
];

try {
  for (const [name, check] of checks) {
    if (only.length > 0 && !only.includes(name) && name !== 'set-up') continue;
    const start = performance.now();
    const { ok, passed = ok ? 1 : 0, failed = ok ? 0 : 1, skipped = 0, names = [] } = check();
    totals.passed += passed;
    totals.failed += failed;
    totals.skipped += skipped;
    if (!ok) failures.push(...(names.length > 0 ? names : [name]));
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    console.log(`${ok ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)`);
    // Nothing else makes sense on a checkout that can't be set up.
    if (!ok && name === 'set-up') break;
  }
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
if (inCi && totals.skipped > 0) {
  console.log(`FAILED ${totals.skipped} tests were skipped, and in CI none may be`);
  totals.failed += totals.skipped;
  totals.skipped = 0;
}
if (failures.length > 0)
  console.log(`\nfailed:\n${failures.map((each) => `  ${each}`).join('\n')}`);
const skipped = totals.skipped > 0 ? `, ${totals.skipped} skipped` : '';
console.log(`\n${totals.passed} passed, ${totals.failed} failed${skipped}`);
process.exitCode = totals.failed > 0 ? 1 : 0;

function run(command, args, options = {}) {
  const done = spawnSync(command, args, { cwd: root, stdio: 'inherit', ...options });
  if (done.error) console.log(`${command}: ${done.error.message}`);
  return { ok: done.status === 0, output: done.stdout?.toString() ?? '' };
}

/** src/generated is committed, so that a reader sees it; here it is made anew and compared. */
function compareGenerated() {
  const fresh = path.join(scratch, 'generated');
  if (!run(process.execPath, ['scripts/generate-types.mjs', fresh]).ok) return { ok: false };
  return run('diff', ['-r', fresh, 'src/generated']);
}

function runVitest() {
  const file = path.join(scratch, 'vitest.json');
  const { ok } = run(bin('vitest'), [
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  if (!existsSync(file)) return { ok: false };
  const report = JSON.parse(readFileSync(file, 'utf8'));
  const passed = report.numPassedTests;
  // A file that can't even be loaded has no tests that could fail.
  const failed = Math.max(report.numFailedTests, ok ? 0 : 1);
  return {
    ok: ok && passed > 0,
    passed,
    failed,
    skipped: report.numPendingTests + report.numTodoTests,
    names: report.testResults.flatMap(failedTests),
  };
}

/** The failed tests of a file, with the first line of what was wrong; the file itself if it could not be loaded. */
function failedTests({ name: file, status, message, assertionResults }) {
  const short = path.relative(root, file);
  const first = (text) => text?.split('\n')[0] ?? '';
  const failed = assertionResults.filter((each) => each.status === 'failed');
  if (failed.length === 0) return status === 'failed' ? [`${short}: ${first(message)}`] : [];
  return failed.map(
    ({ fullName, failureMessages }) => `${short}: ${fullName}: ${first(failureMessages[0])}`,
  );
}

function runPython() {
  const script = path.join(root, 'python', 'scripts', 'run_tests.sh');
  if (!existsSync(script)) return { ok: true, passed: 0 };
  const done = spawnSync('bash', [script], {
    cwd: path.join(root, 'python'),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const output = done.stdout?.toString() ?? '';
  process.stdout.write(output);
  const count = (word) =>
    [...output.matchAll(new RegExp(`(\\d+) ${word}`, 'g'))].reduce(
      (sum, match) => sum + Number(match[1]),
      0,
    );
  const ok = done.status === 0;
  return {
    ok,
    passed: count('passed'),
    failed: Math.max(count('failed'), ok ? 0 : 1),
    skipped: count('skipped'),
    names: output.match(/^(?:FAILED|ERROR) tests.*$/gm) ?? [],
  };
}
