import { existsSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { DEFAULT_LIMITS, LIMIT_RANGES } from '../../env/limits.ts';
import {
  foreignKeyMap,
  type ForeignKeyMap,
  type SpiderKeys,
} from '../../env/spider/foreign-keys.ts';
import { spiderSchema, type SpiderSchema } from '../../env/spider/schema.ts';
import type { QueryExecutor } from '../episodes/ports.ts';
import { readTextFile } from '../tasks/read-text.ts';
import { InputError } from '../tasks/task-set.ts';
import { retried } from './retried.ts';

/** What Spider's parser needs to know of a database. */
export interface ParserSchema {
  readonly schema: SpiderSchema;
  readonly foreignKeys: ForeignKeyMap;
}

/** The official scripts read names from the database itself, internal tables included. */
const NAMES_SQL = `SELECT m.name, c.name FROM sqlite_master AS m
LEFT JOIN pragma_table_info(m.name) AS c WHERE m.type = 'table' ORDER BY m.rowid, c.cid`;

const LIMITS = {
  ...DEFAULT_LIMITS,
  queryCpuMsMax: 10_000,
  queryWallMsMax: 60_000,
  resultBytesMax: LIMIT_RANGES.resultBytesMax.max,
};

const Names = z.object({ rows: z.array(z.tuple([z.string(), z.string().nullable()])) });

/** Reads the schema of one database. The text that comes instead of one says what is wrong. */
export async function readParserSchema(
  executor: QueryExecutor,
  databaseId: string,
  keys: SpiderKeys | undefined,
): Promise<ParserSchema | string> {
  const observation = { textSizeMax: 0, truncateSide: 'middle' } as const;
  const request = { databaseId, sql: NAMES_SQL, limits: LIMITS, observation };
  const { signal } = new AbortController();
  const reply = await retried(() => executor.runQuery(request, signal));
  if (reply.kind !== 'ran') {
    return 'message' in reply ? reply.message : `its schema can't be read (${reply.kind})`;
  }
  if (reply.query.status !== 'ok' || reply.query.capped) return "its schema can't be read";
  const { rows } = Names.parse(JSON.parse(reply.text));
  const columnsByTable = new Map<string, string[]>();
  for (const [table, column] of rows) {
    const columns = columnsByTable.get(table) ?? [];
    if (column !== null) columns.push(column);
    columnsByTable.set(table, columns);
  }
  const tables = [...columnsByTable].map(([name, columns]) => ({ name, columns }));
  return {
    schema: spiderSchema(tables),
    foreignKeys: keys === undefined ? new Map() : foreignKeyMap(keys),
  };
}

const TablesFile = z.array(
  z.object({
    db_id: z.string(),
    table_names_original: z.array(z.string()),
    column_names_original: z.array(z.tuple([z.int(), z.string()])),
    foreign_keys: z.array(z.tuple([z.int(), z.int()])),
  }),
);

/**
 * Reads the foreign keys of a `tables.json` by database: exact-set match takes columns that keys tie together for one.
 * Throws {@link InputError}.
 */
export function readTablesFile(file: string): Map<string, SpiderKeys> {
  const name = path.basename(file);
  let value: unknown;
  try {
    value = JSON.parse(readTextFile(file));
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name}: not valid JSON: ${(error as Error).message}`);
  }
  const parsed = TablesFile.safeParse(value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    throw new InputError(`${name}: ${where}: ${issue?.message ?? "not Spider's tables.json"}`);
  }
  return new Map(
    parsed.data.map((entry) => [
      entry.db_id,
      {
        tableNames: entry.table_names_original,
        columnNames: entry.column_names_original,
        foreignKeys: entry.foreign_keys,
      },
    ]),
  );
}

/** The foreign keys that go with tasks: those of the named file, or of the release; none if there is neither. */
export function findTablesFile(named: string | undefined, spider: string | undefined) {
  if (named !== undefined) return readTablesFile(named);
  const file = spider === undefined ? undefined : path.join(spider, 'tables.json');
  return file !== undefined && existsSync(file) ? readTablesFile(file) : new Map<never, never>();
}
