import { plugCandidates } from './plug-value.ts';
import { plugPlaceholder } from './placeholder.ts';
import { PYTHON_SPACE } from './python-text.ts';
import { removeDistinct } from './remove-distinct.ts';

/** The switches of the official script. */
export interface ExecutionOptions {
  /** Run DISTINCT where it is written; the official default takes it out of both queries. */
  readonly keepDistinct: boolean;
  /** Also try the answer with the gold's values in the places of its own. */
  readonly plugValue: boolean;
}

/** What to run for one gold and one answer. */
export interface ExecutionPlan {
  readonly gold: string;
  /**
   * What stands for the answer, the answer itself first: it matches when one candidate matches on all databases. To be
   * read once, as far as needed.
   */
  readonly answers: Iterable<string>;
  /** True when there are more plugged candidates than are tried: a match may be missed. */
  readonly isCapped: boolean;
  /** Whether the order of rows counts. */
  readonly orderMatters: boolean;
}

/** A function of MySQL that some of Spider's golds call; official results hold the year 2020. */
const CURRENT_YEAR = new RegExp(
  ['year', '\\(', 'curdate', '\\(', '\\)', '\\)', ''].join(`[${PYTHON_SPACE}]*`),
  'giu',
);

/**
 * Turns gold and answer into what the test-suite evaluator runs. Order counts exactly when the gold's text holds
 * `order by` with one blank, wherever it stands.
 */
export function planExecution(
  gold: string,
  answer: string,
  options: ExecutionOptions,
): ExecutionPlan {
  const goldSql = comparableSql(gold, options);
  const answerSql = comparableSql(plugPlaceholder(answer), options);
  const plugged = options.plugValue ? plugCandidates(goldSql, answerSql) : undefined;
  return {
    gold: runnableSql(goldSql),
    answers: runnableCandidates(answerSql, plugged?.candidates ?? []),
    isCapped: plugged?.isCapped ?? false,
    orderMatters: goldSql.toLowerCase().includes('order by'),
  };
}

/** The text that the official script takes a query for, before it plugs values. */
export function comparableSql(
  sql: string,
  options: Pick<ExecutionOptions, 'keepDistinct'>,
): string {
  const joined = sql.replaceAll('> =', '>=').replaceAll('< =', '<=').replaceAll('! =', '!=');
  return options.keepDistinct ? joined : removeDistinct(joined);
}

function runnableSql(sql: string): string {
  return sql.replace(CURRENT_YEAR, '2020');
}

function* runnableCandidates(answer: string, plugged: Iterable<string>): Generator<string> {
  yield runnableSql(answer);
  for (const candidate of plugged) yield runnableSql(candidate);
}
