import type { SpiderSchema } from './schema.ts';
import type { SpiderSql } from './sql-tree.ts';

/** The Python exception that the official parser raises where ours reports a failure. */
export type SpiderErrorClass =
  'AssertionError' | 'IndexError' | 'KeyError' | 'RecursionError' | 'ValueError';

/**
 * How the parser's functions give up. It never leaves `parseSpiderSql`, which turns it into a value: the grammar below
 * is recursive, and a result to check after each of its steps would hide it.
 */
export class ParseFailure extends Error {
  readonly errorClass: SpiderErrorClass;

  constructor(errorClass: SpiderErrorClass, reason: string) {
    super(reason);
    this.name = 'ParseFailure';
    this.errorClass = errorClass;
  }
}

/**
 * What LIMIT's number becomes. The test-suite evaluator writes 1 whatever stands there (`one`); the legacy one reads
 * the number, and fails when it is none (`number`).
 */
export type LimitRule = 'one' | 'number';

/** What all parts of one parse share. */
export interface ParseContext {
  readonly schema: SpiderSchema;
  /** What an alias, or a table's own name, stands for: valid in the whole query, nested queries included. */
  readonly tableByAlias: ReadonlyMap<string, string>;
  readonly limitRule: LimitRule;
  /** Reads a nested query; here, so that expressions needn't import the file that imports them. */
  readonly parseNested: (cursor: Cursor) => SpiderSql;
}

/** A place in the tokens. */
export interface Cursor {
  readonly context: ParseContext;
  readonly tokens: readonly string[];
  index: number;
  /** How many queries the place is in. */
  depth: number;
}

/** The words that begin a clause, as the official parser has them: without `having`, which is no stop word. */
export const CLAUSE_KEYWORDS: ReadonlySet<string> = new Set([
  'select',
  'from',
  'where',
  'group',
  'order',
  'limit',
  'intersect',
  'union',
  'except',
]);

/** The words of a join. */
export const JOIN_KEYWORDS: ReadonlySet<string> = new Set(['join', 'on', 'as']);

/** The token here, where the official code reads it without a check: past the end it is an IndexError. */
export function current(cursor: Cursor): string {
  const token = cursor.tokens[cursor.index];
  if (token === undefined) throw new ParseFailure('IndexError', 'the query ends too early');
  return token;
}

/** The token here, undefined past the end. */
export function peek(cursor: Cursor): string | undefined {
  return cursor.tokens[cursor.index];
}

/** Steps over the token if it is here. */
export function skip(cursor: Cursor, token: string): boolean {
  if (peek(cursor) !== token) return false;
  cursor.index += 1;
  return true;
}

/** Steps over a token that must be here; past the end it is an IndexError, as in the official code. */
export function expect(cursor: Cursor, token: string): void {
  const found = current(cursor);
  if (found !== token) fail('AssertionError', `expected ${token}, found ${found}`);
  cursor.index += 1;
}

/** Gives up. */
export function fail(errorClass: SpiderErrorClass, reason: string): never {
  throw new ParseFailure(errorClass, reason);
}

/** Tells whether the place is at a clause, a closing parenthesis or a semicolon. */
export function atClauseEnd(cursor: Cursor): boolean {
  const token = peek(cursor);
  return token !== undefined && (CLAUSE_KEYWORDS.has(token) || token === ')' || token === ';');
}
