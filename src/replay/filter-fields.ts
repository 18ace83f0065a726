import type { ScoreFlag, Verdict } from '../../env/grade.ts';
import type { EpisodeSummary } from './ports.ts';

/** A key whose values are texts: compared without regard to case, `*` stands for anything. */
interface TextField {
  readonly kind: 'text';
  /** Empty texts count as `none`. */
  readonly values: (episode: EpisodeSummary) => readonly string[];
  /** All values that there are, an empty one for `none`; undefined: any text. */
  readonly allowed?: readonly string[];
}

/** A key whose value is a number; undefined counts as `none`. */
interface NumberField {
  readonly kind: 'number';
  readonly value: (episode: EpisodeSummary) => number | undefined;
}

/** A key that is yes or no. */
interface SwitchField {
  readonly kind: 'switch';
  readonly value: (episode: EpisodeSummary) => boolean;
}

/** What a key of the filter language reads. */
export type FilterField = TextField | NumberField | SwitchField;

const NONE: readonly string[] = [''];
const MODES = ['train', 'eval'] as const satisfies readonly EpisodeSummary['mode'][];
const ENDS = [
  'terminated',
  'truncated',
  'closed',
  'expired',
  'abandoned',
] as const satisfies readonly EpisodeSummary['end'][];

/** As records, so that none can be forgotten. */
const VERDICTS = Object.keys({
  match: true,
  mismatch: true,
  answer_missing: true,
  answer_sql_error: true,
  answer_forbidden: true,
  answer_time_limit: true,
  answer_too_big: true,
} satisfies Record<Verdict, true>);
const FLAGS = Object.keys({
  both_empty: true,
  gold_scalar: true,
  answer_table_free: true,
  answer_constant: true,
  gold_tie: true,
  gold_volatile: true,
  wall_backstop: true,
} satisfies Record<ScoreFlag, true>);

function text(value: (episode: EpisodeSummary) => string): TextField {
  return { kind: 'text', values: (episode) => [value(episode)] };
}

function number(value: (episode: EpisodeSummary) => number | undefined): NumberField {
  return { kind: 'number', value };
}

/** The keys that a summary answers; `text` and `sql`, which need the record, are not among them. */
export const FILTER_FIELDS = {
  db: text((episode) => episode.databaseId),
  task: text((episode) => episode.taskId),
  episode: text((episode) => episode.episodeId),
  question: text((episode) => episode.question),
  group: text((episode) => episode.groupId),
  split: text((episode) => episode.split),
  difficulty: text((episode) => episode.difficulty),
  verdict: { kind: 'text', values: (episode) => [episode.verdict], allowed: ['', ...VERDICTS] },
  reason: text((episode) => episode.endReason),
  comparison: text((episode) => episode.comparisonMode),
  sqlite: text((episode) => episode.sqliteVersion),
  catalog: text((episode) => episode.catalogSha256),
  parent: text((episode) => episode.parentId ?? ''),
  mode: { kind: 'text', values: (episode) => [episode.mode], allowed: MODES },
  end: { kind: 'text', values: (episode) => [episode.end], allowed: ENDS },
  flag: {
    kind: 'text',
    values: ({ flags }) => (flags.length === 0 ? NONE : flags),
    allowed: ['', ...FLAGS],
  },
  reward: number((episode) => episode.reward),
  steps: number((episode) => episode.stepCount),
  tool_calls: number((episode) => episode.toolCallCount),
  truncated: number((episode) => episode.truncatedCount),
  failed: number((episode) => episode.failedQueryCount),
  tokens: number((episode) => episode.completionTokenCount),
  step_ms: number((episode) => episode.stepMsMax),
  duration_ms: number((episode) => episode.durationMs),
  fork: { kind: 'switch', value: (episode) => episode.parentId !== undefined },
} as const satisfies Record<string, FilterField>;

/** A key of the filter language that a summary answers. */
export type FilterKey = keyof typeof FILTER_FIELDS;

/** Other names of keys, mostly those of the record. */
const ALIASES: ReadonlyMap<string, FilterKey> = new Map([
  ['database', 'db'],
  ['database_id', 'db'],
  ['task_id', 'task'],
  ['episode_id', 'episode'],
  ['group_id', 'group'],
  ['hardness', 'difficulty'],
  ['flags', 'flag'],
  ['comparison_mode', 'comparison'],
  ['step_count', 'steps'],
]);

/** All keys of the language, in the order of their importance, for completion and help. */
export const FILTER_KEYS: readonly string[] = [...Object.keys(FILTER_FIELDS), 'text', 'sql'];

/** The key of a name, in any case; undefined if there is none. */
export function filterKey(name: string): FilterKey | undefined {
  const lower = name.toLowerCase();
  return Object.hasOwn(FILTER_FIELDS, lower) ? (lower as FilterKey) : ALIASES.get(lower);
}

/** All names that are understood, other names of keys too. */
export const FILTER_NAMES: readonly string[] = [...FILTER_KEYS, ...ALIASES.keys()];
