/** Limits of one query. Each has its unit in its name; all are positive integers. */
export interface QueryLimits {
  /** CPU time of the query's own thread, milliseconds. Counts from the query's start, never from arrival. */
  readonly queryCpuMsMax: number;
  /** Wall-clock backstop, milliseconds from the query's start in its thread. */
  readonly queryWallMsMax: number;
  /** Rows fetched for an observation. */
  readonly rowCountMax: number;
  /** UTF-8 bytes of one cell in an observation; a longer cell is cut, and says so. */
  readonly cellBytesMax: number;
  /** Bytes of an observation's text before it is shortened to the observation size. */
  readonly resultBytesMax: number;
}

/** Limits of one episode and of each of its queries. */
export interface EpisodeLimits extends QueryLimits {
  /** Steps of an episode; the step that reaches it is the last. */
  readonly stepCountMax: number;
  /** Invalid tool calls in a row before the episode is truncated. */
  readonly invalidCallCountMax: number;
  /** Tool calls of one turn that run; verl's default is 1. */
  readonly parallelCallCountMax: number;
  /** Completion tokens of the whole episode, as the trainer counts them. */
  readonly completionTokenCountMax: number;
}

/** What a limit may be: both ends included. */
export interface LimitRange {
  readonly min: number;
  readonly max: number;
}

/** The limits in force when neither the caller nor the configuration says otherwise. */
export const DEFAULT_LIMITS: EpisodeLimits = {
  stepCountMax: 16,
  invalidCallCountMax: 5,
  parallelCallCountMax: 1,
  completionTokenCountMax: 2048,
  queryCpuMsMax: 2_000,
  queryWallMsMax: 10_000,
  rowCountMax: 100_000,
  cellBytesMax: 1_000_000,
  resultBytesMax: 3_000_000,
};

/** The range that a caller may ask for. `resultBytesMax` keeps every response under the 4 MB message limit. */
export const LIMIT_RANGES: { readonly [K in keyof EpisodeLimits]: LimitRange } = {
  stepCountMax: { min: 1, max: 1_000 },
  invalidCallCountMax: { min: 1, max: 1_000 },
  parallelCallCountMax: { min: 1, max: 32 },
  completionTokenCountMax: { min: 1, max: 10_000_000 },
  queryCpuMsMax: { min: 1, max: 600_000 },
  queryWallMsMax: { min: 1, max: 600_000 },
  rowCountMax: { min: 1, max: 1_000_000 },
  cellBytesMax: { min: 16, max: 1_000_000 },
  resultBytesMax: { min: 256, max: 3_000_000 },
};

/**
 * Limits under which gold SQL runs, apart from the model's: longer, so that a busy machine does not break a task.
 * The 500,000-row cap is far over the largest gold measured on Spider's databases (20,662 rows) and its
 * test suites (92,450 rows).
 */
export const GOLD_LIMITS: Pick<QueryLimits, 'queryCpuMsMax' | 'queryWallMsMax' | 'rowCountMax'> = {
  queryCpuMsMax: 10_000,
  queryWallMsMax: 60_000,
  rowCountMax: 500_000,
};

/** Sizes of what a caller may send, in UTF-8 bytes (or items where the name says count). */
export const FIELD_LIMITS = {
  idBytesMax: 200,
  labelCountMax: 32,
  labelBytesMax: 200,
  sqlBytesMax: 65_536,
  questionBytesMax: 65_536,
  assistantTextBytesMax: 1_000_000,
  argumentsBytesMax: 1_000_000,
  messageBytesMax: 4_194_304,
  pageSizeMax: 1_000,
} as const;
