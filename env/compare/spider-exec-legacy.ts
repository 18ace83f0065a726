import type { SelectItem, SpiderSql } from '../spider/sql-tree.ts';
import { structureKey } from '../spider/structure-key.ts';
import { equalityKey } from './python-equality.ts';
import { isInvalidText, type SqlRow } from './value.ts';

/** A result, and the query that it comes from as exact-set match has rewritten it. */
export interface LegacyResult {
  /** From `matchSpiderSql` with the legacy evaluator; a query with nothing in it when the text is unparseable. */
  readonly sql: Pick<SpiderSql, 'select'>;
  readonly rows: readonly SqlRow[];
}

/** What the old evaluation.py makes of two results; it crashes on TEXT that isn't UTF-8. */
export type LegacyVerdict = 'match' | 'mismatch' | 'gold_undecodable' | 'answer_undecodable';

/**
 * The comparison of Spider's evaluation.py (`spider-exec-legacy@1`): column by column under the names that the SELECT
 * list gives them, rows in order. The name leaves the aggregate out, so of `max(x), min(x)` the last stays; `*` is the
 * first column only; an answer that Spider's parser can't read has no columns and never matches.
 */
export function compareSpiderLegacy(gold: LegacyResult, answer: LegacyResult): LegacyVerdict {
  if (hasInvalidText(answer.rows)) return 'answer_undecodable';
  if (hasInvalidText(gold.rows)) return 'gold_undecodable';
  const goldColumns = columnsByName(gold);
  const answerColumns = columnsByName(answer);
  if (goldColumns === undefined || answerColumns === undefined) return 'mismatch';
  if (goldColumns.size !== answerColumns.size) return 'mismatch';
  for (const [name, key] of goldColumns) {
    if (answerColumns.get(name) !== key) return 'mismatch';
  }
  return 'match';
}

function hasInvalidText(rows: readonly SqlRow[]): boolean {
  return rows.some((row) => row.some((cell) => isInvalidText(cell)));
}

/** undefined when there are rows with fewer columns than the SELECT list has items: the official code crashes there. */
function columnsByName({ sql, rows }: LegacyResult): Map<string, string> | undefined {
  const columns = new Map<string, string>();
  for (const [index, item] of sql.select.items.entries()) {
    let key = '';
    for (const row of rows) {
      const cell = row[index];
      if (cell === undefined) return undefined;
      key += equalityKey(cell);
    }
    columns.set(columnName(item), key);
  }
  return columns;
}

function columnName({ unit }: SelectItem): string {
  return structureKey(unit.right === null ? unit.left : [unit.operator, unit.left, unit.right]);
}
