import { conditionItems, connectorItems, isCondition } from './conditions.ts';
import { SET_OPERATIONS, type Condition, type Connector, type SpiderSql } from './sql-tree.ts';
import { pairedCount, structureKey } from './structure-key.ts';

/** The parts of a query that exact-set match compares, under the names and in the order of the official tables. */
export const COMPONENTS = [
  'select',
  'select(no AGG)',
  'where',
  'where(no OP)',
  'group(no Having)',
  'group',
  'order',
  'and/or',
  'IUEN',
  'keywords',
] as const;
/** One of the compared parts. */
export type ComponentName = (typeof COMPONENTS)[number];

/** How one part of the answer compares with the gold's. */
export interface ComponentScore {
  /** Items of the gold. */
  readonly goldCount: number;
  /** Items of the answer. */
  readonly answerCount: number;
  /** Items of the answer that the gold has too. */
  readonly commonCount: number;
  /** True when all items are common. The official accuracy, recall and F1 of one row are all 1 then, else all 0. */
  readonly matched: boolean;
}

/** The scores of all parts. */
export type ComponentScores = Readonly<Record<ComponentName, ComponentScore>>;

/** Compares all parts of two rewritten queries; `matchNested` decides on the operands of set operations. */
export function scoreComponents(
  gold: SpiderSql,
  answer: SpiderSql,
  matchNested: (gold: SpiderSql, answer: SpiderSql) => boolean,
): ComponentScores {
  const goldItems = gold.select.items;
  const answerItems = answer.select.items;
  const goldConditions = conditionItems(gold.where);
  const answerConditions = conditionItems(answer.where);
  return {
    select: scoreLists(goldItems, answerItems),
    'select(no AGG)': scoreLists(
      goldItems.map((item) => item.unit),
      answerItems.map((item) => item.unit),
    ),
    where: scoreLists(goldConditions, answerConditions),
    'where(no OP)': scoreLists(goldConditions.map(unitOf), answerConditions.map(unitOf)),
    'group(no Having)': scoreLists(groupNames(gold), groupNames(answer)),
    group: scoreGroups(gold, answer),
    order: scoreOrders(gold, answer),
    'and/or': scoreConnectors(gold, answer),
    IUEN: scoreSetOperations(gold, answer, matchNested),
    keywords: scoreKeywords(gold, answer),
  };
}

function score(goldCount: number, answerCount: number, commonCount: number): ComponentScore {
  const matched = goldCount === answerCount && commonCount === answerCount;
  return { goldCount, answerCount, commonCount, matched };
}

function scoreLists(gold: readonly unknown[], answer: readonly unknown[]): ComponentScore {
  return score(gold.length, answer.length, pairedCount(answer, gold));
}

function unitOf(item: Condition | Connector): unknown {
  return isCondition(item) ? item.unit : item;
}

/** The columns of GROUP BY without their tables: what stands between the first dot and the next. */
function groupNames(sql: SpiderSql): string[] {
  return sql.groupBy.map(({ columnId }) => columnId.split('.')[1] ?? columnId);
}

/** One item a query, its whole GROUP BY, in order, with HAVING; HAVING without GROUP BY isn't seen. */
function scoreGroups(gold: SpiderSql, answer: SpiderSql): ComponentScore {
  const goldCount = gold.groupBy.length > 0 ? 1 : 0;
  const answerCount = answer.groupBy.length > 0 ? 1 : 0;
  const group = (sql: SpiderSql): string =>
    structureKey([sql.groupBy.map((unit) => unit.columnId), sql.having]);
  const common = goldCount === 1 && answerCount === 1 && group(gold) === group(answer);
  return score(goldCount, answerCount, common ? 1 : 0);
}

/** One item a query, its whole ORDER BY; LIMIT must be in both or in neither. */
function scoreOrders(gold: SpiderSql, answer: SpiderSql): ComponentScore {
  const common =
    gold.orderBy !== null &&
    structureKey(gold.orderBy) === structureKey(answer.orderBy) &&
    (gold.limit === null) === (answer.limit === null);
  return score(gold.orderBy ? 1 : 0, answer.orderBy ? 1 : 0, common ? 1 : 0);
}

/** The kinds of connectors in WHERE. Where they differ the official code gives the two counts the wrong way round. */
function scoreConnectors(gold: SpiderSql, answer: SpiderSql): ComponentScore {
  const goldKinds = new Set(connectorItems(gold.where).map(structureKey));
  const answerKinds = new Set(connectorItems(answer.where).map(structureKey));
  const same =
    goldKinds.size === answerKinds.size && [...goldKinds].every((kind) => answerKinds.has(kind));
  return same ? score(1, 1, 1) : score(answerKinds.size, goldKinds.size, 0);
}

function scoreSetOperations(
  gold: SpiderSql,
  answer: SpiderSql,
  matchNested: (gold: SpiderSql, answer: SpiderSql) => boolean,
): ComponentScore {
  const counts = { gold: 0, answer: 0, common: 0 };
  for (const operation of SET_OPERATIONS) {
    const goldOperand = gold[operation];
    const answerOperand = answer[operation];
    if (goldOperand !== null) counts.gold += 1;
    if (answerOperand !== null) counts.answer += 1;
    if (goldOperand !== null && answerOperand !== null && matchNested(goldOperand, answerOperand)) {
      counts.common += 1;
    }
  }
  return score(counts.gold, counts.answer, counts.common);
}

function scoreKeywords(gold: SpiderSql, answer: SpiderSql): ComponentScore {
  const goldKeywords = keywordsOf(gold);
  const answerKeywords = keywordsOf(answer);
  const common = [...answerKeywords].filter((keyword) => goldKeywords.has(keyword));
  return score(goldKeywords.size, answerKeywords.size, common.length);
}

function keywordsOf(sql: SpiderSql): ReadonlySet<string> {
  const all = [sql.from.conditions, sql.where, sql.having];
  const connectors = all.flatMap(connectorItems);
  const items = all.flatMap(conditionItems);
  const conditions = items.filter(isCondition);
  const present: [string, boolean][] = [
    ['where', sql.where.length > 0],
    ['group', sql.groupBy.length > 0],
    ['having', sql.having.length > 0],
    ['order', sql.orderBy !== null],
    [sql.orderBy?.direction ?? 'asc', sql.orderBy !== null],
    ['limit', sql.limit !== null],
    ...SET_OPERATIONS.map((name): [string, boolean] => [name, sql[name] !== null]),
    ['or', connectors.includes('or')],
    // A connector at the place of a condition counts as negated: the official code looks at its first letter.
    ['not', items.some((item) => !isCondition(item) || item.not)],
    ['in', conditions.some((condition) => condition.operator === 'in')],
    ['like', conditions.some((condition) => condition.operator === 'like')],
  ];
  return new Set(present.filter(([, isPresent]) => isPresent).map(([keyword]) => keyword));
}
