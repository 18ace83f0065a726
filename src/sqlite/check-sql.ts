import { NUL_MESSAGE, SECOND_STATEMENT_MESSAGE, SURROGATE_MESSAGE } from '../../env/refusals.ts';
import { hasSecondStatement, isEmptyStatement } from '../../env/sql-text.ts';
import { hasLoneSurrogate } from '../../env/utf8.ts';
import type { RunFailure } from './failure.ts';

/** What can be said of SQL before SQLite sees it. */
export type SqlCheck = 'run' | 'empty' | RunFailure;

/**
 * Finds SQL that better-sqlite3 would treat otherwise than Python's sqlite3 does: no statement at all (no rows), a second
 * statement (refused, also an empty one), and text that SQLite would cut or change without a word.
 */
export function checkSql(sql: string): SqlCheck {
  if (sql.includes('\0')) return { kind: 'sql_error', message: NUL_MESSAGE };
  if (hasLoneSurrogate(sql)) return { kind: 'sql_error', message: SURROGATE_MESSAGE };
  if (isEmptyStatement(sql)) return 'empty';
  if (hasSecondStatement(sql)) return { kind: 'forbidden', message: SECOND_STATEMENT_MESSAGE };
  return 'run';
}
