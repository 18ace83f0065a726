import type { Trajectory } from '../../env/trajectory.ts';
import type { EpisodeSummary } from './ports.ts';

type Step = Trajectory['steps'][number];

/** Gives the same text for equal texts, so that what repeats among a hundred thousand episodes is in memory once. */
export class SharedTexts {
  readonly #texts = new Map<string, string>();
  readonly #lists = new Map<string, readonly string[]>();

  /** The first text that was equal to this one. */
  share(text: string): string {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    this.#texts.set(text, text);
    return text;
  }

  /** The first list that was equal to this one. */
  shareList(list: readonly string[]): readonly string[] {
    const key = list.join('\0');
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const shared = Object.freeze(list.map((text) => this.share(text)));
    this.#lists.set(key, shared);
    return shared;
  }
}

/**
 * Whether a parsed line has what its summary is made from. This is what every line of a large file can be asked; the whole
 * schema, which asks for more, is for records that are looked at.
 */
export function hasSummary(value: unknown): value is Trajectory {
  const record = value as Partial<Trajectory> | null;
  if (typeof record !== 'object' || record === null || record.version !== 1) return false;
  const { mode, engine, score, grade, steps, parent } = record;
  return (
    TEXT_KEYS.every((key) => typeof record[key] === 'string') &&
    (mode === 'train' || mode === 'eval') &&
    typeof record.completion_token_count === 'number' &&
    typeof engine?.sqlite_version === 'string' &&
    typeof score?.comparison_mode === 'string' &&
    (grade === null || isGrade(grade)) &&
    (parent === undefined || typeof parent?.episode_id === 'string') &&
    Array.isArray(steps) &&
    steps.every(isStep) &&
    !Number.isNaN(Date.parse(record.started_at ?? '')) &&
    !Number.isNaN(Date.parse(record.ended_at ?? ''))
  );
}

/** The summary of a record; its texts are shared with those of other summaries. */
export function summaryOf(record: Trajectory, index: number, texts: SharedTexts): EpisodeSummary {
  const { grade } = record;
  const startedMs = Date.parse(record.started_at);
  let [toolCallCount, truncatedCount, failedQueryCount, stepMsMax] = [0, 0, 0, 0];
  for (const { messages, queries, step_ms: stepMs } of record.steps) {
    for (const { role } of messages) if (role === 'tool') toolCallCount += 1;
    for (const query of queries) {
      if (query.text_truncated) truncatedCount += 1;
      if (query.status !== 'ok') failedQueryCount += 1;
    }
    if (stepMs > stepMsMax) stepMsMax = stepMs;
  }
  return {
    index,
    episodeId: record.episode_id,
    taskId: texts.share(record.task_id),
    databaseId: texts.share(record.database_id),
    question: texts.share(record.question),
    groupId: texts.share(record.group_id),
    split: texts.share(record.split),
    difficulty: texts.share(record.difficulty),
    mode: record.mode === 'eval' ? 'eval' : 'train',
    end: texts.share(record.end) as Trajectory['end'],
    endReason: texts.share(record.termination_reason || record.truncation_reason),
    verdict: texts.share(grade?.verdict ?? ''),
    reward: grade?.reward,
    stepCount: record.steps.length,
    toolCallCount,
    flags: texts.shareList(grade?.flags ?? []),
    truncatedCount,
    failedQueryCount,
    comparisonMode: texts.share(record.score.comparison_mode),
    completionTokenCount: record.completion_token_count,
    startedMs,
    durationMs: Date.parse(record.ended_at) - startedMs,
    stepMsMax,
    sqliteVersion: texts.share(record.engine.sqlite_version),
    catalogSha256: texts.share(record.catalog_sha256),
    parentId: record.parent === undefined ? undefined : texts.share(record.parent.episode_id),
  };
}

const TEXT_KEYS = [
  'episode_id',
  'task_id',
  'database_id',
  'question',
  'group_id',
  'split',
  'difficulty',
  'end',
  'termination_reason',
  'truncation_reason',
  'catalog_sha256',
  'started_at',
  'ended_at',
] as const satisfies readonly (keyof Trajectory)[];

function isGrade(grade: Trajectory['grade'] | undefined): boolean {
  return (
    typeof grade?.verdict === 'string' &&
    typeof grade.reward === 'number' &&
    Array.isArray(grade.flags) &&
    grade.flags.every((flag) => typeof flag === 'string')
  );
}

function isStep(value: unknown): boolean {
  const step = value as Partial<Step> | null;
  return typeof step?.step_ms === 'number' && areObjects(step.messages) && areObjects(step.queries);
}

function areObjects(values: unknown): boolean {
  return (
    Array.isArray(values) && values.every((value) => typeof value === 'object' && value !== null)
  );
}
