import { nltkWords } from './nltk-words.ts';

/** The tokens of a query, or why there are none. */
export type Tokenized =
  | { readonly kind: 'tokens'; readonly tokens: readonly string[] }
  | { readonly kind: 'unexpected_quote' };

/** Tokens that a following `=` is merged with. */
const EQUALS_PREFIXES: ReadonlySet<string> = new Set(['!', '<', '>']);

/**
 * Splits a query as Spider's parser does: quoted strings first (both kinds of quotes are the same to it), NLTK's words
 * for the rest, all in lower case but the strings.
 */
export function tokenizeSpider(sql: string): Tokenized {
  const pieces = sql.replaceAll("'", '"').split('"');
  // n quotes make n + 1 pieces; the pieces at odd places are the strings.
  if (pieces.length % 2 === 0) return { kind: 'unexpected_quote' };
  const strings = new Map<string, string>();
  let text = '';
  let offset = 0;
  for (const [index, piece] of pieces.entries()) {
    if (index % 2 === 0) {
      text += piece;
      offset += codePointCount(piece);
      continue;
    }
    const end = offset + codePointCount(piece) + 1;
    // The official placeholder, offsets included: it shows in the token when the string isn't a word of its own.
    const placeholder = `__val_${offset}_${end}__`;
    strings.set(placeholder, `"${piece}"`);
    text += placeholder;
    offset = end + 1;
  }
  const words = nltkWords(text).map((word) => word.toLowerCase());
  return { kind: 'tokens', tokens: mergeEquals(words.map((word) => strings.get(word) ?? word)) };
}

function mergeEquals(words: readonly string[]): string[] {
  const merged: string[] = [];
  for (const word of words) {
    const previous = merged.at(-1);
    if (word === '=' && previous !== undefined && EQUALS_PREFIXES.has(previous)) {
      merged[merged.length - 1] = `${previous}=`;
    } else {
      merged.push(word);
    }
  }
  return merged;
}

function codePointCount(text: string): number {
  let count = 0;
  for (const _character of text) count += 1;
  return count;
}
