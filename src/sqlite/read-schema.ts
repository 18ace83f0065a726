import { isInvalidText, type SqlValue } from '../../env/compare/value.ts';
import { decodeBackslashReplace } from '../../env/utf8.ts';
import type { DatabaseSchema } from '../episodes/ports.ts';
import type { Connection } from './connection.ts';
import { fetchRows } from './fetch-keys.ts';
import { guardedRun } from './guarded-run.ts';
import type { WorkerMessage, WorkerReply } from './messages.ts';
import type { NativeGuard } from './native-guard.ts';

type SchemaMessage = Extract<WorkerMessage, { kind: 'read_schema' }>;

/** The seed experiment's query, word for word: its order is the prompt's. */
const TABLE_SQLS = `SELECT sql FROM sqlite_master
WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND sql IS NOT NULL ORDER BY name`;

const COLUMNS = `SELECT m.name, c.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY m.rowid, c.cid`;

/** Columns of all tables together; a prompt of that size fits no model. */
const COLUMN_COUNT_MAX = 100_000;

/** Reads what the prompts show of a database. */
export function readSchema(
  guard: NativeGuard,
  connection: Connection,
  message: SchemaMessage,
): WorkerReply {
  const outcome = guardedRun(guard, connection, message, (): DatabaseSchema => {
    const tableSqls = fetchRows(connection, TABLE_SQLS, COLUMN_COUNT_MAX).map((row) =>
      textOf(row[0] ?? null).trim(),
    );
    const columns = new Map<string, string[]>();
    for (const row of fetchRows(connection, COLUMNS, COLUMN_COUNT_MAX)) {
      const table = textOf(row[0] ?? null);
      const names = columns.get(table) ?? [];
      names.push(textOf(row[1] ?? null));
      columns.set(table, names);
    }
    return { tableSqls, tables: [...columns].map(([name, names]) => ({ name, columns: names })) };
  });
  if (outcome.kind === 'value')
    return { kind: 'schema', schema: outcome.value, times: outcome.times };
  switch (outcome.failure.kind) {
    case 'time_limit':
      return message.trial ? { kind: 'slow', times: outcome.times } : { kind: 'starved' };
    case 'sql_error':
    case 'forbidden':
    case 'too_big':
      return {
        kind: 'database_broken',
        message: `its schema can't be read: ${outcome.failure.message}`,
      };
    case 'cancelled':
    case 'database_broken':
    case 'internal':
      return outcome.failure;
  }
}

function textOf(value: SqlValue): string {
  if (typeof value === 'string') return value;
  return value !== null && typeof value === 'object' && isInvalidText(value)
    ? decodeBackslashReplace(value.textBytes)
    : '';
}
