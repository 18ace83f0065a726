import { FILTER_FIELDS } from '../replay/filter-fields.ts';
import type { EpisodeFilter } from '../replay/filter.ts';
import type { EpisodeSummary } from '../replay/ports.ts';
import { suggest } from '../suggest.ts';

/** That no episode passes the filter, with the value that may have been meant, where one is not among the records. */
export function noEpisodeText(
  episodes: readonly EpisodeSummary[],
  { terms }: EpisodeFilter,
): string {
  const text = 'no episode passes the filter';
  for (const term of terms) {
    if (term.kind !== 'texts' || term.negated || term.key === 'question') continue;
    const field = FILTER_FIELDS[term.key];
    if (field.kind !== 'text') continue;
    const known = new Set(episodes.flatMap(field.values).filter((value) => value !== ''));
    const lower = new Set([...known].map((value) => value.toLowerCase()));
    for (const { text: value, wildcard } of term.texts) {
      if (wildcard || value === '' || lower.has(value.toLowerCase())) continue;
      const hint = suggest(value, [...known]);
      return `${text}: none has the ${term.key} ${JSON.stringify(value)}${hint}`;
    }
  }
  return text;
}
