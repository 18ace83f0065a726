import type { Trajectory } from '../../env/trajectory.ts';
import type { SearchedText } from './filter-terms.ts';

type Grade = { readonly answer_sql?: unknown } | null;
type Query = { readonly sql?: unknown };

/**
 * Whether any text in a record's values holds the words, case ignored. Keys are not looked at, and neither is the prompt's
 * system message: it holds the schema and the rules, so that every episode of a database would be found by them.
 */
export function recordHolds(
  record: Pick<Trajectory, 'messages' | 'steps' | 'grade'>,
  { words, where }: SearchedText,
): boolean {
  const lower = words.toLowerCase();
  if (where === 'sql') return sqlTexts(record).some((sql) => holdsLower(sql, lower));
  const { messages, ...rest } = record;
  const said = Array.isArray(messages)
    ? messages.filter(({ role }) => role !== 'system')
    : messages;
  return holdsLower(rest, lower) || holdsLower(said, lower);
}

/** The queries that ran and the answer. */
function sqlTexts({ steps, grade }: Pick<Trajectory, 'steps' | 'grade'>): unknown[] {
  const queries = steps.flatMap(({ queries: ran }): readonly Query[] => ran);
  return [...queries.map(({ sql }) => sql), (grade as Grade)?.answer_sql];
}

function holdsLower(value: unknown, lower: string): boolean {
  if (typeof value === 'string') return value.toLowerCase().includes(lower);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some((inner) => holdsLower(inner, lower));
}
