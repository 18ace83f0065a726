import { spawnSync } from 'node:child_process';

/** Runs a Python script on one JSON value from stdin and reads one JSON value from its stdout: a batch a process. */
export function runPython(script: string, input: unknown): unknown {
  const python = process.env['SQLENV_PYTHON'] ?? 'python3';
  const prelude = 'import json, sys\ninput_value = json.loads(sys.stdin.buffer.read())\n';
  const { status, stdout, stderr, error } = spawnSync(python, ['-c', prelude + script], {
    input: JSON.stringify(input),
    encoding: 'utf8',
    maxBuffer: 256 * 1024 * 1024,
    env: { ...process.env, PYTHONIOENCODING: 'utf-8' },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`python exited with ${status}: ${stderr}`);
  return JSON.parse(stdout) as unknown;
}

/** {@link runPython} for a script that maps a list of cases to a list of texts. */
export function pythonTexts(script: string, cases: readonly unknown[]): string[] {
  return runPython(script, cases) as string[];
}

/** Runs something and returns its time in milliseconds: for bounds that only a non-linear algorithm breaks. */
export function timeMs(run: () => unknown): number {
  const start = performance.now();
  run();
  return performance.now() - start;
}
