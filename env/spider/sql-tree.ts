/**
 * The tree that Spider's parser makes of a query. It follows the official representation field by field, so that the
 * official metrics can be computed from it, but names operators and aggregates instead of numbering them.
 */

/** Aggregates in the official numbering: the position is the official number. */
export const AGGREGATES = ['none', 'max', 'min', 'count', 'sum', 'avg'] as const;
/** An aggregate, `none` when a column stands alone. */
export type Aggregate = (typeof AGGREGATES)[number];

/** Arithmetic operators in the official numbering. */
export const UNIT_OPERATORS = ['none', '-', '+', '*', '/'] as const;
/** An operator between two columns, `none` when there is one column only. */
export type UnitOperator = (typeof UNIT_OPERATORS)[number];

/** Condition operators in the official numbering. */
export const CONDITION_OPERATORS = [
  'not',
  'between',
  '=',
  '>',
  '<',
  '>=',
  '<=',
  '!=',
  'in',
  'like',
  'is',
  'exists',
] as const;
/** The operator of a condition. */
export type ConditionOperator = (typeof CONDITION_OPERATORS)[number];

/** The words that join conditions. */
export const CONNECTORS = ['and', 'or'] as const;
/** A word between two conditions. */
export type Connector = (typeof CONNECTORS)[number];

/** Set operations, in the order in which the metrics visit them. */
export const SET_OPERATIONS = ['intersect', 'except', 'union'] as const;

/** A column, perhaps inside an aggregate. */
export interface ColumnUnit {
  readonly aggregate: Aggregate;
  /** `__table.column__` in lower case, `__all__` for `*`. */
  readonly columnId: string;
  /** null once a metric has removed it: the official code writes None there, which equals neither true nor false. */
  readonly distinct: boolean | null;
}

/** One column, or two with an arithmetic operator between them. */
export interface ValueUnit {
  readonly operator: UnitOperator;
  readonly left: ColumnUnit;
  readonly right: ColumnUnit | null;
}

/** The right-hand side of a condition. */
export type ConditionValue =
  | { readonly kind: 'number'; readonly number: number }
  /** The literal with its double quotes, in its original case. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'column'; readonly column: ColumnUnit }
  | { readonly kind: 'sql'; readonly sql: SpiderSql };

/** One comparison. */
export interface Condition {
  readonly not: boolean;
  readonly operator: ConditionOperator;
  readonly unit: ValueUnit;
  /** null once a metric has removed the value. */
  readonly first: ConditionValue | null;
  /** The upper end of BETWEEN, else null. */
  readonly second: ConditionValue | null;
}

/**
 * Conditions and connectors by turns. The parser doesn't insist on the connector, and the metrics go by position (even:
 * condition, odd: connector), so a query that leaves one out has items at the "wrong" places.
 */
export type Conditions = readonly (Condition | Connector)[];

/** What FROM lists: a table (`__table__`) or a query in parentheses. */
export type TableUnit =
  | { readonly kind: 'table'; readonly tableId: string }
  | { readonly kind: 'sql'; readonly sql: SpiderSql };

/** One item of the SELECT list. */
export interface SelectItem {
  readonly aggregate: Aggregate;
  readonly unit: ValueUnit;
}

/** ORDER BY: one direction for all units, the last that was written. */
export interface OrderBy {
  readonly direction: 'asc' | 'desc';
  readonly units: readonly ValueUnit[];
}

/** A parsed query. */
export interface SpiderSql {
  readonly from: { readonly tableUnits: readonly TableUnit[]; readonly conditions: Conditions };
  readonly select: { readonly distinct: boolean | null; readonly items: readonly SelectItem[] };
  readonly where: Conditions;
  readonly groupBy: readonly ColumnUnit[];
  readonly having: Conditions;
  readonly orderBy: OrderBy | null;
  readonly limit: bigint | null;
  readonly intersect: SpiderSql | null;
  readonly union: SpiderSql | null;
  readonly except: SpiderSql | null;
}

/** What the official scripts put in the place of a prediction that they can't parse: a query with nothing in it. */
export const EMPTY_SQL: SpiderSql = {
  from: { tableUnits: [], conditions: [] },
  select: { distinct: false, items: [] },
  where: [],
  groupBy: [],
  having: [],
  orderBy: null,
  limit: null,
  intersect: null,
  union: null,
  except: null,
};
