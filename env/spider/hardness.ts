import { conditionItems, connectorItems, isCondition } from './conditions.ts';
import { parseSpiderSql } from './parse.ts';
import type { SpiderSchema } from './schema.ts';
import type { Condition, Connector, SpiderSql, ValueUnit } from './sql-tree.ts';

/** Spider's levels, from the easiest. */
export const HARDNESS_LEVELS = ['easy', 'medium', 'hard', 'extra'] as const;
/** How hard Spider calls a query. */
export type Hardness = (typeof HARDNESS_LEVELS)[number];

/** The hardness of a query as text; undefined when Spider's parser can't read it. */
export function spiderHardness(sql: string, schema: SpiderSchema): Hardness | undefined {
  const parse = parseSpiderSql(sql, schema);
  return parse.kind === 'parsed' ? hardnessOf(parse.sql) : undefined;
}

/** The official rule: it counts clauses, nested queries and "others", and asks for the levels in order. */
export function hardnessOf(sql: SpiderSql): Hardness {
  const clauses = clauseCount(sql);
  const nested = nestedCount(sql);
  const others = otherCount(sql);
  if (clauses <= 1 && others === 0 && nested === 0) return 'easy';
  if (nested === 0 && clauses <= 1 && others <= 2) return 'medium';
  if (nested === 0 && clauses <= 2 && others < 2) return 'medium';
  if (nested === 0 && clauses <= 2 && others > 2) return 'hard';
  if (nested === 0 && clauses === 3 && others <= 2) return 'hard';
  if (nested <= 1 && clauses <= 1 && others === 0) return 'hard';
  return 'extra';
}

function clauseCount(sql: SpiderSql): number {
  const present = [
    sql.where.length > 0,
    sql.groupBy.length > 0,
    sql.orderBy !== null,
    sql.limit !== null,
  ];
  const all = [sql.from.conditions, sql.where, sql.having];
  const connectors = all.flatMap(connectorItems);
  const conditions = all.flatMap(conditionItems).filter(isCondition);
  return (
    present.filter(Boolean).length +
    Math.max(0, sql.from.tableUnits.length - 1) +
    connectors.filter((connector) => connector === 'or').length +
    conditions.filter((condition) => condition.operator === 'like').length
  );
}

/** Queries inside conditions and after set operations, one level deep; those in FROM don't count. */
function nestedCount(sql: SpiderSql): number {
  const conditions = [sql.from.conditions, sql.where, sql.having].flatMap(conditionItems);
  const values = conditions.filter(isCondition).flatMap(({ first, second }) => [first, second]);
  const operands = [sql.intersect, sql.except, sql.union];
  return (
    values.filter((value) => value?.kind === 'sql').length +
    operands.filter((operand) => operand !== null).length
  );
}

function otherCount(sql: SpiderSql): number {
  const manyAggregates = aggregateCount(sql) > 1;
  const manyItems = sql.select.items.length > 1;
  const manyConditions = sql.where.length > 1;
  const manyGroups = sql.groupBy.length > 1;
  return [manyAggregates, manyItems, manyConditions, manyGroups].filter(Boolean).length;
}

/**
 * What the official code takes for the number of aggregates: it looks at the first field of whatever it finds, which
 * is the NOT flag of a condition, and the first letter of a connector in HAVING.
 */
function aggregateCount(sql: SpiderSql): number {
  const selected = sql.select.items.filter((item) => item.aggregate !== 'none').length;
  const negated = conditionItems(sql.where).filter(firstFieldIsSet).length;
  const grouped = sql.groupBy.filter((unit) => unit.aggregate !== 'none').length;
  const ordered = (sql.orderBy?.units ?? []).flatMap(columnsOf);
  const having = sql.having.filter(firstFieldIsSet).length;
  return (
    selected +
    negated +
    grouped +
    ordered.filter((unit) => unit.aggregate !== 'none').length +
    having
  );
}

function firstFieldIsSet(item: Condition | Connector): boolean {
  return isCondition(item) ? item.not : true;
}

function columnsOf(unit: ValueUnit): ValueUnit['left'][] {
  return unit.right === null ? [unit.left] : [unit.left, unit.right];
}
