import { PYTHON_SPACE } from './python-text.ts';

/** What the official scripts need to know about a token. */
export type TokenKind =
  /** One blank; a line's end is something else. */
  | 'blank'
  /** From `--` or `# ` to the line's end, that included. */
  | 'line_comment'
  /** In single or double quotes, those included. */
  | 'quoted'
  /** A keyword or a name. */
  | 'word'
  | 'other';

/** A piece of the text; the pieces together are the text. */
export interface SqlToken {
  readonly kind: TokenKind;
  readonly text: string;
}

const LETTER = 'A-ZÀ-Ü';
const WORD = '\\p{L}\\p{N}_';
const DIGIT = '\\p{Nd}';

/**
 * How sqlparse 0.4.2 splits a query, in the order in which its forms are tried, as far as it decides anything here: its
 * keywords of several words stay several words, and dollar quotes, which SQLite can't run, aren't known. Quoted text
 * and block comments have functions of their own.
 */
const FORMS: readonly (readonly [TokenKind, RegExp])[] = [
  // A hint isn't a comment to the statement splitter.
  form('other', '(?:--|# )\\+[^\\n]*?(?:\\r\\n|\\r|\\n|$)'),
  form('line_comment', '(?:--|# )[^\\n]*?(?:\\r\\n|\\r|\\n|$)'),
  form('other', '\\r\\n|\\r|\\n'),
  form('blank', `[${PYTHON_SPACE}]`),
  form('other', ':=|::|\\*'),
  // Placeholders and commands.
  form('other', `\\?|%(?:\\([${WORD}]+\\))?s|(?<![${WORD}])[$:?][${WORD}]+|\\\\[${WORD}]+`),
  form('other', `(?:@|##|#)[${LETTER}][${WORD}]+`),
  // After a dot, before a dot or a parenthesis: a name even when it is a keyword, and without $ and #.
  form('other', `[${LETTER}][${WORD}]*(?=[${PYTHON_SPACE}]*\\.|\\()|(?<=\\.)[${LETTER}][${WORD}]*`),
  form('other', `-?0x[${DIGIT}A-F]+|-?${DIGIT}+(?:\\.${DIGIT}+)?E-?${DIGIT}+`),
  // Digits right before a letter belong to a word, but only the last of them: 12a is 1 and 2a.
  form('other', `-?(?:${DIGIT}+\\.${DIGIT}*|\\.${DIGIT}+)(?![_${LETTER}])`),
  form('other', `-?${DIGIT}+(?![_${LETTER}])`),
  form('other', `(?<![${WORD}\\])])\\[[^\\]\\[]+\\]`),
  form('word', `[0-9_${LETTER}][_$#${WORD}]*`),
  form('other', '[;:()\\[\\],.]'),
  form('other', '[<>=~!]+|[+/@#%^&|-]+'),
  // Whatever is left is an error, one character at a time.
  form('other', '[^]'),
];

const QUOTES: ReadonlyMap<string, TokenKind> = new Map([
  ["'", 'quoted'],
  ['"', 'quoted'],
  ['`', 'other'],
  ['´', 'other'],
]);

/** Splits a query as sqlparse does. */
export function sqlparseTokens(sql: string): SqlToken[] {
  const tokens: SqlToken[] = [];
  // Known beforehand, so that a text full of comments without an end isn't searched again for each.
  const lastCommentEnd = sql.lastIndexOf('*/');
  for (let position = 0; position < sql.length;) {
    const token =
      quotedToken(sql, position) ??
      blockComment(sql, position, lastCommentEnd) ??
      plainToken(sql, position);
    tokens.push(token);
    position += token.text.length;
  }
  return tokens;
}

/**
 * The tokens of the first statement: up to a semicolon outside parentheses, and the blanks and `--` comments right
 * after it. `end` counts as a closing parenthesis, as sqlparse has it; procedures aren't known here.
 */
export function firstStatement(sql: string): SqlToken[] {
  const statement: SqlToken[] = [];
  let depth = 0;
  let isComplete = false;
  for (const token of sqlparseTokens(sql)) {
    if (isComplete && token.kind !== 'blank' && token.kind !== 'line_comment') break;
    statement.push(token);
    if (token.text === '(') depth += 1;
    if (token.text === ')' || (token.kind === 'word' && isEnd(token.text))) depth -= 1;
    if (token.text === ';' && depth <= 0) isComplete = true;
  }
  return statement;
}

function isEnd(word: string): boolean {
  return word.length === 3 && word.toLowerCase() === 'end';
}

function form(kind: TokenKind, pattern: string): readonly [TokenKind, RegExp] {
  return [kind, new RegExp(pattern, 'iuy')];
}

function plainToken(sql: string, position: number): SqlToken {
  for (const [kind, pattern] of FORMS) {
    pattern.lastIndex = position;
    const text = pattern.exec(sql)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return { kind: 'other', text: sql.charAt(position) };
}

function blockComment(sql: string, position: number, lastEnd: number): SqlToken | undefined {
  if (position + 2 > lastEnd || !sql.startsWith('/*', position)) return undefined;
  return { kind: 'other', text: sql.slice(position, sql.indexOf('*/', position + 2) + 2) };
}

function quotedToken(sql: string, position: number): SqlToken | undefined {
  const quote = sql.charAt(position);
  const kind = QUOTES.get(quote);
  if (kind === undefined) return undefined;
  const end = quotedEnd(sql, position, kind !== 'other');
  return end === undefined ? undefined : { kind, text: sql.slice(position, end) };
}

/**
 * Where quoted text ends. A doubled quote continues it, and so does a quote after a backslash, which SQLite would end
 * it at; but when that leaves no end, the last of these choices is taken back, and so on. A regular expression does this
 * in exponential time on backslashes; here each position is tried once.
 */
function quotedEnd(sql: string, start: number, backslashEscapes: boolean): number | undefined {
  const quote = sql.charAt(start);
  const tried = new Set<number>();
  // Places to go on from; a negative one is an end.
  const choices = [start + 1];
  for (let at = choices.pop(); at !== undefined; at = choices.pop()) {
    if (at < 0) return -at;
    if (at >= sql.length || tried.has(at)) continue;
    tried.add(at);
    const character = sql.charAt(at);
    const next = sql.charAt(at + 1);
    if (character === quote) {
      choices.push(-(at + 1));
      if (next === quote) choices.push(at + 2);
    } else {
      choices.push(at + 1);
      const isEscape = backslashEscapes && character === '\\';
      if (isEscape && (next === quote || next === '\\')) choices.push(at + 2);
    }
  }
  return undefined;
}
