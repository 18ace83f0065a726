import {
  AGGREGATES,
  CONDITION_OPERATORS,
  UNIT_OPERATORS,
  type ColumnUnit,
  type Conditions,
  type ConditionValue,
  type SpiderSql,
  type TableUnit,
  type ValueUnit,
} from '../../../env/spider/sql-tree.ts';

/** Our tree in the official shape: tuples as arrays, operators as numbers. */
export function officialTree(sql: SpiderSql | null): unknown {
  if (sql === null) return null;
  return {
    from: {
      table_units: sql.from.tableUnits.map(tableUnit),
      conds: conditions(sql.from.conditions),
    },
    select: [
      sql.select.distinct,
      sql.select.items.map((item) => [AGGREGATES.indexOf(item.aggregate), valueUnit(item.unit)]),
    ],
    where: conditions(sql.where),
    groupBy: sql.groupBy.map(columnUnit),
    having: conditions(sql.having),
    orderBy: sql.orderBy === null ? [] : [sql.orderBy.direction, sql.orderBy.units.map(valueUnit)],
    limit: sql.limit === null ? null : Number(sql.limit),
    intersect: officialTree(sql.intersect),
    union: officialTree(sql.union),
    except: officialTree(sql.except),
  };
}

function tableUnit(unit: TableUnit): unknown {
  return unit.kind === 'table' ? ['table_unit', unit.tableId] : ['sql', officialTree(unit.sql)];
}

function columnUnit(unit: ColumnUnit): unknown {
  return [AGGREGATES.indexOf(unit.aggregate), unit.columnId, unit.distinct];
}

function valueUnit(unit: ValueUnit): unknown {
  const right = unit.right === null ? null : columnUnit(unit.right);
  return [UNIT_OPERATORS.indexOf(unit.operator), columnUnit(unit.left), right];
}

function conditions(items: Conditions): unknown {
  return items.map((item) => {
    if (typeof item === 'string') return item;
    return [
      item.not,
      CONDITION_OPERATORS.indexOf(item.operator),
      valueUnit(item.unit),
      conditionValue(item.first),
      conditionValue(item.second),
    ];
  });
}

function conditionValue(value: ConditionValue | null): unknown {
  if (value === null) return null;
  switch (value.kind) {
    case 'number':
      return value.number;
    case 'text':
      return value.text;
    case 'column':
      return columnUnit(value.column);
    case 'sql':
      return officialTree(value.sql);
  }
}
