import { suggest } from '../suggest.ts';
import { FILTER_FIELDS, FILTER_NAMES, filterKey, type FilterKey } from './filter-fields.ts';
import type {
  FilterOperator,
  FilterParsed,
  FilterTerm,
  FilterText,
  SearchedText,
  TextTerm,
} from './filter-terms.ts';

/** Characters of a filter; what is longer was pasted by mistake. */
export const FILTER_SIZE_MAX = 10_000;

const KEY = /([A-Za-z_]+)(:|>=|<=|>|<|=)/y;
const OPERATOR = /(?:>=|<=|>|<|=)/y;
const SPACE = /\s+/y;
const NUMBER = /^-?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d{1,3})?$/i;

class FilterError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.offset = offset;
  }
}

/** A value as it was typed. */
interface Value {
  readonly text: string;
  readonly quoted: boolean;
  readonly offset: number;
}

type ReadTerm = { readonly term: FilterTerm } | { readonly textTerm: TextTerm };

/** Parses the filter language; its terms are in docs/trajectories.md. Never throws. */
export function parseFilter(source: string): FilterParsed {
  if (source.length > FILTER_SIZE_MAX) {
    const message = `a filter has at most ${FILTER_SIZE_MAX} characters`;
    return { kind: 'problem', message, offset: FILTER_SIZE_MAX };
  }
  try {
    const read = new FilterReader(source).readAll();
    const terms = read.flatMap((one) => ('term' in one ? [one.term] : []));
    const textTerms = read.flatMap((one) => ('textTerm' in one ? [one.textTerm] : []));
    return { kind: 'filter', filter: { terms, textTerms } };
  } catch (error) {
    if (!(error instanceof FilterError)) throw error;
    return { kind: 'problem', message: error.message, offset: error.offset };
  }
}

/** Reads the source from left to right. */
class FilterReader {
  readonly #source: string;
  #offset = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readAll(): ReadTerm[] {
    const terms: ReadTerm[] = [];
    this.#take(SPACE);
    while (this.#offset < this.#source.length) {
      terms.push(this.#readTerm());
      if (this.#offset < this.#source.length && this.#take(SPACE) === undefined) {
        this.#fail('there must be a space after a closing quote');
      }
    }
    return terms;
  }

  #readTerm(): ReadTerm {
    const next = this.#source[this.#offset + 1];
    const negated = this.#source[this.#offset] === '-' && next !== undefined && !/\s/.test(next);
    if (negated) this.#offset += 1;
    const start = this.#offset;
    const found = this.#take(KEY);
    if (found === undefined) {
      const { text, quoted } = this.#readValue(false);
      const words = { text, wildcard: !quoted && text.includes('*') };
      return { term: { kind: 'words', words, negated } };
    }
    const [, name = '', sign = ''] = found;
    const where = name.toLowerCase();
    if (where === 'text' || where === 'sql') {
      return { textTerm: this.#readText(where, sign, negated) };
    }
    const key = filterKey(name);
    if (key !== undefined) return { term: this.#readKeyed(key, sign, negated) };
    const hint = suggest(where, FILTER_NAMES);
    throw new FilterError(
      `there is no key ${name}${hint === '' ? `; put "${name}${sign}..." in quotes to search for it` : hint}`,
      start,
    );
  }

  /** One text, commas and stars as they are: SQL has many of both. */
  #readText(where: SearchedText['where'], sign: string, negated: boolean): TextTerm {
    if (sign !== ':' && sign !== '=') this.#fail(`${where} takes a colon, as in ${where}:JOIN`);
    const { text: words } = this.#readValue(false);
    if (words === '') this.#fail(`${where}: a word is missing, as in ${where}:JOIN`);
    return { text: { words, where }, negated };
  }

  #readKeyed(key: FilterKey, sign: string, negated: boolean): FilterTerm {
    const field = FILTER_FIELDS[key];
    switch (field.kind) {
      case 'text': {
        if (sign !== ':' && sign !== '=') this.#fail(`${key} takes a text, as in ${key}:a`);
        const values = this.#readValues(key);
        if ('allowed' in field) checkAllowed(key, field.allowed, values);
        return { kind: 'texts', key, texts: values.map(textOf), negated };
      }
      case 'number': {
        const operator = this.#readOperator(sign);
        const values = this.#readValues(key);
        if (operator !== '=' && values.length > 1) {
          this.#fail(`${key}${operator} takes one number; several are for ${key}:1,2`);
        }
        const numbers = values.map((value) => numberOf(key, operator, value));
        return { kind: 'numbers', key, operator, numbers, negated };
      }
      case 'switch': {
        const [value] = this.#readValues(key);
        const wanted = value?.text.toLowerCase();
        if ((sign !== ':' && sign !== '=') || (wanted !== 'yes' && wanted !== 'no')) {
          this.#fail(`${key} takes yes or no, as in ${key}:yes`);
        }
        return { kind: 'switch', key, wanted: wanted === 'yes', negated };
      }
    }
  }

  /** `steps:>3` is understood as `steps>3`. */
  #readOperator(sign: string): FilterOperator {
    const given = sign === ':' ? (this.#take(OPERATOR)?.[0] ?? '=') : sign;
    return given as FilterOperator;
  }

  #readValues(key: FilterKey): Value[] {
    const values: Value[] = [];
    do {
      const value = this.#readValue(true);
      if (value.text === '' && !value.quoted) {
        throw new FilterError(`${key}: a value is missing`, value.offset);
      }
      values.push(value);
    } while (this.#takeComma());
    return values;
  }

  #readValue(endsAtComma: boolean): Value {
    const offset = this.#offset;
    if (this.#source[offset] === '"') return { text: this.#readQuoted(), quoted: true, offset };
    const pattern = endsAtComma ? /[^\s,"]*/y : /[^\s"]*/y;
    const text = this.#take(pattern)?.[0] ?? '';
    if (this.#source[this.#offset] === '"') {
      this.#fail('a quote must be at the start of a value, and around all of it');
    }
    return { text, quoted: false, offset };
  }

  /** Within quotes `\"` is a quote and `\\` a backslash. */
  #readQuoted(): string {
    const found = this.#take(/"((?:[^"\\]|\\[\s\S])*)"/y);
    if (found === undefined) this.#fail('the quote is not closed');
    return (found[1] ?? '').replaceAll(/\\(["\\])/g, '$1');
  }

  #takeComma(): boolean {
    if (this.#source[this.#offset] !== ',') return false;
    this.#offset += 1;
    return true;
  }

  #take(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.#offset;
    const found = pattern.exec(this.#source);
    if (found === null || found[0] === '') return undefined;
    this.#offset = pattern.lastIndex;
    return found;
  }

  #fail(message: string): never {
    throw new FilterError(message, this.#offset);
  }
}

function textOf({ text, quoted }: Value): FilterText {
  if (!quoted && text.toLowerCase() === 'none') return { text: '', wildcard: false };
  return { text, wildcard: !quoted && text.includes('*') };
}

function numberOf(key: FilterKey, operator: FilterOperator, value: Value): number | undefined {
  if (operator === '=' && value.text.toLowerCase() === 'none') return undefined;
  const number = NUMBER.test(value.text) ? Number(value.text) : Number.NaN;
  // + 0 makes -0 the 0 that it is equal to.
  if (Number.isFinite(number)) return number + 0;
  throw new FilterError(
    `${key} takes a number, as in ${key}>1; ${JSON.stringify(value.text)} is none`,
    value.offset,
  );
}

function checkAllowed(key: string, allowed: readonly string[], values: readonly Value[]): void {
  for (const { text, quoted, offset } of values) {
    const lower = text.toLowerCase();
    const name = !quoted && lower === 'none' ? '' : lower;
    if ((!quoted && text.includes('*')) || allowed.includes(name)) continue;
    const names = allowed.map((one) => one || 'none');
    const message = `${key} is one of ${names.join(', ')}${suggest(lower, names)}`;
    throw new FilterError(message, offset);
  }
}
