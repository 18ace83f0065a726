import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigError, loadConfig, SETTINGS, type ConfigSources } from '../../src/config.ts';
import { PACKAGE_ROOT } from '../../src/package-root.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sqlenv-config-'));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

function load(sources: Partial<ConfigSources> & { file?: unknown } = {}) {
  const { file, ...rest } = sources;
  if (file !== undefined) {
    const text = typeof file === 'string' ? file : JSON.stringify(file);
    writeFileSync(path.join(folder, 'sqlenv.config.json'), text);
  }
  return loadConfig({ flags: {}, environment: {}, folder, ...rest });
}

function problemsOf(sources: Parameters<typeof load>[0]): readonly string[] {
  try {
    load(sources);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as ConfigError).problems;
  }
  return [];
}

describe('where settings come from', () => {
  test('flags, then environment, then file, then defaults', () => {
    const file = { port: 3, leaseMs: 3_000, drainMs: 3 };
    const environment = { SQLENV_PORT: '2', SQLENV_LEASE_MS: '2000' };
    const config = load({ flags: { port: '1' }, environment, file });
    expect(config).toMatchObject({ port: 1, leaseMs: 2_000, drainMs: 3, episodeCountMax: 4_096 });
  });

  test('nothing at all gives the defaults: loopback, recording, no demo', () => {
    expect(load()).toMatchObject({
      host: '127.0.0.1',
      port: 50_051,
      record: 'trajectories',
      demo: false,
      stepCountMax: 16,
      textSizeMax: 256,
      comparisonMode: 'bag@1',
      onMalformed: 'end',
    });
  });

  test('a named file, relative to the folder', () => {
    writeFileSync(path.join(folder, 'other.json'), '\ufeff{"port": 7}');
    expect(load({ configFile: 'other.json' }).port).toBe(7);
  });

  test('switches and --no-record', () => {
    expect(load({ flags: { demo: true, record: false } })).toMatchObject({
      demo: true,
      record: false,
    });
    const environment = { SQLENV_DEMO: '1', SQLENV_RECORD: 'false', SQLENV_LOG_PRETTY: 'true' };
    expect(load({ environment })).toMatchObject({ demo: true, record: false, logPretty: true });
    expect(load({ file: { record: false }, flags: { record: 'out' } }).record).toBe('out');
    const off = load({ file: { demo: true }, environment: { SQLENV_DEMO: 'false' } });
    expect(off.demo).toBe(false);
  });

  test('an empty variable is not set, and those of the tests are left alone', () => {
    const environment = {
      SQLENV_PORT: '',
      SQLENV_SPIDER_DIR: '/data',
      SQLENV_PYTHON: 'python3',
      SQLENV_PROGRAM: 'main.js',
      SQLENV_TRANSPORT: 'unary',
      SQLENV_TEST_ANYTHING: 'x',
      PATH: '/bin',
    };
    expect(load({ environment }).port).toBe(50_051);
  });

  test('what was parsed cannot be changed', () => {
    expect(Object.isFrozen(load())).toBe(true);
  });
});

describe('problems name the setting, where it was set, the value and what is allowed', () => {
  test.each<[string, Parameters<typeof load>[0], string]>([
    [
      'a flag',
      { flags: { port: '65536' } },
      '--port: 65536 is not allowed; it must be a whole number from 0 to 65535',
    ],
    [
      'no number',
      { flags: { leaseMs: '10s' } },
      '--lease-ms: "10s" is not allowed; it must be a whole number from 100 to 604800000',
    ],
    [
      'a fraction',
      { flags: { leaseMs: '1000.5' } },
      '--lease-ms: 1000.5 is not allowed; it must be a whole number from 100 to 604800000',
    ],
    [
      'a variable',
      { environment: { SQLENV_LOG_LEVEL: 'loud' } },
      'SQLENV_LOG_LEVEL (environment): "loud" is not allowed; it must be one of trace, debug, info, warn, error, fatal, silent',
    ],
    [
      'a switch',
      { environment: { SQLENV_DEMO: 'yes' } },
      'SQLENV_DEMO (environment): "yes" is not allowed; it must be true or false',
    ],
    [
      'the file',
      { file: { guard: 'none' } },
      'sqlenv.config.json: "guard": "none" is not allowed; it must be one of flag, strict',
    ],
    [
      'a text in the file where a number belongs',
      { file: { port: '50051' } },
      'sqlenv.config.json: "port": "50051" is not allowed; it must be a whole number from 0 to 65535',
    ],
    [
      'null in the file',
      { file: { host: null } },
      'sqlenv.config.json: "host": null is not allowed; it must be a text that is not empty',
    ],
  ])('%s', (_name, sources, problem) => {
    expect(problemsOf(sources)).toEqual([problem]);
  });

  test('all of them at once, and a long value cut', () => {
    const problems = problemsOf({
      flags: { port: 'x', guard: 'y'.repeat(200) },
      environment: { SQLENV_LEASE_MS: '1' },
    });
    expect(problems).toHaveLength(3);
    expect(problems.every((problem) => problem.length < 250)).toBe(true);
  });

  test('a value that a stronger source overrides does not matter', () => {
    expect(load({ flags: { port: '1' }, file: { port: 'x' } }).port).toBe(1);
  });
});

describe('what is not known', () => {
  test.each<[string, Parameters<typeof load>[0], string]>([
    [
      'a variable',
      { environment: { SQLENV_PROT: '1' } },
      'SQLENV_PROT (environment): no such setting; did you mean SQLENV_PORT?',
    ],
    [
      'a variable like no other',
      { environment: { SQLENV_XYZZY_PLUGH: '1' } },
      'SQLENV_XYZZY_PLUGH (environment): no such setting',
    ],
    [
      'a key',
      { file: { leaseMS: 1_000 } },
      'sqlenv.config.json: "leaseMS": no such setting; did you mean leaseMs?',
    ],
    [
      'a key in the spelling of flags',
      { file: { 'lease-ms': 1_000 } },
      'sqlenv.config.json: "lease-ms": no such setting; did you mean leaseMs?',
    ],
  ])('%s', (_name, sources, problem) => {
    expect(problemsOf(sources)).toEqual([problem]);
  });
});

describe('files that are no settings', () => {
  test.each<[string, string, RegExp]>([
    ['no JSON', '{"port": 1', /^sqlenv.config.json: not valid JSON: /],
    ['a list', '[1]', /^sqlenv.config.json: the file must hold one JSON object/],
    ['empty', '', /^sqlenv.config.json: not valid JSON/],
  ])('%s', (_name, file, problem) => {
    expect(problemsOf({ file })[0]).toMatch(problem);
  });

  test('a named file that is not there', () => {
    expect(problemsOf({ configFile: 'nope.json' })).toEqual([
      "nope.json: the file can't be read (ENOENT)",
    ]);
  });
});

describe('settings that do not go together', () => {
  test.each<[Parameters<typeof load>[0], string]>([
    [
      { flags: { demo: true, spider: 'x' } },
      '--demo and --spider: only one of them can be served at a time',
    ],
    [{ flags: { tasks: 'x' } }, '--tasks: tasks need their databases: give --databases DIR too'],
    [
      { environment: { SQLENV_DATABASES: 'x' } },
      'SQLENV_DATABASES (environment): databases need tasks: give --tasks FILE.jsonl too',
    ],
  ])('%j', (sources, problem) => {
    expect(problemsOf(sources)).toEqual([problem]);
  });
});

describe('docs/configuration.md', () => {
  const text = readFileSync(path.join(PACKAGE_ROOT, 'docs/configuration.md'), 'utf8');
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| `--'))
    .map((line) => line.split('|').map((cell) => cell.trim()));

  test('has a row for every setting, in the order of the schema, and no other', () => {
    expect(rows.map(([, flag]) => flag)).toEqual(SETTINGS.map(({ flag }) => `\`--${flag}\``));
  });

  test.each(SETTINGS.map((setting, index) => [setting.key, setting, index] as const))(
    '%s: variable, key, default and what is allowed',
    (key, setting, index) => {
      const { variable, defaultValue, allowed, description } = setting;
      const shown = defaultValue === undefined ? '' : `\`${defaultValue}\``;
      const cells = [`\`${variable}\``, `\`${key}\``, shown, allowed, description];
      expect(rows[index]?.slice(2, -1)).toEqual(cells);
    },
  );
});
