import { scoreComponents, type ComponentScores } from './components.ts';
import type { ForeignKeyMap } from './foreign-keys.ts';
import { hardnessOf, type Hardness } from './hardness.ts';
import { parseSpiderSql, type LimitRule, type SpiderErrorClass } from './parse.ts';
import { plugPlaceholder } from './placeholder.ts';
import { rewriteForMatch } from './rewrite.ts';
import type { SpiderSchema } from './schema.ts';
import { EMPTY_SQL, type SpiderSql, type TableUnit } from './sql-tree.ts';
import { structureKey } from './structure-key.ts';

/** Which official evaluator to follow: test-suite-sql-eval, or the older evaluation.py of Spider itself. */
export type SpiderEvaluator = 'test-suite' | 'legacy';

/** What is compared, and with what. */
export interface MatchRequest {
  readonly gold: string;
  readonly answer: string;
  readonly schema: SpiderSchema;
  readonly foreignKeys: ForeignKeyMap;
  readonly evaluator: SpiderEvaluator;
}

/** The official verdict on an answer without running it. */
export type MatchReport =
  /** The official scripts crash here; a task like this is broken for the modes that need a parse. */
  | { readonly kind: 'gold_unparseable'; readonly errorClass: SpiderErrorClass }
  | {
      readonly kind: 'scored';
      /** The gold's. */
      readonly hardness: Hardness;
      readonly exact: boolean;
      readonly components: ComponentScores;
      /** Set when Spider's parser can't read the answer, which then counts as a query with nothing in it. */
      readonly answerErrorClass: SpiderErrorClass | null;
      /** Rewritten for the match: the legacy execution comparison takes its columns' names from here. */
      readonly goldSql: SpiderSql;
      readonly answerSql: SpiderSql;
    };

/** Parses both, rewrites both, and compares them as exact-set match does. */
export function matchSpiderSql(request: MatchRequest): MatchReport {
  const { schema, foreignKeys, evaluator } = request;
  const limitRule: LimitRule = evaluator === 'legacy' ? 'number' : 'one';
  const gold = parseSpiderSql(request.gold, schema, limitRule);
  if (gold.kind === 'unparseable') {
    return { kind: 'gold_unparseable', errorClass: gold.errorClass };
  }
  const answerText = evaluator === 'legacy' ? request.answer : plugPlaceholder(request.answer);
  const answer = parseSpiderSql(answerText, schema, limitRule);
  const goldSql = rewriteForMatch(gold.sql, foreignKeys);
  const answerSql = rewriteForMatch(answer.kind === 'parsed' ? answer.sql : EMPTY_SQL, foreignKeys);
  const components = scoreComponents(goldSql, answerSql, matchesExactly);
  return {
    kind: 'scored',
    hardness: hardnessOf(gold.sql),
    exact: isExact(goldSql, answerSql, components),
    components,
    answerErrorClass: answer.kind === 'parsed' ? null : answer.errorClass,
    goldSql,
    answerSql,
  };
}

/** Exact-set match of two rewritten queries. */
export function matchesExactly(gold: SpiderSql, answer: SpiderSql): boolean {
  return isExact(gold, answer, scoreComponents(gold, answer, matchesExactly));
}

function isExact(gold: SpiderSql, answer: SpiderSql, components: ComponentScores): boolean {
  if (!Object.values(components).every((component) => component.matched)) return false;
  if (gold.from.tableUnits.length === 0) return true;
  return sortedKeys(gold.from.tableUnits) === sortedKeys(answer.from.tableUnits);
}

/** Two different queries in one FROM, which Python can't sort and so crashes on, are compared as a multiset here. */
function sortedKeys(units: readonly TableUnit[]): string {
  return structureKey(units.map(structureKey).sort());
}
