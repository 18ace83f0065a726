/** How a query ended; the wire names are `QUERY_STATUS_` and the upper case of these. */
export type QueryStatus =
  | 'ok'
  | 'sql_error'
  | 'forbidden'
  | 'time_limit'
  | 'too_big'
  | 'unparsed'
  | 'invalid_arguments'
  | 'unknown_tool';

/** Which clock stopped a query. Only `cpu` is the query's own fault: `wall` can come from a busy machine. */
export type TimeLimit = 'none' | 'cpu' | 'wall';

/** What is known of one query, apart from the text that the model reads. Times are in microseconds. */
export interface QueryInfo {
  readonly status: QueryStatus;
  /** The SQL that ran; empty if nothing did. */
  readonly sql: string;
  readonly rowCount: number;
  /** A cap on rows or bytes cut the result while it was fetched. */
  readonly capped: boolean;
  /** The text was shortened to the observation size. */
  readonly textTruncated: boolean;
  /** Length of the text before that, in code points. */
  readonly textSize: number;
  readonly queryCpuUs: number;
  /** Wall time from the query's start in its thread. */
  readonly queryUs: number;
  /** Time that it waited for a thread; never part of a limit. */
  readonly queueUs: number;
  readonly timeLimit: TimeLimit;
}

/** Which part of a text stays when it is too long; names as in verl 0.8 and later. */
export type TruncateSide = 'middle' | 'left' | 'right';

/** How long the text of one tool message may be. */
export interface ObservationOptions {
  /** Code points that stay, the marker not counted; 0 is no truncation. */
  readonly textSizeMax: number;
  readonly truncateSide: TruncateSide;
}

/** What verl does by default: 256 code points, the middle elided. */
export const DEFAULT_OBSERVATION: ObservationOptions = { textSizeMax: 256, truncateSide: 'middle' };
