import { callsVolatileFunction, hasSecondStatement } from './sql-text.ts';
import {
  isSymbol,
  isWord,
  meaningfulTokens,
  tokenName,
  tokenText,
  type SqlToken,
} from './sql-tokens.ts';

/** A gold rewritten so that its rows show its sort keys. */
export interface SortKeyQuery {
  /** The gold with its ORDER BY terms as further result columns and, under a literal LIMIT, one row more. */
  readonly sql: string;
  /** How many columns were added, at the end of each row. */
  readonly keyCount: number;
  /** The gold's literal LIMIT; undefined if it has none, or one that is no plain number. */
  readonly limit: number | undefined;
}

/** SQL with its tokens, those inside parentheses marked. */
interface Source {
  readonly sql: string;
  readonly tokens: readonly SqlToken[];
  /** By index: the token is outside all parentheses. */
  readonly outside: readonly boolean[];
}

/** Where the parts of a statement are, as indices of tokens; `end` ones are exclusive. */
interface Clauses {
  readonly itemsStart: number;
  readonly from: number;
  readonly termsStart: number;
  readonly termsEnd: number;
  readonly end: number;
}

/** A range of tokens, `end` exclusive. */
interface Range {
  readonly start: number;
  readonly end: number;
}

const COMPOUND_WORDS: ReadonlySet<string> = new Set(['union', 'intersect', 'except', 'values']);

/** Words that can stand before the last name of a result column without making it an alias. */
const OPERATOR_WORDS: ReadonlySet<string> = new Set(
  'and or not is in like glob match regexp between collate escape case when then else distinct all from exists over'.split(
    ' ',
  ),
);

/** Last words of an expression that are no alias. */
const CLOSING_WORDS: ReadonlySet<string> = new Set(
  'end null isnull notnull true false current_date current_time current_timestamp'.split(' '),
);

/**
 * Rewrites a gold so that its rows show its sort keys, from which `deriveTies` tells which rows tie. Only for one SELECT
 * with FROM and a top-level ORDER BY, not DISTINCT, not compound, without clock or randomness; undefined whenever it is not
 * certain what a term refers to, for a wrong key would call rows equal that are not.
 */
export function sortKeyQuery(goldSql: string): SortKeyQuery | undefined {
  if (hasSecondStatement(goldSql) || callsVolatileFunction(goldSql)) return undefined;
  const source = readSource(goldSql);
  const clauses = source && findClauses(source);
  if (!source || !clauses) return undefined;

  const items = splitAtCommas(source, { start: clauses.itemsStart, end: clauses.from });
  const terms = splitAtCommas(source, { start: clauses.termsStart, end: clauses.termsEnd });
  if ([...items, ...terms].some(({ start, end }) => start >= end)) return undefined;
  const keys: string[] = [];
  for (const term of terms) {
    const key = sortKey(source, items, withoutDirection(source, term));
    if (key === undefined) return undefined;
    keys.push(key);
  }
  const limit = findLimit(source, clauses);
  const before = sourceText(source, { start: 0, end: clauses.from });
  const rest = sourceText(source, { start: clauses.from, end: limit?.token ?? clauses.end });
  const after = limit
    ? ` ${limit.count + 1} ${sourceText(source, { start: limit.token + 1, end: clauses.end })}`
    : '';
  return {
    sql: `${before}, ${keys.join(', ')} ${rest}${after}`.trimEnd(),
    keyCount: keys.length,
    limit: limit?.count,
  };
}

/** Undefined if quotes or parentheses do not pair up. */
function readSource(sql: string): Source | undefined {
  const tokens = meaningfulTokens(sql);
  let depth = 0;
  const outside: boolean[] = [];
  for (const token of tokens) {
    if (token.kind === 'unclosed') return undefined;
    outside.push(depth === 0 && !isSymbol(sql, token, '('));
    if (isSymbol(sql, token, '(')) depth += 1;
    if (isSymbol(sql, token, ')')) depth -= 1;
    if (depth < 0) return undefined;
  }
  return depth === 0 ? { sql, tokens, outside } : undefined;
}

/** Undefined for any other statement than the simple one that {@link sortKeyQuery} takes. */
function findClauses(source: Source): Clauses | undefined {
  const { sql, tokens } = source;
  const semicolon = tokens.findLastIndex((token) => !isSymbol(sql, token, ';')) + 1;
  if (outsideWords(source, (word) => COMPOUND_WORDS.has(word)).length > 0) return undefined;
  const [select, ...otherSelects] = outsideWords(source, (word) => word === 'select');
  const [order, ...otherOrders] = outsideWords(source, (word) => word === 'order');
  const from = outsideWords(source, (word) => word === 'from').find(
    // IS DISTINCT FROM is an operator.
    (index) =>
      select !== undefined && index > select && !isWord(sql, tokens[index - 1], 'distinct'),
  );
  if (select === undefined || from === undefined || order === undefined) return undefined;
  if (otherSelects.length > 0 || otherOrders.length > 0 || order < from) return undefined;
  if (!isWord(sql, tokens[order + 1], 'by')) return undefined;
  if (isWord(sql, tokens[select + 1], 'distinct')) return undefined;
  const limit = outsideWords(source, (word) => word === 'limit').find((index) => index > order);
  return {
    itemsStart: select + (isWord(sql, tokens[select + 1], 'all') ? 2 : 1),
    from,
    termsStart: order + 2,
    termsEnd: limit ?? semicolon,
    end: semicolon,
  };
}

function outsideWords(source: Source, fits: (word: string) => boolean): number[] {
  return [...source.tokens.keys()].filter((index) => {
    const token = source.tokens[index];
    if (token?.kind !== 'word' || !source.outside[index]) return false;
    return fits(tokenText(source.sql, token).toLowerCase());
  });
}

function splitAtCommas(source: Source, range: Range): Range[] {
  const ranges: Range[] = [];
  let start = range.start;
  for (let index = range.start; index < range.end; index += 1) {
    if (!source.outside[index] || !isSymbol(source.sql, source.tokens[index], ',')) continue;
    ranges.push({ start, end: index });
    start = index + 1;
  }
  return [...ranges, { start, end: range.end }];
}

/** Without COLLATE, ASC, DESC and NULLS at its end: what is compared, not how. */
function withoutDirection(source: Source, term: Range): Range {
  const { sql, tokens } = source;
  let { end } = term;
  const endsWith = (word: string, back: number) => isWord(sql, tokens[end - back], word);
  if (endsWith('nulls', 2) && (endsWith('first', 1) || endsWith('last', 1))) end -= 2;
  if (endsWith('asc', 1) || endsWith('desc', 1)) end -= 1;
  while (endsWith('collate', 2)) end -= 2;
  return { start: term.start, end };
}

/** The expression that an ORDER BY term stands for; undefined if that is not certain. */
function sortKey(source: Source, items: readonly Range[], term: Range): string | undefined {
  const { sql, tokens } = source;
  const single = term.end - term.start === 1 ? tokens[term.start] : undefined;
  if (single?.kind === 'number') return positionKey(source, items, Number(tokenText(sql, single)));

  const names = mentionedNames(source, term);
  // A constant, which in parentheses or with a sign may be a position all the same.
  if (names === undefined) return undefined;
  const aliased = items.map((item) => ({ item, alias: findAlias(source, item) }));
  const shown = aliased.find(({ alias }) => alias !== undefined && names.has(alias.name));
  if (shown === undefined) return sourceText(source, term);
  if (single === undefined || shown.alias === undefined) return undefined;
  return sourceText(source, { start: shown.item.start, end: shown.alias.start });
}

function positionKey(
  source: Source,
  items: readonly Range[],
  position: number,
): string | undefined {
  const item = items[position - 1];
  // After a `*` positions are not those of the items.
  if (!item || items.slice(0, position).some((each) => isStar(source, each))) return undefined;
  return sourceText(source, { start: item.start, end: findAlias(source, item)?.start ?? item.end });
}

function isStar(source: Source, item: Range): boolean {
  return isSymbol(source.sql, source.tokens[item.end - 1], '*');
}

/**
 * The names in a term that could be a result column's; those after a dot and those of functions can't. Undefined if there
 * is no name at all, or a parameter.
 */
function mentionedNames(source: Source, term: Range): ReadonlySet<string> | undefined {
  const { sql, tokens } = source;
  const names = new Set<string>();
  let named = false;
  for (let index = term.start; index < term.end; index += 1) {
    const token = tokens[index];
    if (token?.kind === 'variable') return undefined;
    const name = token?.kind === 'string' ? undefined : tokenName(sql, token);
    if (name === undefined) continue;
    named = true;
    const belongs = isSymbol(sql, tokens[index - 1], '.') || isSymbol(sql, tokens[index + 1], '(');
    if (!belongs) names.add(name);
  }
  return named ? names : undefined;
}

interface Alias {
  readonly name: string;
  /** Index of the first token that is no more part of the expression. */
  readonly start: number;
}

/** The alias of a result column, with or without AS; undefined if it has none. */
function findAlias(source: Source, item: Range): Alias | undefined {
  const { sql, tokens } = source;
  const last = item.end - 1;
  const name = tokenName(sql, tokens[last]);
  const before = tokens[last - 1];
  if (name === undefined || before === undefined || last === item.start) return undefined;
  if (isWord(sql, before, 'as')) return { name, start: last - 1 };
  if (tokens[last]?.kind === 'word' && CLOSING_WORDS.has(name)) return undefined;
  if (before.kind === 'symbol' && !isSymbol(sql, before, ')')) return undefined;
  const operator =
    before.kind === 'word' && OPERATOR_WORDS.has(tokenText(sql, before).toLowerCase());
  return operator ? undefined : { name, start: last };
}

function findLimit(
  source: Source,
  clauses: Clauses,
): { readonly token: number; readonly count: number } | undefined {
  const { sql, tokens } = source;
  const first = clauses.termsEnd + 1;
  const size = clauses.end - first;
  const token = size === 3 && isSymbol(sql, tokens[first + 1], ',') ? first + 2 : first;
  const known = size === 1 || token !== first || isWord(sql, tokens[first + 1], 'offset');
  const text = tokens[token] && tokenText(sql, tokens[token]);
  if (!known || text === undefined || !/^[0-9]{1,9}$/.test(text)) return undefined;
  return { token, count: Number(text) };
}

/** The text of a range of tokens, without comments. */
function sourceText(source: Source, range: Range): string {
  const parts = source.tokens.slice(range.start, range.end);
  return parts.map((token) => tokenText(source.sql, token)).join(' ');
}
