/** Kinds of token, as SQLite's tokenizer tells them apart. */
export type SqlTokenKind =
  /** Spaces, tabs, newlines. */
  | 'space'
  /** `-- ...` to the end of the line, or a block comment; one that is never closed goes on to the end. */
  | 'comment'
  /** `'...'`. */
  | 'string'
  /** `"..."`, a name in backticks, or `[...]`: an identifier, or under SQLite's leniency a string. */
  | 'quoted'
  /** `x'...'`. */
  | 'blob'
  | 'number'
  /** A keyword or a plain identifier. */
  | 'word'
  /** `?1`, `:name`, `@name`, `$name`. */
  | 'variable'
  /** An operator or punctuation, as long as SQLite reads it. */
  | 'symbol'
  /** A quote that is never closed. */
  | 'unclosed';

/** A piece of SQL text, `end` exclusive. Tokens cover the text without gaps. */
export interface SqlToken {
  readonly kind: SqlTokenKind;
  readonly start: number;
  readonly end: number;
}

const SPACE = /[\t\n\f\r \ufeff][\t-\r ]*/y;
const LINE_COMMENT = /--[^\n]*/y;
const BLOB = /[xX]'[^']*'/y;
const WORD = /[A-Za-z_\u0080-\uffff][A-Za-z0-9_$\u0080-\uffff]*/y;
const NUMBER =
  /(?:0[xX][0-9a-fA-F_]+|(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9][0-9_]*)?)[A-Za-z0-9_$\u0080-\uffff]*/y;
const VARIABLE = /\?[0-9]*|[$@:#][A-Za-z0-9_$\u0080-\uffff]+/y;
const OPERATOR = /->>|->|\|\||<=|<>|<<|>=|>>|!=|==/y;

type Pattern = readonly [SqlTokenKind, RegExp];

const WORDS: readonly Pattern[] = [['word', WORD]];

/** Which patterns to try, in order, by a token's first character; what none fits is one symbol. */
const PATTERNS: ReadonlyMap<string, readonly Pattern[]> = new Map([
  ...patternsOf('\t\n\f\r \ufeff', ['space', SPACE]),
  ...patternsOf('-', ['comment', LINE_COMMENT], ['symbol', OPERATOR]),
  ...patternsOf('xX', ['blob', BLOB], ['word', WORD]),
  ...patternsOf('0123456789.', ['number', NUMBER]),
  ...patternsOf('?$@:#', ['variable', VARIABLE]),
  ...patternsOf('|<>!=', ['symbol', OPERATOR]),
  ...patternsOf('()[],;*/+%&~\'"`\\^{}'),
]);

/** Cuts SQL into tokens by SQLite's own rules. Never fails, in linear time, whatever the text. */
export function tokenizeSql(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length;) {
    const token = tokenAt(sql, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

/** Tells whether a token is a space or a comment. */
export function isBlankToken(token: SqlToken): boolean {
  return token.kind === 'space' || token.kind === 'comment';
}

/** The tokens that are neither spaces nor comments. */
export function meaningfulTokens(sql: string): SqlToken[] {
  return tokenizeSql(sql).filter((token) => !isBlankToken(token));
}

/** The text of a token. */
export function tokenText(sql: string, token: SqlToken): string {
  return sql.slice(token.start, token.end);
}

/** Tells whether a token is this keyword; the word is given in lower case. */
export function isWord(sql: string, token: SqlToken | undefined, word: string): boolean {
  return (
    token !== undefined &&
    token.kind === 'word' &&
    token.end - token.start === word.length &&
    tokenText(sql, token).toLowerCase() === word
  );
}

/** Tells whether a token is this operator or punctuation mark. */
export function isSymbol(sql: string, token: SqlToken | undefined, symbol: string): boolean {
  return token !== undefined && token.kind === 'symbol' && tokenText(sql, token) === symbol;
}

/** The name that a word or a quoted token stands for, quotes removed, in lower case; undefined for other tokens. */
export function tokenName(sql: string, token: SqlToken | undefined): string | undefined {
  if (token === undefined) return undefined;
  const text = tokenText(sql, token);
  if (token.kind === 'word') return text.toLowerCase();
  if (token.kind !== 'quoted' && token.kind !== 'string') return undefined;
  const quote = text.charAt(0);
  return text
    .slice(1, -1)
    .replaceAll(quote + quote, quote)
    .toLowerCase();
}

function patternsOf(characters: string, ...patterns: Pattern[]): [string, Pattern[]][] {
  return Array.from(characters, (character) => [character, patterns]);
}

/** The token that starts here; there must be a character. */
export function tokenAt(sql: string, start: number): SqlToken {
  const first = sql.charAt(start);
  for (const [kind, pattern] of PATTERNS.get(first) ?? WORDS) {
    pattern.lastIndex = start;
    if (pattern.test(sql)) return { kind, start, end: pattern.lastIndex };
  }
  if (first === '/' && sql.charAt(start + 1) === '*' && start + 2 < sql.length) {
    const close = sql.indexOf('*/', start + 2);
    return { kind: 'comment', start, end: close === -1 ? sql.length : close + 2 };
  }
  if (first === "'") return quotedToken(sql, start, 'string');
  if (first === '"' || first === '`') return quotedToken(sql, start, 'quoted');
  if (first === '[') {
    const close = sql.indexOf(']', start + 1);
    if (close === -1) return { kind: 'unclosed', start, end: sql.length };
    return { kind: 'quoted', start, end: close + 1 };
  }
  return { kind: 'symbol', start, end: start + 1 };
}

/** A quote stands for itself when it is doubled. */
function quotedToken(sql: string, start: number, kind: 'string' | 'quoted'): SqlToken {
  const quote = sql.charAt(start);
  for (let at = start + 1; ; at += 2) {
    at = sql.indexOf(quote, at);
    if (at === -1) return { kind: 'unclosed', start, end: sql.length };
    if (sql.charAt(at + 1) !== quote) return { kind, start, end: at + 1 };
  }
}
