import { formatSpiderTotals, LEVELS, type SpiderTotals } from '../../env/spider/totals.ts';
import type { InputProblem } from '../tasks/task-set.ts';
import type { BehaviourProfile } from './profile.ts';
import type { ScoredRow } from './row.ts';
import type { RunTotals } from './totals.ts';

/** All that is known of a run. */
export interface RunReport {
  readonly rows: readonly ScoredRow[];
  readonly totals: RunTotals;
  readonly profile: BehaviourProfile | undefined;
  /** What of the input became no row. */
  readonly problems: readonly InputProblem[];
  readonly notes: readonly InputProblem[];
  readonly tasksWithoutRow: number;
  readonly options: { readonly keepDistinct: boolean; readonly plugValue: boolean };
}

/** Rows that have a verdict missing. */
export function unscoredRows(rows: readonly ScoredRow[]): ScoredRow[] {
  return rows.filter(({ problems }) => problems.length > 0);
}

/** The report for people: the official tables to the digit, then what they don't tell. */
export function textReport(report: RunReport, withLegacyTables: boolean): string {
  const { totals, profile } = report;
  const lines = [formatSpiderTotals(totals.testSuite, 'all')];
  if (withLegacyTables) {
    lines.push('By the older evaluation.py:', formatSpiderTotals(totals.legacy, 'all'));
  }
  lines.push(`legacy execution     ${levelFigures(totals.legacy)}`);
  lines.push(...countLines(report));
  if (profile !== undefined) lines.push('', ...profileLines(profile));
  return `${lines.join('\n')}\n`;
}

function levelFigures(totals: SpiderTotals): string {
  return LEVELS.map((level) => `${level} ${totals[level].execution.toFixed(3)}`).join(', ');
}

function countLines({ totals, rows, notes, tasksWithoutRow }: RunReport): string[] {
  const lines: string[] = [];
  const { rowCount, tableRowCount, executedCount, executionMatchedCount } = totals;
  if (tableRowCount < rowCount) {
    lines.push(`the tables hold ${tableRowCount} of ${rowCount} rows: the others can't be in them`);
    lines.push(
      `execution over the ${executedCount} rows that could be run: ${share(executionMatchedCount, executedCount)}`,
    );
  }
  const cappedCount = rows.filter(({ execution }) => execution?.capped === true).length;
  if (cappedCount > 0) {
    lines.push(`${cappedCount} rows: not all ways to plug values were tried; they count as wrong`);
  }
  if (tasksWithoutRow > 0) lines.push(`${tasksWithoutRow} tasks have no episode`);
  lines.push(...notes.map(({ location, message }) => `${location}: ${message}`));
  return lines;
}

function profileLines(profile: BehaviourProfile): string[] {
  const percent = (part: number): string => `${(part * 100).toFixed(1)} %`;
  const counts = (numbers: Readonly<Record<string, number>>): string =>
    Object.entries(numbers)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ');
  const tokens = profile.completionTokensPerEpisode;
  return [
    `behaviour over ${profile.episodeCount} episodes`,
    `  mean return                   ${profile.meanReturn.toFixed(3)}`,
    `  answer executes               ${percent(profile.answerExecutes)}`,
    `  answer is a query it ran      ${percent(profile.answerIsRunQuery)}`,
    `  unparseable by Spider         ${percent(profile.unparseable)}`,
    `  saw rows, still wrong         ${percent(profile.sawRowsAndWrong)}`,
    `  run_sql calls an episode      ${profile.runSqlPerEpisode.toFixed(2)}`,
    `  turns an episode              ${profile.turnsPerEpisode.toFixed(2)}`,
    `  completion tokens an episode  ${tokens === undefined ? 'not counted' : tokens.toFixed(0)}`,
    `  ends                          ${counts(profile.ends)}`,
    `  verdicts                      ${counts(profile.verdicts)}`,
  ];
}

function share(part: number, whole: number): string {
  return `${whole === 0 ? '0.000' : (part / whole).toFixed(3)} (${part} of ${whole})`;
}

/** The report for programs. */
export function jsonReport(report: RunReport): unknown {
  const { rows, totals, profile, problems, notes, tasksWithoutRow, options } = report;
  return {
    row_count: totals.rowCount,
    table_row_count: totals.tableRowCount,
    executed_count: totals.executedCount,
    execution_matched_count: totals.executionMatchedCount,
    keep_distinct: options.keepDistinct,
    plug_value: options.plugValue,
    test_suite: totalsJson(totals.testSuite),
    legacy: totalsJson(totals.legacy),
    profile: profile && profileJson(profile),
    unscored: unscoredRows(rows).map((scored) => ({
      index: scored.row.index,
      task_id: scored.row.task.taskId,
      problems: scored.problems,
    })),
    capped_task_ids: rows
      .filter(({ execution }) => execution?.capped === true)
      .map(({ row }) => row.task.taskId),
    tasks_without_row: tasksWithoutRow,
    problems,
    notes,
  };
}

function totalsJson(totals: SpiderTotals): unknown {
  return Object.fromEntries(
    LEVELS.map((level) => {
      const { rowCount, execution, exact, partial } = totals[level];
      return [level, { row_count: rowCount, execution, exact, partial: partial ?? null }];
    }),
  );
}

function profileJson(profile: BehaviourProfile): unknown {
  return {
    episode_count: profile.episodeCount,
    mean_return: profile.meanReturn,
    answer_executes: profile.answerExecutes,
    answer_is_run_query: profile.answerIsRunQuery,
    unparseable: profile.unparseable,
    saw_rows_and_wrong: profile.sawRowsAndWrong,
    run_sql_per_episode: profile.runSqlPerEpisode,
    turns_per_episode: profile.turnsPerEpisode,
    completion_tokens_per_episode: profile.completionTokensPerEpisode ?? null,
    ends: profile.ends,
    verdicts: profile.verdicts,
  };
}
