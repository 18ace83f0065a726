import { readFileSync } from 'node:fs';
import path from 'node:path';
import {
  ConfigSchema,
  SETTINGS,
  type Config,
  type ConfigKey,
  type Setting,
} from './config-schema.ts';
import { suggest } from './suggest.ts';

export { SETTINGS, type Config, type ConfigKey, type Setting } from './config-schema.ts';

/** The file that is read when no other is named, if it is there. */
export const CONFIG_FILE_NAME = 'sqlenv.config.json';

const PREFIX = 'SQLENV_';

/** Variables that start like settings and belong to the tests, or to the Python package. */
const OTHER_VARIABLES = new Set([
  'SQLENV_SPIDER_DIR',
  'SQLENV_PYTHON',
  'SQLENV_PROGRAM',
  'SQLENV_TRANSPORT',
]);
const TEST_PREFIX = 'SQLENV_TEST_';

/** Where settings come from; the first that names a setting wins. */
export interface ConfigSources {
  /** By setting key, as the command line gave them: texts, or booleans for switches. */
  readonly flags: Readonly<Partial<Record<ConfigKey, string | boolean>>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder that `sqlenv.config.json` is looked for in, and that `configFile` is relative to. */
  readonly folder: string;
  /** The value of `--config`. */
  readonly configFile?: string | undefined;
}

/** The configuration can't be used; each problem is one line that names the setting and where it was set. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** A value, and where it was set, in the words of the error message. */
interface Given {
  readonly value: unknown;
  readonly origin: string;
}

type GivenSettings = Map<ConfigKey, Given>;

/** Reads all sources, flags over environment over file over defaults, and checks them once. Throws {@link ConfigError}. */
export function loadConfig(sources: ConfigSources): Config {
  const problems: string[] = [];
  const given: GivenSettings = new Map([
    ...readFile(sources, problems),
    ...readEnvironment(sources.environment, problems),
    ...readFlags(sources.flags),
  ]);
  const values = Object.fromEntries([...given].map(([key, { value }]) => [key, value]));
  const parsed = ConfigSchema.safeParse(values);
  if (!parsed.success) {
    const keys = new Set(parsed.error.issues.map((issue) => issue.path[0] as ConfigKey));
    for (const key of keys) problems.push(describeProblem(key, given.get(key)));
  }
  if (parsed.success) problems.push(...crossProblems(parsed.data, given));
  if (problems.length > 0 || !parsed.success) throw new ConfigError(problems);
  return Object.freeze(parsed.data);
}

function settingOf(key: ConfigKey): Setting {
  const setting = SETTINGS.find((candidate) => candidate.key === key);
  if (setting === undefined) throw new Error(`no setting ${key}`);
  return setting;
}

function describeProblem(key: ConfigKey, given: Given | undefined): string {
  const shown = shorten(JSON.stringify(given?.value) ?? 'nothing');
  return `${given?.origin ?? key}: ${shown} is not allowed; it must be ${settingOf(key).allowed}`;
}

function shorten(text: string): string {
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}

function crossProblems(config: Config, given: GivenSettings): string[] {
  const problems: string[] = [];
  const origin = (key: ConfigKey): string => given.get(key)?.origin ?? key;
  const sources = (['demo', 'spider', 'databases'] as const).filter((key) => Boolean(config[key]));
  if (sources.length > 1) {
    problems.push(`${sources.map(origin).join(' and ')}: only one of them can be served at a time`);
  }
  if (config.tasks !== undefined && config.databases === undefined) {
    problems.push(`${origin('tasks')}: tasks need their databases: give --databases DIR too`);
  }
  if (config.databases !== undefined && config.tasks === undefined) {
    problems.push(`${origin('databases')}: databases need tasks: give --tasks FILE.jsonl too`);
  }
  return problems;
}

function readFlags(flags: ConfigSources['flags']): GivenSettings {
  const given: GivenSettings = new Map();
  for (const setting of SETTINGS) {
    const value = flags[setting.key];
    if (value === undefined) continue;
    const off = value === false && setting.kind === 'text_or_off';
    const origin = off ? `--no-${setting.flag}` : `--${setting.flag}`;
    given.set(setting.key, { value: parseText(setting, value), origin });
  }
  return given;
}

function readEnvironment(
  environment: ConfigSources['environment'],
  problems: string[],
): GivenSettings {
  const given: GivenSettings = new Map();
  const byVariable = new Map(SETTINGS.map((setting) => [setting.variable, setting]));
  const suffixes = [...byVariable.keys()].map((name) => name.slice(PREFIX.length));
  for (const [name, value] of Object.entries(environment)) {
    // An empty variable is how shells and compose files say "not set".
    if (!name.startsWith(PREFIX) || value === undefined || value === '') continue;
    if (OTHER_VARIABLES.has(name) || name.startsWith(TEST_PREFIX)) continue;
    const setting = byVariable.get(name);
    if (setting === undefined) {
      // Compared without the prefix that all of them share.
      const hint = suggest(name.slice(PREFIX.length), suffixes).replace('mean ', `mean ${PREFIX}`);
      problems.push(`${name} (environment): no such setting${hint}`);
      continue;
    }
    given.set(setting.key, {
      value: parseText(setting, value),
      origin: `${name} (environment)`,
    });
  }
  return given;
}

/** Turns a text into what the schema expects; what can't be turned stays a text, and the schema refuses it. */
function parseText(setting: Setting, value: string | boolean): unknown {
  if (typeof value === 'boolean') return value;
  switch (setting.kind) {
    case 'number':
      return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
    case 'switch':
      return value === 'true' || value === '1'
        ? true
        : value === 'false' || value === '0'
          ? false
          : value;
    case 'text_or_off':
      return value === 'false' ? false : value;
    case 'text':
    case 'choice':
      return value;
  }
}

function readFile(sources: ConfigSources, problems: string[]): GivenSettings {
  const name = sources.configFile ?? CONFIG_FILE_NAME;
  const given: GivenSettings = new Map();
  let content: string;
  try {
    content = readFileSync(path.resolve(sources.folder, name), 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (sources.configFile !== undefined || code !== 'ENOENT') {
      problems.push(`${name}: the file can't be read (${code ?? 'unknown error'})`);
    }
    return given;
  }
  const parsed = parseObject(content.replace(/^\uFEFF/, ''), name, problems);
  for (const [key, value] of Object.entries(parsed)) {
    const setting = SETTINGS.find((candidate) => candidate.key === key);
    if (setting === undefined) {
      const hint = suggest(
        key,
        SETTINGS.map((candidate) => candidate.key),
      );
      problems.push(`${name}: ${JSON.stringify(shorten(key))}: no such setting${hint}`);
      continue;
    }
    given.set(setting.key, { value, origin: `${name}: ${JSON.stringify(key)}` });
  }
  return given;
}

function parseObject(content: string, name: string, problems: string[]): Record<string, unknown> {
  try {
    const parsed: unknown = JSON.parse(content);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)) {
      return parsed as Record<string, unknown>;
    }
    problems.push(`${name}: the file must hold one JSON object of settings`);
  } catch (error) {
    problems.push(`${name}: not valid JSON: ${(error as Error).message}`);
  }
  return {};
}
