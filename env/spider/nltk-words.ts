import { isPythonSpace, PYTHON_SPACE, pythonSplit, pythonStrip } from './python-text.ts';

/**
 * How NLTK's word tokenizer separates words, in its order; each match is surrounded by blanks. Only what can still
 * happen when no quotes are left is here. It decides what Spider's parser can read: `i>1` is three tokens, `i=1` one.
 */
const SEPARATIONS: readonly (readonly [RegExp, string])[] = [
  [/[«“‘„]|`+/gu, ' $& '],
  [/``/gu, ' `` '],
  // The next character is consumed, so that the second of two commas stays glued to what follows.
  [/([:,])(\P{Nd})/gu, ' $1 $2'],
  [/[:,](?=\n?$)/gu, ' $& '],
  [/\.{2,}/gu, ' $& '],
  [/[;@#$%&?!*]/gu, ' $& '],
  [/[\][(){}<>]/gu, ' $& '],
  [/--/gu, ' -- '],
  [/[»”’]/gu, ' $& '],
  ...contractions(),
];

/** What may stand between the last full stop and the end, when that full stop is a token of its own. */
const AFTER_LAST_STOP = /^[\])}>»”’ ]*$/u;

/** Signs that may follow a full stop at once when it ends a sentence. */
const AFTER_SENTENCE: ReadonlySet<string> = new Set('?!)";}]*:@\'({[');

/** Signs that never begin a sentence. */
const NO_SENTENCE_START: ReadonlySet<string> = new Set(';:,.!?');

/** Signs that begin a new word for the sentence splitter. */
const WORD_BREAKS: ReadonlySet<string> = new Set('("`{[:;&#*@)}],?!\'');

const LETTER = /^\p{L}$/u;
const NUMBER = /^-?[.,]?\p{Nd}[\p{Nd},.-]*$/u;
const LOWER_CASE = /^\p{Ll}$/u;
const UPPER_CASE = /^\p{Lu}$/u;

/**
 * The words of a text without quotes, as NLTK 3.8 splits it: sentences first, each of which loses its full stop (so
 * that `T1.*` becomes `T1`, `.`, `*`), then words.
 */
export function nltkWords(text: string): string[] {
  let separated = separateLastStop(separateSentences(text));
  for (const [pattern, replacement] of SEPARATIONS) {
    separated = separated.replace(pattern, replacement);
  }
  return pythonSplit(separated);
}

function separateSentences(text: string): string {
  let separated = '';
  let start = 0;
  for (let stop = text.indexOf('.'); stop >= 0; stop = text.indexOf('.', stop + 1)) {
    if (!endsSentence(text, stop)) continue;
    separated += `${text.slice(start, stop)} . `;
    start = stop + 1;
  }
  return separated + text.slice(start);
}

/** NLTK's rule for sentences, without what it has learnt of English: abbreviations, and words that begin sentences. */
function endsSentence(text: string, stop: number): boolean {
  let next = stop + 1;
  if (!AFTER_SENTENCE.has(text.charAt(next))) {
    while (next < text.length && isPythonSpace(text.charAt(next))) next += 1;
    if (next === stop + 1 || next === text.length) return false;
  }
  let wordStart = stop;
  while (wordStart > 0 && !isWordBreak(text.charAt(wordStart - 1))) wordStart -= 1;
  const word = text.slice(wordStart, stop);
  if (word === '' || word.endsWith('.')) return false;
  const isInitial = LETTER.test(word);
  if (!isInitial && !NUMBER.test(word)) return true;
  const follower = text.charAt(next);
  if (LOWER_CASE.test(follower) || NO_SENTENCE_START.has(follower)) return false;
  return !(isInitial && UPPER_CASE.test(follower));
}

function isWordBreak(character: string): boolean {
  return isPythonSpace(character) || WORD_BREAKS.has(character);
}

function separateLastStop(text: string): string {
  const stop = text.lastIndexOf('.');
  if (stop < 1 || text.charAt(stop - 1) === '.') return text;
  const rest = pythonStrip(text.slice(stop + 1));
  return AFTER_LAST_STOP.test(rest) ? `${text.slice(0, stop)} . ${rest}` : text;
}

/** NLTK splits these in English text, and so in SQL: a column `cannot` is two tokens. */
function contractions(): [RegExp, string][] {
  const pairs = ['can not', 'gim me', 'gon na', 'got ta', 'lem me'];
  const words = pairs.map((pair): [RegExp, string] => {
    const [first, second] = pair.split(' ');
    const pattern = `(?<![\\p{L}\\p{N}_])(${first})(${second})(?![\\p{L}\\p{N}_])`;
    return [new RegExp(pattern, 'giu'), ' $1 $2 '];
  });
  const wanna = new RegExp(`(?<![\\p{L}\\p{N}_])(wan)(na)(?=[${PYTHON_SPACE}]|$)`, 'giu');
  return [...words, [wanna, ' $1 $2 ']];
}
