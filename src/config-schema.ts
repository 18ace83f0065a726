import { z } from 'zod';
import { COMPARISON_MODES, DEFAULT_SCORE } from '../env/grade.ts';
import { DEFAULT_LIMITS, LIMIT_RANGES, type EpisodeLimits } from '../env/limits.ts';
import { DEFAULT_OBSERVATION } from '../env/query.ts';

/** Levels that the log can be set to; `silent` writes nothing. */
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** How much is logged. */
export type LogLevel = (typeof LOG_LEVELS)[number];

const MEGABYTE = 1024 * 1024;

function whole(min: number, max: number): z.ZodNumber {
  return z.int().min(min).max(max);
}

function limit(name: keyof EpisodeLimits): z.ZodDefault<z.ZodNumber> {
  return whole(LIMIT_RANGES[name].min, LIMIT_RANGES[name].max).default(DEFAULT_LIMITS[name]);
}

function text(): z.ZodString {
  return z.string().min(1);
}

/**
 * Every setting of the server: its type, range, default and description. Flags (`--lease-ms`), environment variables
 * (`SQLENV_LEASE_MS`), the file's keys (`leaseMs`), the help texts and `docs/configuration.md` all follow from it.
 */
export const ConfigSchema = z.strictObject({
  host: text()
    .default('127.0.0.1')
    .describe(
      'Address to listen on. Others than loopback are open to the network: no authentication.',
    ),
  port: whole(0, 65_535).default(50_051).describe('Port to listen on; 0 takes any free one.'),
  metricsPort: whole(0, 65_535)
    .optional()
    .describe('Port that Prometheus scrapes metrics from, by HTTP; 0 takes any free one.'),
  metricsHost: text().default('127.0.0.1').describe('Address that metrics are served on.'),

  demo: z
    .boolean()
    .default(false)
    .describe('Serve the demo databases and tasks that come with it.'),
  spider: text()
    .optional()
    .describe('Folder of a Spider release: dev.json, train_spider.json, tables.json, database/.'),
  databases: text()
    .optional()
    .describe('Folder of SQLite files, as DIR/ID/ID.sqlite or DIR/ID.sqlite.'),
  tasks: text().optional().describe('JSONL file of tasks over `databases`, one a line.'),
  split: text().optional().describe('Serve only the tasks of this split, for example dev.'),
  skipBroken: z
    .boolean()
    .default(false)
    .describe('List broken tasks and databases and serve the rest, instead of refusing to start.'),

  record: z
    .union([z.literal(false), text()])
    .default('trajectories')
    .describe('Folder that trajectories are appended to; false (--no-record) writes none.'),
  recordGold: z
    .boolean()
    .default(false)
    .describe('Write the gold SQL into the trajectories. Never train on those lines.'),
  recordFileBytesMax: whole(4_096, 2 ** 40)
    .default(256 * MEGABYTE)
    .describe('Bytes of a trajectory file before the next one is begun.'),

  leaseMs: whole(100, 7 * 86_400_000)
    .default(600_000)
    .describe('How long an episode without a call is kept, milliseconds.'),
  episodeCountMax: whole(1, 1_000_000)
    .default(4_096)
    .describe('Episodes that may be open at once; one more is OVERLOADED.'),
  episodeBytesMax: whole(MEGABYTE, 2 ** 40)
    .default(1_024 * MEGABYTE)
    .describe(
      'Bytes that the texts of open episodes may take together; Reset over it is OVERLOADED.',
    ),
  queueCountMax: whole(1, 1_000_000)
    .default(4_096)
    .describe('Queries that may wait for a thread; one more is OVERLOADED.'),
  threads: whole(1, 256)
    .optional()
    .describe('Threads that run queries; by default two more than there are cores.'),
  slowThreads: whole(1, 1_024)
    .optional()
    .describe('Further threads that slow queries may have; by default 16 for each core.'),
  resultCacheBytesMax: whole(0, 2 ** 40)
    .default(64 * MEGABYTE)
    .describe(
      'Bytes of query results that are kept for those who run the same query again; 0 keeps none.',
    ),
  keepaliveMs: whole(1_000, 86_400_000)
    .default(60_000)
    .describe(
      'How often a connection is asked whether its client is still there, milliseconds; a silent one is closed.',
    ),
  drainMs: whole(0, 3_600_000)
    .default(30_000)
    .describe('How long a shutdown waits for running steps and episodes, milliseconds.'),

  stepCountMax: limit('stepCountMax').describe('Default limit: steps of an episode.'),
  invalidCallCountMax: limit('invalidCallCountMax').describe(
    'Default limit: invalid tool calls in a row before an episode is truncated.',
  ),
  parallelCallCountMax: limit('parallelCallCountMax').describe(
    'Default limit: tool calls of one turn that run.',
  ),
  completionTokenCountMax: limit('completionTokenCountMax').describe(
    'Default limit: completion tokens of an episode, as the trainer counts them.',
  ),
  queryCpuMsMax: limit('queryCpuMsMax').describe(
    'Default limit: CPU time of a query, milliseconds.',
  ),
  queryWallMsMax: limit('queryWallMsMax').describe(
    'Default limit: wall-clock backstop of a query, milliseconds from its start.',
  ),
  rowCountMax: limit('rowCountMax').describe('Default limit: rows fetched for an observation.'),
  cellBytesMax: limit('cellBytesMax').describe(
    'Default limit: bytes of one cell in an observation.',
  ),
  resultBytesMax: limit('resultBytesMax').describe(
    'Default limit: bytes of an observation before it is shortened.',
  ),

  textSizeMax: whole(0, 10_000_000)
    .default(DEFAULT_OBSERVATION.textSizeMax)
    .describe('Default observation size: code points of a tool message; 0 shortens nothing.'),
  truncateSide: z
    .enum(['middle', 'left', 'right'])
    .default(DEFAULT_OBSERVATION.truncateSide)
    .describe('Default part that is elided or kept, as in verl: middle keeps head and tail.'),

  comparisonMode: z
    .enum(COMPARISON_MODES)
    .default(DEFAULT_SCORE.comparisonMode)
    .describe('Default comparison mode of the reward.'),
  guard: z
    .enum(['flag', 'strict'])
    .default(DEFAULT_SCORE.guard)
    .describe('Default guard: strict gives suspect matches a reward of 0.'),
  scope: z
    .enum(['last_turn', 'transcript'])
    .default(DEFAULT_SCORE.scope)
    .describe('Default place where the final answer is looked for.'),
  fallback: z
    .enum(['statement', 'none'])
    .default(DEFAULT_SCORE.fallback)
    .describe('Default answer when there is no fenced block.'),
  promptStyle: z
    .enum(['ddl', 'compact'])
    .default('ddl')
    .describe('Default way in which the prompt shows the schema.'),
  onMalformed: z
    .enum(['end', 'observe'])
    .default('end')
    .describe(
      'Default answer to a malformed tool call: end the episode, as verl, or tell the model.',
    ),

  logLevel: z.enum(LOG_LEVELS).default('info').describe('How much is logged.'),
  logPretty: z
    .boolean()
    .default(false)
    .describe('Log for people instead of machines, if stderr is a terminal.'),
});

/** The parsed configuration. */
export type Config = Readonly<z.infer<typeof ConfigSchema>>;

/** Name of a setting, as the file spells it. */
export type ConfigKey = keyof Config;

/** What a setting's text may be turned into. */
export type SettingKind = 'text' | 'number' | 'switch' | 'choice' | 'text_or_off';

/** A setting, as help texts, documentation and the readers of flags and environment need it. */
export interface Setting {
  readonly key: ConfigKey;
  /** `lease-ms`; on the command line after two dashes. */
  readonly flag: string;
  /** `SQLENV_LEASE_MS`. */
  readonly variable: string;
  readonly kind: SettingKind;
  /** What its value may be, in words. */
  readonly allowed: string;
  readonly description: string;
  /** Undefined if it has none. */
  readonly defaultValue: string | number | boolean | undefined;
}

/** All settings, in the order of the schema. */
export const SETTINGS: readonly Setting[] = Object.entries(ConfigSchema.shape).map(
  ([key, schema]) => describeSetting(key as ConfigKey, schema),
);

function describeSetting(key: ConfigKey, schema: z.ZodType): Setting {
  const words = key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  let inner: z.ZodType = schema;
  let defaultValue: Setting['defaultValue'];
  if (inner instanceof z.ZodDefault) {
    defaultValue = inner.def.defaultValue as Setting['defaultValue'];
    inner = inner.unwrap() as z.ZodType;
  } else if (inner instanceof z.ZodOptional) {
    inner = inner.unwrap() as z.ZodType;
  }
  return {
    key,
    flag: words,
    variable: `SQLENV_${words.replaceAll('-', '_').toUpperCase()}`,
    ...describeType(key, inner),
    description: schema.description ?? '',
    defaultValue,
  };
}

function describeType(key: string, schema: z.ZodType): Pick<Setting, 'kind' | 'allowed'> {
  if (schema instanceof z.ZodNumber) {
    const { minValue, maxValue } = schema;
    return { kind: 'number', allowed: `a whole number from ${minValue} to ${maxValue}` };
  }
  if (schema instanceof z.ZodBoolean) return { kind: 'switch', allowed: 'true or false' };
  if (schema instanceof z.ZodEnum) {
    return { kind: 'choice', allowed: `one of ${schema.options.join(', ')}` };
  }
  if (schema instanceof z.ZodUnion) return { kind: 'text_or_off', allowed: 'a path, or false' };
  if (schema instanceof z.ZodString) return { kind: 'text', allowed: 'a text that is not empty' };
  throw new Error(`setting ${key} has a type that flags can't express`);
}
