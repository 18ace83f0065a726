import type { FilterKey } from './filter-fields.ts';

/** A text to compare with; a wildcard has `*` in it that stand for anything. An empty text is `none`. */
export interface FilterText {
  readonly text: string;
  readonly wildcard: boolean;
}

/** How a number is compared. */
export type FilterOperator = '=' | '>' | '>=' | '<' | '<=';

/** One condition that a summary answers. Negated: the episodes that it does not hold for. */
export type FilterTerm =
  /** A bare word or quoted words: in the question, the task id or the episode id. */
  | { readonly kind: 'words'; readonly words: FilterText; readonly negated: boolean }
  /** `key:a,b`: any of the texts. */
  | {
      readonly kind: 'texts';
      readonly key: FilterKey;
      readonly texts: readonly FilterText[];
      readonly negated: boolean;
    }
  /** `key:1,2` or `key>1`: any of the numbers. undefined is `none`, a value that isn't there. */
  | {
      readonly kind: 'numbers';
      readonly key: FilterKey;
      readonly operator: FilterOperator;
      readonly numbers: readonly (number | undefined)[];
      readonly negated: boolean;
    }
  /** `fork:yes`. */
  | {
      readonly kind: 'switch';
      readonly key: FilterKey;
      readonly wanted: boolean;
      readonly negated: boolean;
    };

/** What is looked for in records, case ignored. */
export interface SearchedText {
  readonly words: string;
  /** `text:` looks in the whole record but for the prompt's system message; `sql:` in the queries and the answer. */
  readonly where: 'text' | 'sql';
}

/** A text that the record must hold, or must not. */
export interface TextTerm {
  readonly text: SearchedText;
  readonly negated: boolean;
}

/** A parsed filter. An episode passes if all of its terms hold; one without terms lets all pass. */
export interface EpisodeFilter {
  readonly terms: readonly FilterTerm[];
  /** Terms that need the record: whoever filters looks for them with `searchText`, or with `recordHolds`. */
  readonly textTerms: readonly TextTerm[];
}

/** What a filter text says, or what is wrong with it, in words for the user, and where. */
export type FilterParsed =
  | { readonly kind: 'filter'; readonly filter: EpisodeFilter }
  | { readonly kind: 'problem'; readonly message: string; readonly offset: number };
