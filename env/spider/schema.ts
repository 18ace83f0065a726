/** One table as plain data; names in any case. */
export interface SpiderTable {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The schema that Spider's parser resolves names against, all in lower case. */
export interface SpiderSchema {
  /** Columns by table, both in the order of the database. */
  readonly columnsByTable: ReadonlyMap<string, readonly string[]>;
  /** The official id of `*` (`__all__`), of each `table.column` (`__table.column__`) and each `table` (`__table__`). */
  readonly ids: ReadonlyMap<string, string>;
}

/** The id of `*`. */
export const ALL_COLUMNS_ID = '__all__';

/**
 * Builds the schema. The official evaluator lists the tables of the live database (`sqlite_master`, then
 * `table_info`), not those of tables.json; when two names differ in case only, the later one wins, as there.
 */
export function spiderSchema(tables: Iterable<SpiderTable>): SpiderSchema {
  const columnsByTable = new Map<string, readonly string[]>();
  for (const { name, columns } of tables) {
    columnsByTable.set(
      name.toLowerCase(),
      columns.map((column) => column.toLowerCase()),
    );
  }
  const ids = new Map<string, string>([['*', ALL_COLUMNS_ID]]);
  for (const [table, columns] of columnsByTable) {
    for (const column of columns) ids.set(`${table}.${column}`, columnId(table, column));
  }
  for (const table of columnsByTable.keys()) ids.set(table, `__${table}__`);
  return { columnsByTable, ids };
}

/** The official id of a column; both names in lower case. */
export function columnId(table: string, column: string): string {
  return `__${table}.${column}__`;
}
