import {
  atClauseEnd,
  CLAUSE_KEYWORDS,
  current,
  expect,
  fail,
  ParseFailure,
  peek,
  skip,
  type Cursor,
  type LimitRule,
  type ParseContext,
  type SpiderErrorClass,
} from './parse-cursor.ts';
import {
  parseColumnUnit,
  parseConditions,
  parseValueUnit,
  wordIn,
  type DefaultTables,
} from './parse-expression.ts';
import { pythonInteger } from './python-text.ts';
import type { SpiderSchema } from './schema.ts';
import {
  AGGREGATES,
  SET_OPERATIONS,
  type ColumnUnit,
  type Condition,
  type Conditions,
  type Connector,
  type OrderBy,
  type SelectItem,
  type SpiderSql,
  type TableUnit,
  type ValueUnit,
} from './sql-tree.ts';
import { tokenizeSpider } from './tokenize.ts';

export type { LimitRule, SpiderErrorClass } from './parse-cursor.ts';

/** A parsed query, or the exception that the official parser raises for it. */
export type SpiderParse =
  | { readonly kind: 'parsed'; readonly sql: SpiderSql }
  | {
      readonly kind: 'unparseable';
      readonly errorClass: SpiderErrorClass;
      readonly reason: string;
    };

/**
 * How deep queries may nest. Python's recursion limit stops the official parser at about 245 nested conditions; ours
 * must not depend on how big the stack happens to be.
 */
export const NESTED_QUERY_COUNT_MAX = 200;

/**
 * Parses a query as the official parser does, what it can't read (IS NULL, EXISTS, LEFT JOIN, aliases without AS, IN
 * with several values, `<>`, ...) and what it silently ignores (all that follows a complete query) included.
 */
export function parseSpiderSql(
  sql: string,
  schema: SpiderSchema,
  limitRule: LimitRule = 'one',
): SpiderParse {
  const tokenized = tokenizeSpider(sql);
  if (tokenized.kind === 'unexpected_quote') {
    return { kind: 'unparseable', errorClass: 'AssertionError', reason: 'unexpected quote' };
  }
  const { tokens } = tokenized;
  try {
    const context: ParseContext = {
      schema,
      tableByAlias: scanAliases(tokens, schema),
      limitRule,
      parseNested: parseQuery,
    };
    return { kind: 'parsed', sql: parseQuery({ context, tokens, index: 0, depth: 0 }) };
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    return { kind: 'unparseable', errorClass: error.errorClass, reason: error.message };
  }
}

/** Each `as` makes an alias, also those in SELECT (`count(*) as cnt` makes cnt an alias of `)`). */
function scanAliases(tokens: readonly string[], schema: SpiderSchema): ReadonlyMap<string, string> {
  const tableByAlias = new Map<string, string>();
  for (const [index, token] of tokens.entries()) {
    if (token !== 'as') continue;
    const alias = tokens[index + 1] ?? fail('IndexError', 'nothing after as');
    // Python's index -1 is the last token.
    tableByAlias.set(alias, tokens.at(index - 1) ?? '');
  }
  for (const table of schema.columnsByTable.keys()) {
    if (tableByAlias.has(table)) fail('AssertionError', `alias ${table} is the name of a table`);
    tableByAlias.set(table, table);
  }
  return tableByAlias;
}

/** A whole query. FROM is read first, because it decides what the columns of SELECT mean. */
function parseQuery(cursor: Cursor): SpiderSql {
  cursor.depth += 1;
  if (cursor.depth > NESTED_QUERY_COUNT_MAX) fail('RecursionError', 'queries nest too deeply');
  const start = cursor.index;
  current(cursor);
  const inParentheses = skip(cursor, '(');
  const selectCursor: Cursor = { ...cursor };
  cursor.index = start;
  const { tables, ...from } = parseFrom(cursor);
  const select = parseSelect(selectCursor, tables);
  const where = parseConditionClause(cursor, 'where', tables);
  const groupBy = parseGroupBy(cursor, tables);
  const having = parseConditionClause(cursor, 'having', tables);
  const orderBy = parseOrderBy(cursor, tables);
  const limit = parseLimit(cursor);
  skipSemicolons(cursor);
  if (inParentheses) {
    expect(cursor, ')');
    skipSemicolons(cursor);
  }
  const operation = wordIn(SET_OPERATIONS, peek(cursor));
  const setOperations: Pick<SpiderSql, (typeof SET_OPERATIONS)[number]> = {
    intersect: null,
    union: null,
    except: null,
    ...(operation === undefined ? {} : { [operation]: parseSetOperand(cursor) }),
  };
  cursor.depth -= 1;
  return { from, select, where, groupBy, having, orderBy, limit, ...setOperations };
}

function parseSetOperand(cursor: Cursor): SpiderSql {
  cursor.index += 1;
  return parseQuery(cursor);
}

function skipSemicolons(cursor: Cursor): void {
  while (skip(cursor, ';'));
}

function parseSelect(cursor: Cursor, tables: DefaultTables): SpiderSql['select'] {
  const first = current(cursor);
  if (first !== 'select') fail('AssertionError', `${first} instead of select`);
  cursor.index += 1;
  const distinct = skip(cursor, 'distinct');
  const items: SelectItem[] = [];
  for (let token = peek(cursor); token !== undefined; token = peek(cursor)) {
    if (CLAUSE_KEYWORDS.has(token)) break;
    const aggregate = wordIn(AGGREGATES, token);
    if (aggregate !== undefined) cursor.index += 1;
    items.push({ aggregate: aggregate ?? 'none', unit: parseValueUnit(cursor, tables) });
    skip(cursor, ',');
  }
  return { distinct, items };
}

/** Reads the first FROM at or after the cursor, wherever that is: a query in the SELECT list makes it the wrong one. */
function parseFrom(cursor: Cursor): SpiderSql['from'] & { tables: string[] } {
  const from = cursor.tokens.indexOf('from', cursor.index);
  if (from < 0) fail('AssertionError', 'no from');
  cursor.index = from + 1;
  const tables: string[] = [];
  const tableUnits: TableUnit[] = [];
  const conditions: (Condition | Connector)[] = [];
  while (peek(cursor) !== undefined) {
    const inParentheses = skip(cursor, '(');
    if (current(cursor) === 'select') {
      tableUnits.push({ kind: 'sql', sql: parseQuery(cursor) });
    } else {
      skip(cursor, 'join');
      const table = parseTable(cursor);
      tableUnits.push({ kind: 'table', tableId: table.id });
      tables.push(table.name);
    }
    if (skip(cursor, 'on')) {
      const joined = parseConditions(cursor, tables);
      if (conditions.length > 0) conditions.push('and');
      conditions.push(...joined);
    }
    if (inParentheses) expect(cursor, ')');
    if (atClauseEnd(cursor)) break;
  }
  return { tables, tableUnits, conditions };
}

function parseTable(cursor: Cursor): { name: string; id: string } {
  const { schema, tableByAlias } = cursor.context;
  const token = current(cursor);
  const name = tableByAlias.get(token) ?? fail('KeyError', `no table ${token}`);
  cursor.index += 1;
  if (peek(cursor) === 'as') cursor.index += 2;
  const id = schema.ids.get(name) ?? fail('KeyError', `no table ${name}`);
  return { name, id };
}

function parseConditionClause(
  cursor: Cursor,
  keyword: 'where' | 'having',
  tables: DefaultTables,
): Conditions {
  return skip(cursor, keyword) ? parseConditions(cursor, tables) : [];
}

function parseGroupBy(cursor: Cursor, tables: DefaultTables): ColumnUnit[] {
  const units: ColumnUnit[] = [];
  if (!skip(cursor, 'group')) return units;
  expect(cursor, 'by');
  while (peek(cursor) !== undefined && !atClauseEnd(cursor)) {
    units.push(parseColumnUnit(cursor, tables));
    if (!skip(cursor, ',')) break;
  }
  return units;
}

/** One direction is kept for all units: the last that is written. */
function parseOrderBy(cursor: Cursor, tables: DefaultTables): OrderBy | null {
  if (!skip(cursor, 'order')) return null;
  expect(cursor, 'by');
  const units: ValueUnit[] = [];
  let direction: OrderBy['direction'] = 'asc';
  while (peek(cursor) !== undefined && !atClauseEnd(cursor)) {
    units.push(parseValueUnit(cursor, tables));
    const written = wordIn(['asc', 'desc'] as const, peek(cursor));
    if (written !== undefined) {
      direction = written;
      cursor.index += 1;
    }
    if (!skip(cursor, ',')) break;
  }
  return { direction, units };
}

function parseLimit(cursor: Cursor): bigint | null {
  if (!skip(cursor, 'limit')) return null;
  const token = current(cursor);
  cursor.index += 1;
  if (cursor.context.limitRule === 'one') return 1n;
  return pythonInteger(token) ?? fail('ValueError', `limit ${token}`);
}
