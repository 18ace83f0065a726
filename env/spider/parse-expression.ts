import {
  atClauseEnd,
  CLAUSE_KEYWORDS,
  current,
  expect,
  fail,
  JOIN_KEYWORDS,
  peek,
  skip,
  type Cursor,
} from './parse-cursor.ts';
import { pythonFloat } from './python-text.ts';
import {
  AGGREGATES,
  CONDITION_OPERATORS,
  CONNECTORS,
  UNIT_OPERATORS,
  type Aggregate,
  type ColumnUnit,
  type Condition,
  type Conditions,
  type ConditionValue,
  type Connector,
  type UnitOperator,
  type ValueUnit,
} from './sql-tree.ts';

/** The tables whose columns may be named without their table: those of the FROM that was read last. */
export type DefaultTables = readonly string[];

/** The member of a list of words that the token is, if it is one. */
export function wordIn<Word extends string>(
  words: readonly Word[],
  token: string | undefined,
): Word | undefined {
  return words.find((word) => word === token);
}

/** A column, or an aggregate of one. `count(distinct x)` is read, `count(distinct(x))` isn't. */
export function parseColumnUnit(cursor: Cursor, tables: DefaultTables): ColumnUnit {
  const inParentheses = skip(cursor, '(');
  const aggregate = wordIn(AGGREGATES, current(cursor));
  if (aggregate !== undefined) {
    cursor.index += 1;
    // The official code returns from here without closing the outer parenthesis.
    return parseAggregated(cursor, tables, aggregate);
  }
  const distinct = skip(cursor, 'distinct');
  const columnId = parseColumn(cursor, tables);
  if (inParentheses) expect(cursor, ')');
  return { aggregate: 'none', columnId, distinct };
}

/** One column or two with an operator between them, perhaps in parentheses. */
export function parseValueUnit(cursor: Cursor, tables: DefaultTables): ValueUnit {
  const inParentheses = skip(cursor, '(');
  const left = parseColumnUnit(cursor, tables);
  const written = wordIn(UNIT_OPERATORS, peek(cursor));
  let operator: UnitOperator = 'none';
  let right: ColumnUnit | null = null;
  if (written !== undefined) {
    cursor.index += 1;
    operator = written;
    right = parseColumnUnit(cursor, tables);
  }
  if (inParentheses) expect(cursor, ')');
  return { operator, left, right };
}

/** The conditions of ON, WHERE or HAVING. */
export function parseConditions(cursor: Cursor, tables: DefaultTables): Conditions {
  const conditions: (Condition | Connector)[] = [];
  while (peek(cursor) !== undefined) {
    conditions.push(parseCondition(cursor, tables));
    const token = peek(cursor);
    if (atClauseEnd(cursor) || (token !== undefined && JOIN_KEYWORDS.has(token))) break;
    const connector = wordIn(CONNECTORS, token);
    if (connector !== undefined) {
      conditions.push(connector);
      cursor.index += 1;
    }
  }
  return conditions;
}

function parseAggregated(cursor: Cursor, tables: DefaultTables, aggregate: Aggregate): ColumnUnit {
  if (!skip(cursor, '(')) fail('AssertionError', `no ( after ${aggregate}`);
  if (peek(cursor) === undefined) fail('IndexError', 'the query ends too early');
  const distinct = skip(cursor, 'distinct');
  const columnId = parseColumn(cursor, tables);
  if (!skip(cursor, ')')) fail('AssertionError', `no ) after ${aggregate}`);
  return { aggregate, columnId, distinct };
}

function parseColumn(cursor: Cursor, tables: DefaultTables): string {
  const name = current(cursor);
  const isNamed = name === '*' || name.includes('.');
  const columnId = isNamed ? namedColumn(cursor, name) : bareColumn(cursor, tables, name);
  cursor.index += 1;
  return columnId;
}

/** `*`, or a column with its table or alias. */
function namedColumn(cursor: Cursor, name: string): string {
  const { schema, tableByAlias } = cursor.context;
  const [alias, column, ...rest] = name.split('.');
  let key = name;
  if (name !== '*') {
    if (rest.length > 0) fail('ValueError', `more than one dot in ${name}`);
    const table = tableByAlias.get(alias ?? '');
    if (table === undefined) fail('KeyError', `no table ${alias}`);
    key = `${table}.${column}`;
  }
  return schema.ids.get(key) ?? fail('KeyError', `no column ${key}`);
}

/** A column without its table belongs to the first table that has it, silently. */
function bareColumn(cursor: Cursor, tables: DefaultTables, name: string): string {
  const { schema, tableByAlias } = cursor.context;
  if (tables.length === 0) fail('AssertionError', 'no tables to look for a column in');
  for (const alias of tables) {
    const table = tableByAlias.get(alias) ?? fail('KeyError', `no table ${alias}`);
    const columns = schema.columnsByTable.get(table) ?? fail('KeyError', `no table ${table}`);
    if (columns.includes(name)) {
      return schema.ids.get(`${table}.${name}`) ?? fail('KeyError', `no column ${name}`);
    }
  }
  return fail('AssertionError', `no column ${name}`);
}

function parseCondition(cursor: Cursor, tables: DefaultTables): Condition {
  const unit = parseValueUnit(cursor, tables);
  if (peek(cursor) === undefined) fail('IndexError', 'a condition ends after its column');
  const not = skip(cursor, 'not');
  const operator = wordIn(CONDITION_OPERATORS, peek(cursor));
  if (operator === undefined) {
    return fail('AssertionError', `${peek(cursor) ?? 'the end'} is no operator`);
  }
  cursor.index += 1;
  const first = parseConditionValue(cursor, tables);
  let second: ConditionValue | null = null;
  if (operator === 'between') {
    expect(cursor, 'and');
    second = parseConditionValue(cursor, tables);
  }
  return { not, operator, unit, first, second };
}

function parseConditionValue(cursor: Cursor, tables: DefaultTables): ConditionValue {
  const start = cursor.index;
  const inParentheses = skip(cursor, '(');
  const token = current(cursor);
  const number = pythonFloat(token);
  let value: ConditionValue;
  if (token === 'select') {
    value = { kind: 'sql', sql: cursor.context.parseNested(cursor) };
  } else if (token.includes('"')) {
    cursor.index += 1;
    value = { kind: 'text', text: token };
  } else if (number !== undefined) {
    cursor.index += 1;
    value = { kind: 'number', number };
  } else {
    value = { kind: 'column', column: parseColumnValue(cursor, start, tables) };
  }
  if (inParentheses) expect(cursor, ')');
  return value;
}

/**
 * A column on the right-hand side takes all tokens up to a stop, and those after the column are lost: `or` is no stop,
 * so `a = b or c = 1` reads as `a = b`.
 */
function parseColumnValue(cursor: Cursor, start: number, tables: DefaultTables): ColumnUnit {
  let end = cursor.index;
  for (let token = cursor.tokens[end]; token !== undefined; token = cursor.tokens[end]) {
    if (token === ',' || token === ')' || token === 'and') break;
    if (CLAUSE_KEYWORDS.has(token) || JOIN_KEYWORDS.has(token)) break;
    end += 1;
  }
  const part: Cursor = { ...cursor, tokens: cursor.tokens.slice(start, end), index: 0 };
  const column = parseColumnUnit(part, tables);
  cursor.index = end;
  return column;
}
