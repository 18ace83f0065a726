import { FILTER_FIELDS, type FilterKey } from './filter-fields.ts';
import { globTest } from './filter-glob.ts';
import type { EpisodeFilter, FilterOperator, FilterTerm, FilterText } from './filter-terms.ts';
import type { EpisodeSummary } from './ports.ts';

export { FILTER_KEYS } from './filter-fields.ts';
export { parseFilter } from './filter-parse.ts';
export type { EpisodeFilter, FilterTerm, SearchedText, TextTerm } from './filter-terms.ts';

type Test = (episode: EpisodeSummary) => boolean;

/** A test for the terms that a summary answers; `textTerms` are for whoever has the records. Compiled once, for many episodes. */
export function filterTest(filter: EpisodeFilter): (episode: EpisodeSummary) => boolean {
  const tests = filter.terms.map((term) => {
    const test = termTest(term);
    return term.negated ? (episode: EpisodeSummary) => !test(episode) : test;
  });
  return (episode) => tests.every((test) => test(episode));
}

/** The filter as it would be typed; parsing it gives the same filter. */
export function formatFilter(filter: EpisodeFilter): string {
  const terms = filter.terms.map((term) => (term.negated ? '-' : '') + formatTerm(term));
  const textTerms = filter.textTerms.map(({ text: { words, where }, negated }) => {
    const shown = /[\s"]/.test(words) ? quote(words) : words;
    return `${negated ? '-' : ''}${where}:${shown}`;
  });
  return [...terms, ...textTerms].join(' ');
}

function termTest(term: FilterTerm): Test {
  switch (term.kind) {
    case 'words':
      return wordsTest(term.words);
    case 'texts': {
      const field = FILTER_FIELDS[term.key];
      if (field.kind !== 'text') return () => false;
      const tests = term.texts.map((text) => textTest(term.key, text));
      return (episode) => field.values(episode).some((value) => tests.some((test) => test(value)));
    }
    case 'numbers': {
      const field = FILTER_FIELDS[term.key];
      if (field.kind !== 'number') return () => false;
      const { operator, numbers } = term;
      return (episode) => {
        const value = field.value(episode);
        return numbers.some((number) => compareNumbers(value, operator, number));
      };
    }
    case 'switch': {
      const field = FILTER_FIELDS[term.key];
      return (episode) => field.kind === 'switch' && field.value(episode) === term.wanted;
    }
  }
}

function wordsTest({ text, wildcard }: FilterText): Test {
  const test = holdTest(text, wildcard);
  return ({ question, taskId, episodeId }) => test(question) || test(taskId) || test(episodeId);
}

function textTest(key: FilterKey, { text, wildcard }: FilterText): (value: string) => boolean {
  // A question is remembered by its words, the others are names.
  if (key === 'question' && text !== '') return holdTest(text, wildcard);
  if (wildcard) return globTest(text);
  const lower = text.toLowerCase();
  return (value) => value.toLowerCase() === lower;
}

function holdTest(text: string, wildcard: boolean): (value: string) => boolean {
  if (wildcard) return globTest(`*${text}*`);
  const lower = text.toLowerCase();
  return (value) => value.toLowerCase().includes(lower);
}

function compareNumbers(
  value: number | undefined,
  operator: FilterOperator,
  number: number | undefined,
): boolean {
  if (value === undefined || number === undefined) return operator === '=' && value === number;
  switch (operator) {
    case '=':
      return value === number;
    case '>':
      return value > number;
    case '>=':
      return value >= number;
    case '<':
      return value < number;
    case '<=':
      return value <= number;
  }
}

function formatTerm(term: FilterTerm): string {
  switch (term.kind) {
    case 'words':
      return formatWords(term.words);
    case 'texts':
      return `${term.key}:${term.texts.map(formatText).join(',')}`;
    case 'numbers': {
      const sign = term.operator === '=' ? ':' : term.operator;
      return `${term.key}${sign}${term.numbers.map((number) => number ?? 'none').join(',')}`;
    }
    case 'switch':
      return `${term.key}:${term.wanted ? 'yes' : 'no'}`;
  }
}

function formatText({ text, wildcard }: FilterText): string {
  if (wildcard) return text;
  if (text === '') return 'none';
  return text.toLowerCase() === 'none' || /[\s",*]/.test(text) ? quote(text) : text;
}

function formatWords({ text, wildcard }: FilterText): string {
  if (wildcard) return text;
  return /^[\p{L}\p{N}_./@#]+$/u.test(text) ? text : quote(text);
}

function quote(text: string): string {
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
