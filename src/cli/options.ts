import { Option, type Command } from 'commander';
import { loadConfig, SETTINGS, type Config, type ConfigKey, type Setting } from '../config.ts';

/** The headings under which the help text lists the settings. */
const GROUPS: readonly (readonly [string, readonly ConfigKey[]])[] = [
  ['Tasks:', ['demo', 'spider', 'databases', 'tasks', 'split', 'skipBroken']],
  [
    'Server:',
    [
      ...(['host', 'port', 'threads', 'slowThreads', 'queueCountMax'] as const),
      ...(['resultCacheBytesMax', 'keepaliveMs', 'drainMs'] as const),
    ],
  ],
  ['Metrics:', ['metricsPort', 'metricsHost']],
  ['Episodes:', ['leaseMs', 'episodeCountMax', 'episodeBytesMax']],
  ['Record:', ['record', 'recordGold', 'recordFileBytesMax']],
  ['Log:', ['logLevel', 'logPretty']],
];

/** Everything else is what a request can choose for itself. */
const DEFAULTS_GROUP = 'Defaults of episodes, which a request can override:';

const PLACEHOLDERS: Readonly<Partial<Record<ConfigKey, string>>> = {
  host: 'address',
  metricsPort: 'port',
  metricsHost: 'address',
  spider: 'dir',
  databases: 'dir',
  tasks: 'file',
  split: 'name',
  record: 'dir',
};

/** Shorter names of flags that are typed often. */
const ALIASES: Readonly<Partial<Record<ConfigKey, string>>> = { metricsPort: '--metrics' };

/** Adds the flags of settings to a command, all of them unless told which, and `--config`. */
export function addSettings(command: Command, keys?: readonly ConfigKey[]): void {
  for (const setting of SETTINGS) {
    if (keys !== undefined && !keys.includes(setting.key)) continue;
    for (const option of optionsOf(setting)) command.addOption(option.helpGroup(groupOf(setting)));
  }
  const config = new Option('--config <file>', 'read settings from this file');
  command.addOption(config.helpGroup('Server:'));
}

/** Reads the configuration that a command was given. Throws `ConfigError`. */
export function configOf(command: Command): Config {
  const { config: configFile, ...flags } = command.opts<
    Partial<Record<ConfigKey, string | boolean>> & { readonly config?: string }
  >();
  return loadConfig({ flags, environment: process.env, folder: process.cwd(), configFile });
}

/** The flags that would give another process these settings. */
export function flagsOf(config: Config, keys: readonly ConfigKey[]): string[] {
  return SETTINGS.filter(({ key }) => keys.includes(key)).flatMap(({ key, flag, kind }) => {
    const value = config[key];
    if (value === undefined) return [];
    if (kind === 'switch') return value === true ? [`--${flag}`] : [];
    return value === false ? [`--no-${flag}`] : [`--${flag}`, String(value)];
  });
}

function optionsOf(setting: Setting): Option[] {
  const { flag, key, kind } = setting;
  const description = describe(setting);
  const alias = ALIASES[key] === undefined ? '' : `${ALIASES[key]}, `;
  switch (kind) {
    case 'switch':
      return [new Option(`--${flag}`, description)];
    case 'number':
      return [new Option(`${alias}--${flag} <${PLACEHOLDERS[key] ?? 'number'}>`, description)];
    case 'text':
    case 'choice':
      return [new Option(`--${flag} <${PLACEHOLDERS[key] ?? 'name'}>`, description)];
    case 'text_or_off':
      return [
        new Option(`--${flag} <${PLACEHOLDERS[key] ?? 'name'}>`, description),
        new Option(`--no-${flag}`, `turns --${flag} off`),
      ];
  }
}

function describe(setting: Setting): string {
  const { description, kind, allowed, defaultValue } = setting;
  const facts = [
    ...(kind === 'choice' ? [allowed] : []),
    ...(defaultValue === undefined || defaultValue === false ? [] : [`default: ${defaultValue}`]),
  ];
  return facts.length === 0 ? description : `${description} (${facts.join('; ')})`;
}

function groupOf(setting: Setting): string {
  const group = GROUPS.find(([, keys]) => keys.includes(setting.key));
  return group?.[0] ?? DEFAULTS_GROUP;
}
