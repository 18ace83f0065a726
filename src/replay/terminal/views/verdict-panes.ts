import type { Trajectory, TrajectoryGrade } from '../../../../env/trajectory.ts';
import type { EpisodeView, State } from '../state/state.ts';
import { verdictStyle } from '../text/describe.ts';
import { rewardText } from '../text/format.ts';
import { sqlText } from '../text/highlight.ts';
import type { Line } from '../text/line.ts';
import { wrapStyled, wrapText, type StyledText } from '../text/wrap.ts';
import {
  countsNote,
  differenceLines,
  reasonLines,
  sideLines,
  sideNote,
} from './comparison-lines.ts';
import { paneHeight, type BodyRow, type PaneSpec } from './layout.ts';

/** Narrower than this, gold and answer come one below the other. */
const SIDE_BY_SIDE_WIDTH = 76;
/** Of the screen's body, at most this much for the reason, and for each row of SQL. */
const REASON_SHARE = 0.4;
const SQL_SHARE = 0.35;

/** The last page of an episode: why it got its reward, gold and answer side by side, and how their rows differ. */
export function verdictRows(
  state: State,
  view: EpisodeView,
  trajectory: Trajectory,
  height: number,
): readonly BodyRow[] {
  const width = state.size.columns;
  const reason = reasonPane(view, trajectory);
  const two = width >= SIDE_BY_SIDE_WIDTH;
  const gold = goldPane(state, view, trajectory);
  const answer = answerPane(view, trajectory);
  const rows = rowsPane(state, view, trajectory);
  const least = 3;
  const reasonCount = reason.lines(width - 4).length;
  const reasonHeight = paneHeight(
    reasonCount,
    least,
    Math.max(least, Math.floor(height * REASON_SHARE)),
  );
  const sqlWidth = two ? Math.floor(width / 2) - 4 : width - 4;
  const sqlMost = Math.max(least, Math.floor(height * SQL_SHARE * (two ? 1 : 0.6)));
  const heightOf = (pane: PaneSpec): number =>
    paneHeight(pane.lines(sqlWidth).length, least, sqlMost);
  const sqlRows: BodyRow[] = two
    ? [{ kind: 'panes', panes: [gold, answer], height: Math.max(heightOf(gold), heightOf(answer)) }]
    : [gold, answer].map((pane) => ({ kind: 'panes', panes: [pane], height: heightOf(pane) }));
  const used = sqlRows.reduce(
    (sum, row) => sum + (row.kind === 'panes' ? row.height : 1),
    reasonHeight,
  );
  return [
    { kind: 'panes', panes: [reason], height: reasonHeight },
    ...sqlRows,
    { kind: 'panes', panes: [rows], height: Math.max(3, height - used) },
  ];
}

function reasonPane(view: EpisodeView, trajectory: Trajectory): PaneSpec {
  const { grade } = trajectory;
  const lines = (width: number): readonly Line[] => {
    if (view.comparison !== undefined) return reasonLines(view.comparison, width);
    return grade === null ? endLines(trajectory, width) : gradeLines(grade, trajectory, width);
  };
  return { id: 'reason', title: 'why', note: grade?.comparison_mode ?? '', lines };
}

/** What the record alone says. */
function gradeLines(grade: TrajectoryGrade, trajectory: Trajectory, width: number): Line[] {
  const flags = grade.flags.length === 0 ? '' : `  ${grade.flags.join(' ')}`;
  const parts: StyledText[] = [
    { text: grade.verdict, style: verdictStyle(grade.verdict) },
    { text: ` under ${grade.comparison_mode}, reward ${rewardText(grade.reward)}`, style: 'plain' },
    { text: flags, style: 'warn' },
  ];
  if (grade.error_text !== '') parts.push({ text: `\n${grade.error_text}`, style: 'bad' });
  return [...wrapStyled(parts, width), ...endLines(trajectory, width)];
}

function endLines(trajectory: Trajectory, width: number): Line[] {
  const { end, termination_reason: terminated, truncation_reason: truncated } = trajectory;
  const reason = terminated === '' ? truncated : terminated;
  const text = `the episode was ${end}${reason === '' ? '' : `: ${reason}`}`;
  return wrapStyled([{ text, style: 'dim' }], width);
}

function goldPane(state: State, view: EpisodeView, trajectory: Trajectory): PaneSpec {
  const { comparison } = view;
  const sql = comparison?.gold.sql ?? trajectory.gold_sql ?? view.goldSql;
  const problem = view.comparisonProblem;
  const asking =
    problem === '' ? 'finding the gold ...' : `the record does not hold the gold; ${problem}`;
  const unknown = state.facts.replayerProblem ?? asking;
  const lines = (width: number): readonly Line[] => {
    if (comparison !== undefined) return sideLines(comparison.gold, width);
    if (sql !== undefined) return wrapText(sql, width, sqlText);
    return wrapStyled([{ text: unknown, style: 'dim' }], width);
  };
  return { id: 'gold', title: 'gold', note: comparison ? sideNote(comparison.gold) : '', lines };
}

function answerPane(view: EpisodeView, trajectory: Trajectory): PaneSpec {
  const side = view.comparison?.answer;
  const sql = trajectory.grade?.answer_sql ?? '';
  const lines = (width: number): readonly Line[] => {
    if (side !== undefined) return sideLines(side, width);
    if (sql !== '') return wrapText(sql, width, sqlText);
    return wrapStyled([{ text: 'there is no answer', style: 'dim' }], width);
  };
  return { id: 'answer', title: 'answer', note: side === undefined ? '' : sideNote(side), lines };
}

function rowsPane(state: State, view: EpisodeView, trajectory: Trajectory): PaneSpec {
  const { comparison, comparisonProblem } = view;
  if (comparison !== undefined) {
    const lines = (width: number): Line[] => differenceLines(comparison, width);
    return {
      id: 'rows',
      title: 'rows  - missing  + extra  ~ types  ↕ order',
      note: countsNote(comparison),
      lines,
    };
  }
  const lines = (width: number): Line[] => {
    if (comparisonProblem !== '')
      return wrapStyled([{ text: comparisonProblem, style: 'bad' }], width);
    if (trajectory.grade === null) {
      return wrapStyled(
        [{ text: 'no answer was graded, so there are no rows to compare', style: 'dim' }],
        width,
      );
    }
    const reason = state.facts.replayerProblem;
    const text =
      reason === undefined ? 'running gold and answer ...' : `rows need a database: ${reason}`;
    return wrapStyled([{ text, style: 'dim' }], width);
  };
  return { id: 'rows', title: 'rows', lines };
}
