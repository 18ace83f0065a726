import type { Condition, Conditions, Connector } from './sql-tree.ts';

/** The items at even places, where conditions belong. */
export function conditionItems(conditions: Conditions): readonly (Condition | Connector)[] {
  return conditions.filter((_item, index) => index % 2 === 0);
}

/** The items at odd places, where connectors belong. */
export function connectorItems(conditions: Conditions): readonly (Condition | Connector)[] {
  return conditions.filter((_item, index) => index % 2 === 1);
}

/** Tells a condition from a connector. */
export function isCondition(item: Condition | Connector): item is Condition {
  return typeof item === 'object';
}
