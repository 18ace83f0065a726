import { closest, distance } from 'fastest-levenshtein';

/** Shorter names are the start of too many. */
const PREFIX_SIZE_MIN = 3;

/** `; did you mean X?` for the known name that is close enough to be what was meant, else nothing. */
export function suggest(name: string, known: readonly string[]): string {
  if (known.length === 0 || name.length > 100) return '';
  const nearest = closest(name, [...known]);
  const tolerance = Math.max(2, Math.floor(name.length / 3));
  if (distance(name, nearest) <= tolerance) return `; did you mean ${nearest}?`;
  if (name.length < PREFIX_SIZE_MIN) return '';
  const longer = known.find((candidate) => candidate.startsWith(name));
  return longer === undefined ? '' : `; did you mean ${longer}?`;
}
