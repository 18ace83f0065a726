import { ALL_COLUMNS_ID, columnId } from './schema.ts';

/** What one database's entry in Spider's tables.json says about keys; names in any case. */
export interface SpiderKeys {
  /** `table_names_original`. */
  readonly tableNames: readonly string[];
  /** `column_names_original`: the table's index (-1 for `*`) and the column's name. */
  readonly columnNames: readonly (readonly [tableIndex: number, name: string])[];
  /** `foreign_keys`: pairs of indices into the columns. */
  readonly foreignKeys: readonly (readonly [number, number])[];
}

/** From a column's id to the id of the column that stands for all columns that foreign keys tie together. */
export type ForeignKeyMap = ReadonlyMap<string, string>;

/**
 * Builds the map as the official evaluator does: each key joins the first group that has one of its ends, and groups
 * that turn out to be tied later aren't united. The column with the lowest index stands for its group.
 */
export function foreignKeyMap(keys: SpiderKeys): ForeignKeyMap {
  const groups: Set<number>[] = [];
  for (const [from, to] of keys.foreignKeys) {
    let group = groups.find((candidate) => candidate.has(from) || candidate.has(to));
    if (group === undefined) {
      group = new Set();
      groups.push(group);
    }
    group.add(from).add(to);
  }
  const ids = keys.columnNames.map(([tableIndex, name]) => {
    const table = keys.tableNames[tableIndex];
    return table === undefined ? ALL_COLUMNS_ID : columnId(table.toLowerCase(), name.toLowerCase());
  });
  const map = new Map<string, string>();
  for (const group of groups) {
    const representative = ids[Math.min(...group)];
    for (const column of [...group].sort((a, b) => a - b)) {
      const id = ids[column];
      if (id !== undefined && representative !== undefined) map.set(id, representative);
    }
  }
  return map;
}
