import type { EpisodeRecord } from './episode-record.ts';
import type { ScoredRow } from './row.ts';

/** How a policy behaved, from its recorded episodes. Shares are of all episodes; undefined where there are none. */
export interface BehaviourProfile {
  readonly episodeCount: number;
  /** Mean return: the reward of training. */
  readonly meanReturn: number;
  /** Share whose answer runs without an error, right or wrong. */
  readonly answerExecutes: number;
  /** Share whose answer is a query that the episode has run as a tool call. */
  readonly answerIsRunQuery: number;
  /** Share whose answer Spider's parser can't read. */
  readonly unparseable: number;
  /** Share that saw rows of a query and still answered wrong. */
  readonly sawRowsAndWrong: number;
  /** Tool calls of `run_sql`, also with arguments that don't do, an episode. */
  readonly runSqlPerEpisode: number;
  readonly turnsPerEpisode: number;
  /** undefined where the trainer counted none. */
  readonly completionTokensPerEpisode: number | undefined;
  /** Episodes by how they ended: `answer`, `step_limit`, `expired`, ... */
  readonly ends: Readonly<Record<string, number>>;
  /** Answers by verdict. */
  readonly verdicts: Readonly<Record<string, number>>;
}

const EXECUTED: ReadonlySet<string> = new Set(['match', 'mismatch']);

/** What a tool message says of a call that reached no tool. */
const NO_CALL: ReadonlySet<string> = new Set(['unparsed', 'unknown_tool']);

/** The profile of the rows that come from episodes; undefined if none does. */
export function behaviourProfile(rows: readonly ScoredRow[]): BehaviourProfile | undefined {
  const played = rows.flatMap((scored) => {
    const { record } = scored.row;
    return record === undefined ? [] : [{ scored, record }];
  });
  if (played.length === 0) return undefined;
  const shareOf = (holds: (scored: ScoredRow, record: EpisodeRecord) => boolean): number =>
    played.filter(({ scored, record }) => holds(scored, record)).length / played.length;
  const meanOf = (count: (record: EpisodeRecord) => number): number =>
    played.reduce((sum, { record }) => sum + count(record), 0) / played.length;
  const tokens = meanOf((record) => record.completion_token_count);
  return {
    episodeCount: played.length,
    meanReturn: meanOf((record) => record.return),
    answerExecutes: shareOf(({ execution }) => EXECUTED.has(execution?.verdict ?? '')),
    answerIsRunQuery: shareOf(({ row }, record) => hasRun(record, row.answerSql)),
    unparseable: shareOf(({ match }) => match !== undefined && match.parseError !== ''),
    sawRowsAndWrong: shareOf(
      ({ execution }, record) => execution?.matched === false && hasSeenRows(record),
    ),
    runSqlPerEpisode: meanOf(
      (record) => queriesOf(record).filter(({ status }) => !NO_CALL.has(status)).length,
    ),
    turnsPerEpisode: meanOf((record) => record.steps.length),
    completionTokensPerEpisode: tokens === 0 ? undefined : tokens,
    ends: countBy(played.map(({ record }) => endOf(record))),
    verdicts: countBy(played.map(({ scored }) => scored.execution?.verdict ?? 'not_scored')),
  };
}

function queriesOf(record: EpisodeRecord) {
  return record.steps.flatMap((step) => step.queries);
}

function hasSeenRows(record: EpisodeRecord): boolean {
  return queriesOf(record).some((query) => query.status === 'ok' && query.row_count > 0);
}

function hasRun(record: EpisodeRecord, answerSql: string | undefined): boolean {
  if (answerSql === undefined) return false;
  const answer = plain(answerSql);
  return queriesOf(record).some(({ sql }) => sql !== '' && plain(sql) === answer);
}

/** Blanks and a closing semicolon don't make another query. */
function plain(sql: string): string {
  return sql
    .replaceAll(/\s+/g, ' ')
    .replace(/[\s;]+$/, '')
    .trimStart();
}

function endOf(record: EpisodeRecord): string {
  return record.termination_reason || record.truncation_reason || record.end;
}

/** The most frequent first, then by name. */
function countBy(names: readonly string[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const sorted = [...counts].toSorted(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  return Object.fromEntries(sorted);
}
