import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { expect, it } from 'vitest';
import { PACKAGE_ROOT } from '../../src/package-root.ts';

/** The scenarios of `npm run chaos` that are quick enough for every test run, in their small form; docs/faults.md has all. */
const QUICK = [
  'server-killed',
  'worker-lost',
  'clients-stopped',
  'clients-vanish',
  'disk-full',
  'database-changed',
  'clock-jumps',
  'few-descriptors',
  'overload',
  'runaways',
  'garbage',
];

/** `slow-reader` has its test in test/rpc/connections.test.ts; the others are about speed, or take their time. */
const LONG = ['slow-reader', 'growth', 'soak'];

const PROGRAM = path.join(PACKAGE_ROOT, 'bench/chaos.mjs');

interface Report {
  readonly scenarios: readonly {
    readonly name: string;
    readonly verdict: 'kept' | 'broken' | 'skipped';
    readonly skipped?: string;
    readonly promises: readonly {
      readonly promised: string;
      readonly happened: string;
      readonly verdict: 'kept' | 'broken' | 'measured';
    }[];
  }[];
}

it('lists all scenarios', () => {
  const listed = execFileSync(process.execPath, [PROGRAM, '--list'], { encoding: 'utf8' });
  const names = listed
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ')[0]);
  expect(new Set(names)).toEqual(new Set([...QUICK, ...LONG]));
});

it.each(QUICK)(
  '%s: every promise is kept',
  async (name) => {
    const child = spawn(process.execPath, [PROGRAM, '--quick', '--json', name], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    const [exitCode] = (await once(child, 'close')) as [number | null];
    const [scenario] = (JSON.parse(stdout) as Report).scenarios;
    const broken = scenario?.promises.filter(({ verdict }) => verdict === 'broken');
    // As one line, which every report of a failed test shows.
    const said = broken?.map(({ promised, happened }) => `${promised}: ${happened}`).join('; ');
    expect(said, said).toBe('');
    expect(exitCode).toBe(0);
    if (scenario?.skipped !== undefined)
      process.stderr.write(`\n!!! ${name} SKIPPED: ${scenario.skipped} !!!\n\n`);
    else expect(scenario?.promises.length).toBeGreaterThan(3);
  },
  200_000,
);
