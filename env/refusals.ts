import type { QueryLimits } from './limits.ts';
import { errorText } from './observation.ts';
import type { TimeLimit } from './query.ts';
import { escapeLoneSurrogates } from './utf8.ts';

/** Name of the one tool. */
export const TOOL_NAME = 'run_sql';

/**
 * What the model reads when a query of its own is not run or is stopped. All are fixed texts, never an engine's or a
 * parser's message, so that the same input gives the same bytes on every version; each fits into the default observation
 * size of 256 code points. The `Message` ones are plain, for an answer's error text; the `Text` ones are observations.
 */
export const FORBIDDEN_MESSAGE = 'not authorized: only a read-only SELECT statement may run';

/** PRAGMA and EXPLAIN may be looked at, but say nothing about the question. */
export const ANSWER_FORBIDDEN_MESSAGE = 'not authorized: an answer must be a SELECT statement';

/** Python's own words for it. */
export const SECOND_STATEMENT_MESSAGE = 'You can only execute one statement at a time.';

/** A value, a result or the memory that it needs goes over a limit of the engine. */
export const TOO_BIG_MESSAGE =
  'query too big: a value, or the memory that it needs, is over the limit';

/** SQL as SQLite takes it ends at the first NUL, so what follows would be lost silently. */
export const NUL_MESSAGE = "the field 'query' holds a NUL character, which SQL can't hold";

/** No UTF-8 can hold half a surrogate pair. */
export const SURROGATE_MESSAGE = "the field 'query' holds a lone surrogate, which SQL can't hold";

/** Says that a query took too long, and which limit it went over. */
export function timeLimitMessage(
  timeLimit: Exclude<TimeLimit, 'none'>,
  limits: Pick<QueryLimits, 'queryCpuMsMax' | 'queryWallMsMax'>,
): string {
  return timeLimit === 'cpu'
    ? `query took too long: over ${limits.queryCpuMsMax} ms of CPU time`
    : `query took too long: over ${limits.queryWallMsMax} ms of wall-clock time`;
}

/** The observation of a query that was stopped for its time. */
export function timeLimitText(
  timeLimit: Exclude<TimeLimit, 'none'>,
  limits: Pick<QueryLimits, 'queryCpuMsMax' | 'queryWallMsMax'>,
): string {
  return errorText(timeLimitMessage(timeLimit, limits));
}

/** The observation of a query that the guard refuses. */
export function forbiddenText(): string {
  return errorText(FORBIDDEN_MESSAGE);
}

/** The observation of a query that went over a limit of the engine. */
export function tooBigText(): string {
  return errorText(TOO_BIG_MESSAGE);
}

/** The observation of a call whose arguments hold no string `query`; the problem names the field. */
export function invalidArgumentsText(problem: string): string {
  return errorText(`invalid arguments for ${TOOL_NAME}: ${problem}`);
}

/** The observation of a tool call that can't be parsed. It holds no tag, lest a parser of transcripts see a call in it. */
export function malformedCallText(): string {
  return errorText(
    'malformed tool call: it must be one JSON object with a string "name" and an object "arguments", and its tag must be closed',
  );
}

/** What verl 0.8 and later answer to a call of an unknown tool, word for word; verl does not shorten it. */
export function unknownToolText(name: string): string {
  return `Unknown function '${escapeLoneSurrogates(name)}'. Available tools: ['${TOOL_NAME}']`;
}
