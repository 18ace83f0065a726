import type { ForeignKeyMap } from './foreign-keys.ts';
import type {
  ColumnUnit,
  Condition,
  Conditions,
  ConditionValue,
  Connector,
  SpiderSql,
  ValueUnit,
} from './sql-tree.ts';

/**
 * Prepares a query for exact-set match: values become null, columns become the representative of their foreign-key
 * group, DISTINCT becomes null. The last two happen only in the outermost query and after set operations: inside the
 * conditions' queries DISTINCT and the choice between tied columns matter. In FROM's queries everything matters.
 */
export function rewriteForMatch(sql: SpiderSql, foreignKeys: ForeignKeyMap): SpiderSql {
  // The table of a table unit is everything before the closing underscores of its id.
  const tables = new Set<string>();
  for (const unit of sql.from.tableUnits) {
    if (unit.kind === 'table') tables.add(unit.tableId.slice(0, -2));
  }
  return rewriteColumns(withoutValues(sql), { tables, foreignKeys });
}

interface ColumnRewriting {
  /** Ids of the outermost FROM's tables, without the closing underscores: only their columns are replaced. */
  readonly tables: ReadonlySet<string>;
  readonly foreignKeys: ForeignKeyMap;
}

function withoutValues(sql: SpiderSql): SpiderSql {
  return {
    ...sql,
    from: { ...sql.from, conditions: conditionsWithoutValues(sql.from.conditions) },
    where: conditionsWithoutValues(sql.where),
    having: conditionsWithoutValues(sql.having),
    intersect: sql.intersect && withoutValues(sql.intersect),
    union: sql.union && withoutValues(sql.union),
    except: sql.except && withoutValues(sql.except),
  };
}

function conditionsWithoutValues(conditions: Conditions): Conditions {
  return mapConditions(conditions, (condition) => ({
    ...condition,
    first: valueWithoutValues(condition.first),
    second: valueWithoutValues(condition.second),
  }));
}

function valueWithoutValues(value: ConditionValue | null): ConditionValue | null {
  return value?.kind === 'sql' ? { kind: 'sql', sql: withoutValues(value.sql) } : null;
}

/** Rewrites what stands where conditions belong, at the even places, and leaves the rest. */
function mapConditions(
  conditions: Conditions,
  rewrite: (condition: Condition) => Condition,
): Conditions {
  return conditions.map((item: Condition | Connector, index) =>
    index % 2 === 0 && typeof item === 'object' ? rewrite(item) : item,
  );
}

function rewriteColumns(sql: SpiderSql, rewriting: ColumnRewriting): SpiderSql {
  const unit = (valueUnit: ValueUnit): ValueUnit => rewriteValueUnit(valueUnit, rewriting);
  const conditions = (items: Conditions): Conditions =>
    mapConditions(items, (condition) => ({ ...condition, unit: unit(condition.unit) }));
  return {
    ...sql,
    select: {
      distinct: null,
      items: sql.select.items.map((item) => ({ ...item, unit: unit(item.unit) })),
    },
    from: { ...sql.from, conditions: conditions(sql.from.conditions) },
    where: conditions(sql.where),
    groupBy: sql.groupBy.map((column) => rewriteColumn(column, rewriting)),
    having: conditions(sql.having),
    orderBy: sql.orderBy && { ...sql.orderBy, units: sql.orderBy.units.map(unit) },
    intersect: sql.intersect && rewriteColumns(sql.intersect, rewriting),
    union: sql.union && rewriteColumns(sql.union, rewriting),
    except: sql.except && rewriteColumns(sql.except, rewriting),
  };
}

function rewriteValueUnit(unit: ValueUnit, rewriting: ColumnRewriting): ValueUnit {
  return {
    operator: unit.operator,
    left: rewriteColumn(unit.left, rewriting),
    right: unit.right && rewriteColumn(unit.right, rewriting),
  };
}

function rewriteColumn(column: ColumnUnit, rewriting: ColumnRewriting): ColumnUnit {
  const { columnId } = column;
  const [table = ''] = columnId.split('.', 1);
  const representative = rewriting.tables.has(table)
    ? rewriting.foreignKeys.get(columnId)
    : undefined;
  return { ...column, columnId: representative ?? columnId, distinct: null };
}
