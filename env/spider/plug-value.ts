import { pythonSplit, pythonStrip, PYTHON_SPACE } from './python-text.ts';
import { firstStatement } from './sqlparse-tokens.ts';

/**
 * How many candidates are made of one answer at most. The official script makes all of them, values to the power of
 * slots, and runs each on each database: ten values in ten slots never end.
 */
export const PLUG_CANDIDATE_COUNT_MAX = 10_000;

/** A query's words with its values taken out. */
export interface ValueSlots {
  /** Words in lower case; `valuerare` stands for a value. */
  readonly words: readonly string[];
  /** The values that were taken out, each once, sorted. */
  readonly values: readonly string[];
}

/** The queries that come of plugging the gold's values into the answer. */
export interface PlugCandidates {
  /** In a fixed order: the official one is random, and only decides which match is found first. */
  readonly candidates: Iterable<string>;
  /** How many there are without the cap, Infinity when that is no number any more. */
  readonly fullCount: number;
  /** True when there are more than {@link PLUG_CANDIDATE_COUNT_MAX}: a match may be missed. */
  readonly isCapped: boolean;
}

const SLOT = 'valuerare';

/** What the official script puts where it found a value, before it lowers the case. */
const SLOT_WRITTEN = 'VALUERARE';

const FLOAT = /[-+]?\p{Nd}*\.\p{Nd}+/gu;

/** Any character but t, then digits: meant to spare aliases such as T1, it takes the columns c1 and x10 for values. */
const INTEGER = /[^tT]\p{Nd}+/gu;

const STAR_OF_TABLE = /[tT][123]\.\*/gu;
const DOT_AND_BLANK = new RegExp(`(T\\p{Nd}+\\.)[${PYTHON_SPACE}]`, 'gu');
const ALIAS_AND_DOT = /[tT]\p{Nd}+\./u;

/** Takes the values out of a query: quoted text, then decimal numbers, then whole numbers. */
export function extractValues(sql: string): ValueSlots {
  let text = separateTokens(sql).replace(DOT_AND_BLANK, '$1');
  const values = new Set<string>();
  for (const token of firstStatement(text)) {
    if (token.kind !== 'quoted') continue;
    values.add(token.text);
    // A string literal ends with its quote, so there is nothing to strip.
    text = text.replaceAll(token.text, SLOT_WRITTEN);
  }
  let words = pythonSplit(text);
  words = takeOut(words, new Set(text.match(FLOAT)), values);
  const integers = words.join(' ').match(INTEGER) ?? [];
  words = takeOut(words, new Set(integers.map(pythonStrip)), values);
  return { words: words.flatMap(lowerWord), values: [...values].sort() };
}

/** Plugs each of the gold's values into each of the answer's slots, in all ways. */
export function plugCandidates(gold: string, answer: string): PlugCandidates {
  const { values } = extractValues(gold);
  const { words } = extractValues(answer);
  const slots = [...words.keys()].filter((index) => words[index] === SLOT);
  const fullCount = values.length ** slots.length;
  return {
    candidates: combinations(words, slots, values),
    fullCount,
    isCapped: fullCount > PLUG_CANDIDATE_COUNT_MAX,
  };
}

/** Tokens with one blank between, so that values stand alone; `T1.*` becomes `*`. */
function separateTokens(sql: string): string {
  const plain = pythonStrip(sql).replaceAll(';', '').replaceAll('\t', '');
  return firstStatement(plain)
    .filter((token) => token.kind !== 'blank')
    .map((token) => token.text)
    .join(' ')
    .replace(STAR_OF_TABLE, '*');
}

function takeOut(
  words: readonly string[],
  numbers: ReadonlySet<string>,
  values: Set<string>,
): string[] {
  return words.map((word) => {
    if (!numbers.has(word)) return word;
    values.add(word);
    return SLOT_WRITTEN;
  });
}

function lowerWord(word: string): string[] {
  const parts = ALIAS_AND_DOT.test(word) ? pythonSplit(word.replaceAll('.', ' . ')) : [word];
  return parts.map((part) => part.toLowerCase());
}

/** The last slot changes fastest; stops at the cap. */
function* combinations(
  words: readonly string[],
  slots: readonly number[],
  values: readonly string[],
): Generator<string> {
  const count = Math.min(values.length ** slots.length, PLUG_CANDIDATE_COUNT_MAX);
  for (let index = 0; index < count; index += 1) {
    const plugged = [...words];
    let rest = index;
    for (const slot of slots.toReversed()) {
      plugged[slot] = values[rest % values.length] ?? SLOT;
      rest = Math.floor(rest / values.length);
    }
    yield plugged.join(' ');
  }
}
