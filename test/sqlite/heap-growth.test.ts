import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const MODULE = new URL('../../dist/src/sqlite/heap-growth.js', import.meta.url).href;

/** How many of Node's own modules a thread compiles anew because V8 does not take what Node brings along. */
const CODE = `
  const count = \`
    const { internalBinding } = require('internal/test/binding');
    for (const name of ['fs', 'path', 'url', 'crypto']) require(name);
    const usage = internalBinding('builtins').getCacheUsage();
    require('node:worker_threads').parentPort.postMessage([
      [...usage.compiledWithCache].length, [...usage.compiledWithoutCache].length,
    ]);\`;
  import(${JSON.stringify(MODULE)}).then(({ expectThread, letHeapsGrow }) => {
    letHeapsGrow();
    expectThread();
    const { Worker } = require('node:worker_threads');
    const thread = new Worker(count, { eval: true });
    thread.once('message', (counts) => console.log(JSON.stringify(counts)));
  });
`;

test('a heap that may grow does not make threads compile what Node has compiled', () => {
  const printed = execFileSync(
    process.execPath,
    ['--expose-internals', '--no-warnings', '-e', CODE],
    { encoding: 'utf8' },
  );
  const [withCache, without] = JSON.parse(printed) as [number, number];
  expect(withCache).toBeGreaterThan(50);
  expect(without).toBe(0);
});
