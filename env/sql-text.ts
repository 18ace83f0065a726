import {
  isBlankToken,
  isSymbol,
  isWord,
  meaningfulTokens,
  tokenAt,
  tokenizeSql,
  tokenName,
  tokenText,
  type SqlToken,
} from './sql-tokens.ts';

/** Words that read the clock. */
const CLOCK_WORDS: ReadonlySet<string> = new Set([
  'current_timestamp',
  'current_date',
  'current_time',
]);

/** Functions that differ from call to call whatever their arguments. */
const RANDOM_FUNCTIONS: ReadonlySet<string> = new Set(['random', 'randomblob']);

/** Date functions, with the number of arguments from which on they need no clock of their own. */
const DATE_FUNCTIONS: ReadonlyMap<string, number> = new Map([
  ['date', 1],
  ['time', 1],
  ['datetime', 1],
  ['julianday', 1],
  ['unixepoch', 1],
  ['strftime', 2],
  ['timediff', 2],
]);

/** Time values that mean the present; `subsec` does if it is the only one, and is no more than suspect otherwise. */
const PRESENT: ReadonlySet<string> = new Set(['now', 'subsec', 'subsecond']);

const QUOTED_KINDS: ReadonlySet<string> = new Set(['string', 'quoted']);

/**
 * Tells whether a query's own result is ordered: comments and quoted text do not count, nor does anything in matched
 * parentheses (subqueries, CTEs, OVER clauses); then ORDER BY is looked for as words. An opening parenthesis that is never
 * closed hides nothing.
 */
export function hasTopLevelOrderBy(sql: string): boolean {
  const unquoted = meaningfulTokens(sql).filter((token) => !QUOTED_KINDS.has(token.kind));
  const tokens = outsideParentheses(sql, unquoted);
  return tokens.some(
    (token, index) => isWord(sql, token, 'order') && isWord(sql, tokens[index + 1], 'by'),
  );
}

/**
 * Tells whether Python's sqlite3 refuses the text as more than one statement: anything but blanks and comments after the
 * first statement's `;`, so `select 1;;` too. Semicolons before the first statement are skipped, as SQLite does.
 */
export function hasSecondStatement(sql: string): boolean {
  if (!sql.includes(';')) return false;
  let started = false;
  let ended = false;
  for (const token of tokenizeSql(sql)) {
    // A BOM is a space for SQLite, but not for Python.
    if (isBlankToken(token) && !(ended && sql.charAt(token.start) === '\ufeff')) continue;
    // At the very end `/*` is a comment for Python, and two symbols for SQLite.
    if (ended) return sql.slice(token.start) !== '/*';
    if (!isSymbol(sql, token, ';')) started = true;
    else if (started) ended = true;
  }
  return false;
}

/** Tells whether a statement is a PRAGMA or an EXPLAIN: it says something of the database, and answers no question. */
export function looksAtSchema(sql: string): boolean {
  const first = meaningfulTokens(sql).find((token) => !isSymbol(sql, token, ';'));
  return isWord(sql, first, 'pragma') || isWord(sql, first, 'explain');
}

/** Words that end the list of a SELECT's result columns. */
const LIST_ENDS: ReadonlySet<string> = new Set(
  'from where group having order limit union intersect except'.split(' '),
);

/** Words that are literals. */
const LITERAL_WORDS: ReadonlySet<string> = new Set(['null', 'true', 'false']);

/**
 * Tells whether every result column of a plain SELECT is a literal, so that no table beside it can matter to its values:
 * `SELECT 6 FROM singer LIMIT 1`. It looks at text alone; an expression that is constant in a roundabout way is not found.
 */
export function hasLiteralColumns(sql: string): boolean {
  const tokens = meaningfulTokens(sql);
  if (!isWord(sql, tokens[0], 'select')) return false;
  const start = isWord(sql, tokens[1], 'distinct') || isWord(sql, tokens[1], 'all') ? 2 : 1;
  let item: SqlToken[] = [];
  for (const token of [...tokens.slice(start), undefined]) {
    const ends =
      token === undefined ||
      isSymbol(sql, token, ';') ||
      (token.kind === 'word' && LIST_ENDS.has(tokenText(sql, token).toLowerCase()));
    if (!ends && !isSymbol(sql, token, ',')) {
      item.push(token);
      continue;
    }
    if (!isLiteralItem(sql, item)) return false;
    if (ends) return true;
    item = [];
  }
  return false;
}

/** A literal, perhaps with a sign before it and an alias behind it. */
function isLiteralItem(sql: string, item: readonly SqlToken[]): boolean {
  const signed = isSymbol(sql, item[0], '-') || isSymbol(sql, item[0], '+') ? 1 : 0;
  const value = item[signed];
  if (value === undefined) return false;
  const literal =
    value.kind === 'number' ||
    value.kind === 'string' ||
    value.kind === 'blob' ||
    (value.kind === 'word' && LITERAL_WORDS.has(tokenText(sql, value).toLowerCase()));
  const rest = item.slice(signed + 1);
  const alias = isWord(sql, rest[0], 'as') ? rest.slice(1) : rest;
  return (
    literal && alias.length <= 1 && alias.every((token) => tokenName(sql, token) !== undefined)
  );
}

/** Tells whether there is nothing to run: only blanks, comments and semicolons. */
export function isEmptyStatement(sql: string): boolean {
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at);
    if (!isBlankToken(token) && !isSymbol(sql, token, ';')) return false;
    at = token.end;
  }
  return true;
}

/**
 * Tells whether SQL reads the clock or a random function: CURRENT_TIMESTAMP and its kin, date functions of 'now' or without
 * a time value, random(), randomblob(). It looks at text alone: a 'now' anywhere among a date function's arguments counts.
 */
export function callsVolatileFunction(sql: string): boolean {
  const tokens = meaningfulTokens(sql);
  const closers = matchParentheses(sql, tokens);
  const presents = presentCounts(sql, tokens);
  return tokens.some((token, index) => {
    if (isSymbol(sql, tokens[index - 1], '.')) return false;
    if (token.kind === 'word' && CLOCK_WORDS.has(tokenText(sql, token).toLowerCase())) return true;
    const name = token.kind === 'string' ? undefined : tokenName(sql, token);
    const close = closers.get(index + 1);
    if (name === undefined || close === undefined) return false;
    if (RANDOM_FUNCTIONS.has(name)) return true;
    const argumentCountMin = DATE_FUNCTIONS.get(name);
    if (argumentCountMin === undefined) return false;
    const argumentCount = countArguments(sql, tokens, closers, index + 1);
    return argumentCount < argumentCountMin || presents[close] !== presents[index + 1];
  });
}

/**
 * Which opening parenthesis has which closing one, by index among the tokens. Those without a partner are left out.
 */
export function matchParentheses(
  sql: string,
  tokens: readonly SqlToken[],
): ReadonlyMap<number, number> {
  const closers = new Map<number, number>();
  const open: number[] = [];
  for (const [index, token] of tokens.entries()) {
    if (isSymbol(sql, token, '(')) open.push(index);
    else if (isSymbol(sql, token, ')')) {
      const start = open.pop();
      if (start !== undefined) closers.set(start, index);
    }
  }
  return closers;
}

/** The tokens that no pair of parentheses holds; the parentheses themselves are left out too. */
function outsideParentheses(sql: string, tokens: readonly SqlToken[]): SqlToken[] {
  const closers = matchParentheses(sql, tokens);
  const outside: SqlToken[] = [];
  for (let index = 0; index < tokens.length; index += 1) {
    const close = closers.get(index);
    const token = tokens[index];
    if (close !== undefined) index = close;
    else if (token !== undefined) outside.push(token);
  }
  return outside;
}

/** For each token, how many texts that mean the present come before it. */
function presentCounts(sql: string, tokens: readonly SqlToken[]): number[] {
  let count = 0;
  return tokens.map((token) => {
    const before = count;
    const text = token.kind === 'word' ? undefined : tokenName(sql, token);
    if (text !== undefined && PRESENT.has(text)) count += 1;
    return before;
  });
}

function countArguments(
  sql: string,
  tokens: readonly SqlToken[],
  closers: ReadonlyMap<number, number>,
  open: number,
): number {
  const close = closers.get(open) ?? tokens.length;
  if (close === open + 1) return 0;
  let count = 1;
  for (let index = open + 1; index < close; index += 1) {
    // What is inside inner parentheses is theirs.
    index = closers.get(index) ?? index;
    if (isSymbol(sql, tokens[index], ',')) count += 1;
  }
  return count;
}
