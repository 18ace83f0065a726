import { tokenizeSql, type SqlTokenKind } from '../../../../env/sql-tokens.ts';
import type { Style } from './line.ts';
import type { Highlighter, StyledText } from './wrap.ts';

const KEYWORDS = new Set(
  (
    'ALL AND AS ASC BETWEEN BY CASE CAST COLLATE CREATE CROSS CURRENT DEFAULT DELETE DESC DISTINCT DROP ELSE END ESCAPE EXCEPT ' +
    'EXISTS FILTER FIRST FOLLOWING FOREIGN FROM FULL GLOB GROUP HAVING IN INDEX INNER INSERT INTERSECT INTO IS ISNULL JOIN KEY ' +
    'LAST LEFT LIKE LIMIT NATURAL NOT NOTNULL NULL NULLS OFFSET ON OR ORDER OUTER OVER PARTITION PRAGMA PRECEDING PRIMARY ' +
    'RANGE RECURSIVE REFERENCES RIGHT ROWS SELECT SET TABLE THEN UNBOUNDED UNION UNIQUE UPDATE USING VALUES VIEW WHEN WHERE ' +
    'WINDOW WITH ATTACH'
  ).split(' '),
);

const TOKEN_STYLES: Readonly<Record<SqlTokenKind, Style>> = {
  space: 'plain',
  comment: 'dim',
  string: 'string',
  quoted: 'string',
  blob: 'string',
  number: 'number',
  word: 'plain',
  variable: 'number',
  symbol: 'plain',
  unclosed: 'bad',
};

/** SQL with its keywords, strings and numbers told apart. */
export const sqlText: Highlighter = (text) =>
  joined(
    tokenizeSql(text).map(({ kind, start, end }) => {
      const token = text.slice(start, end);
      const keyword = kind === 'word' && KEYWORDS.has(token.toUpperCase());
      return { text: token, style: keyword ? 'keyword' : TOKEN_STYLES[kind] };
    }),
  );

const TURN_PIECES = /<\/?tool_call>|<\/?think>|```(?:sql)?/gi;

/** What a model said: tool calls stand out, thoughts step back, SQL in a fence is shown as SQL. */
export const turnText: Highlighter = (text) => {
  const parts: StyledText[] = [];
  let at = 0;
  let inside: 'text' | 'call' | 'thought' | 'sql' = 'text';
  const push = (end: number): void => {
    const piece = text.slice(at, end);
    if (inside === 'sql') parts.push(...sqlText(piece));
    else parts.push({ text: piece, style: styleInside(inside) });
    at = end;
  };
  for (const match of text.matchAll(TURN_PIECES)) {
    push(match.index);
    const tag = match[0].toLowerCase();
    if (tag === '<tool_call>') inside = 'call';
    else if (tag === '<think>') inside = 'thought';
    else if (tag === '```sql') inside = 'sql';
    else inside = 'text';
    at = match.index + match[0].length;
    parts.push({ text: match[0], style: 'keyword' });
  }
  push(text.length);
  return joined(parts);
};

const OBSERVATION_PIECES =
  /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|\b(?:null|true|false|NaN|Infinity)\b/g;
const MARK = /(\.\.\.\(truncated\)\.\.\.|\(truncated\)\.\.\.|\.\.\.\(truncated\))/;

/** What the model read: JSON, and the mark where it was shortened. */
export const observationText: Highlighter = (text) =>
  joined(
    text.split(MARK).flatMap((piece, index): StyledText[] => {
      if (index % 2 === 1) return [{ text: piece, style: 'cut' }];
      return index === 0 ? jsonParts(piece) : restParts(piece);
    }),
  );

/** What follows a mark may begin within a text: then it holds an odd number of quotes. */
function restParts(text: string): StyledText[] {
  const quotes = [...text.matchAll(/(?<!\\)"/g)];
  const first = quotes[0];
  if (first === undefined || quotes.length % 2 === 0) return jsonParts(text);
  const end = first.index + 1;
  return [{ text: text.slice(0, end), style: 'string' }, ...jsonParts(text.slice(end))];
}

function jsonParts(text: string): StyledText[] {
  const parts: StyledText[] = [];
  let at = 0;
  for (const match of text.matchAll(OBSERVATION_PIECES)) {
    parts.push({ text: text.slice(at, match.index), style: 'plain' });
    parts.push({ text: match[0], style: match[0].startsWith('"') ? 'string' : 'number' });
    at = match.index + match[0].length;
  }
  parts.push({ text: text.slice(at), style: 'plain' });
  return parts;
}

function styleInside(inside: 'text' | 'call' | 'thought' | 'sql'): Style {
  if (inside === 'call') return 'accent';
  return inside === 'thought' ? 'dim' : 'plain';
}

/** Neighbours of one style as one, without empty ones. */
function joined(parts: readonly StyledText[]): StyledText[] {
  const all: StyledText[] = [];
  for (const part of parts) {
    if (part.text === '') continue;
    const last = all.at(-1);
    if (last?.style === part.style) all[all.length - 1] = { ...part, text: last.text + part.text };
    else all.push(part);
  }
  return all;
}
