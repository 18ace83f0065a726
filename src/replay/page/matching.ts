import { filterTest, parseFilter, type EpisodeFilter } from '../filter.ts';
import type { PageFile } from './page-file.ts';

/** How far a filter has come. */
export type Matching =
  | { readonly kind: 'problem'; readonly message: string; readonly offset: number }
  /** Records are being looked through; so far it is known what the summaries say. */
  | { readonly kind: 'searching'; readonly share: number }
  | { readonly kind: 'found'; readonly indices: readonly number[] };

/** Applies filters to the episodes of the page; the last one counts. */
export interface Matcher {
  /** Calls back at once where summaries are enough, else with progress until the records are searched. */
  apply(source: string, report: (matching: Matching) => void): void;
}

/** Makes a matcher. */
export function matcherOf(file: PageFile, onError: (error: unknown) => void): Matcher {
  let running = new AbortController();
  return {
    apply: (source, report) => {
      running.abort();
      running = new AbortController();
      const { signal } = running;
      const parsed = parseFilter(source);
      if (parsed.kind === 'problem') return report(parsed);
      const { filter } = parsed;
      const test = filterTest(filter);
      const indices = file.episodes.filter(test).map(({ index }) => index);
      if (filter.textTerms.length === 0) return report({ kind: 'found', indices });
      report({ kind: 'searching', share: 0 });
      pause(TYPING_MS)
        .then(() => searchAll(file, filter, indices, { signal, report }))
        .catch((error: unknown) => {
          if (!signal.aborted) onError(error);
        });
    },
  };
}

/** A search begins once no letter has come for so long. */
const TYPING_MS = 150;

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

async function searchAll(
  file: PageFile,
  { textTerms }: EpisodeFilter,
  summarised: readonly number[],
  { signal, report }: { readonly signal: AbortSignal; report: (matching: Matching) => void },
): Promise<void> {
  let indices = summarised;
  for (const [place, { text, negated }] of textTerms.entries()) {
    const held = await file.searchText(text, indices, signal, (share) => {
      if (!signal.aborted) report({ kind: 'searching', share: (place + share) / textTerms.length });
    });
    const isHeld = new Set(held);
    indices = indices.filter((index) => isHeld.has(index) !== negated);
  }
  if (!signal.aborted) report({ kind: 'found', indices });
}
