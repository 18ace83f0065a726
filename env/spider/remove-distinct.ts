import { firstStatement } from './sqlparse-tokens.ts';

/**
 * What the test-suite evaluator runs in place of a query, unless told to keep DISTINCT: its first statement without the
 * words `distinct`, blanks kept. Quoted names, strings and comments keep theirs; `t.distinct` loses it.
 */
export function removeDistinct(sql: string): string {
  // Most queries have nothing to take out and no second statement, and needn't be taken apart.
  if (!sql.includes(';') && !sql.toLowerCase().includes('distinct')) return sql;
  return firstStatement(sql)
    .map((token) => token.text)
    .filter((text) => text.length !== 8 || text.toLowerCase() !== 'distinct')
    .join('');
}
