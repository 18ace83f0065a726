import type { QueryLimits } from '../../env/limits.ts';
import { FORBIDDEN_MESSAGE, TOO_BIG_MESSAGE } from '../../env/refusals.ts';
import type { RunFacts } from './guarded-run.ts';
import { ForbiddenStatement, ParametersError, QueryError } from './statement.ts';

/** Why a run has no value. The first four are the query's own doing, the others are not. */
export type RunFailure =
  | { readonly kind: 'sql_error'; readonly message: string }
  | { readonly kind: 'forbidden'; readonly message: string }
  | { readonly kind: 'time_limit'; readonly timeLimit: 'cpu' | 'wall' }
  | { readonly kind: 'too_big'; readonly message: string }
  | { readonly kind: 'cancelled' }
  | { readonly kind: 'database_broken'; readonly message: string }
  | { readonly kind: 'internal'; readonly message: string };

/**
 * The time limit that a stopped query is told. Where the wall clock's is no higher, it has passed whenever the other one has, and
 * which of the two is noticed first is chance: a replay would read another text.
 */
export function toldTimeLimit(
  timeLimit: 'cpu' | 'wall',
  { queryCpuMsMax, queryWallMsMax }: Pick<QueryLimits, 'queryCpuMsMax' | 'queryWallMsMax'>,
): 'cpu' | 'wall' {
  return queryWallMsMax <= queryCpuMsMax ? 'wall' : timeLimit;
}

/** How much more of the wall clock an answer gets than of CPU time where its gold decides: the defaults' ratio. */
const WALL_FACTOR = 5;

/**
 * The limits of an answer whose gold takes long: one that does what the gold does must not be too slow. As in what was asked for,
 * the wall clock's is the backstop of the other one, unless it is no higher.
 */
export function raisedLimits<Limits extends Pick<QueryLimits, 'queryCpuMsMax' | 'queryWallMsMax'>>(
  limits: Limits,
  goldMs: number,
): Limits {
  const { queryCpuMsMax, queryWallMsMax } = limits;
  const wallMs = queryWallMsMax > queryCpuMsMax ? goldMs * WALL_FACTOR : goldMs;
  return {
    ...limits,
    queryCpuMsMax: Math.max(queryCpuMsMax, goldMs),
    queryWallMsMax: Math.max(queryWallMsMax, wallMs),
  };
}

/** What went wrong, from what was thrown and what the guard knows; undefined if nothing did. */
export function classifyFailure(
  thrown: { readonly error: unknown } | undefined,
  facts: RunFacts,
): RunFailure | undefined {
  // A stopped query may have been refused memory anywhere, so whatever it returned or threw is not looked at.
  if (facts.stop === 'cancel') return { kind: 'cancelled' };
  if (facts.stop !== 'none') return { kind: 'time_limit', timeLimit: facts.stop };
  if (facts.outOfMemory)
    return { kind: 'internal', message: 'the system has no memory or no file descriptors left' };
  if (facts.spaceFull) return { kind: 'too_big', message: TOO_BIG_MESSAGE };
  if (!thrown) return undefined;
  const { error } = thrown;
  if (error instanceof ForbiddenStatement) return { kind: 'forbidden', message: FORBIDDEN_MESSAGE };
  if (error instanceof QueryError) return classifyCode(error.code & 0xff, error, facts);
  if (error instanceof ParametersError) {
    return { kind: 'sql_error', message: 'query parameters are not supported' };
  }
  return {
    kind: 'internal',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
  };
}

/** SQLite's primary result codes: https://sqlite.org/rescode.html. */
const SQLITE = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  interrupt: 9,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  tooBig: 18,
  auth: 23,
  notADatabase: 26,
} as const;

function classifyCode(
  primaryCode: number,
  { code, message }: QueryError,
  facts: RunFacts,
): RunFailure {
  if (facts.denied) return { kind: 'forbidden', message };
  switch (primaryCode) {
    case SQLITE.auth:
      return { kind: 'forbidden', message };
    case SQLITE.tooBig:
    case SQLITE.noMemory:
      // No memory, with memory left, is SQLite's way of saying that the statement has too many steps.
      return { kind: 'too_big', message: TOO_BIG_MESSAGE };
    case SQLITE.busy:
    case SQLITE.locked:
      return { kind: 'database_broken', message: 'the database is locked by another program' };
    case SQLITE.corrupt:
    case SQLITE.notADatabase:
      return { kind: 'database_broken', message: 'the database file is corrupt' };
    case SQLITE.readOnly:
    case SQLITE.cannotOpen:
      return {
        kind: 'database_broken',
        message: 'the database file cannot be opened for reading',
      };
    case SQLITE.ioError:
    case SQLITE.full:
    case SQLITE.interrupt:
      // A disk that fails or is full, or an interrupt that nobody sent: ours, whatever the query was.
      return { kind: 'internal', message: `SQLite's error ${code}: ${message}` };
    default:
      return { kind: 'sql_error', message };
  }
}
