import type { Trajectory } from '../../../../env/trajectory.ts';
import { pageCount, pageOf } from '../state/pages.ts';
import type { EpisodeView, ListView, Size, State } from '../state/state.ts';
import { stepFacts, verdictStyle } from '../text/describe.ts';
import { countText, rewardText } from '../text/format.ts';
import { blank, type Line } from '../text/line.ts';
import { fitText, plainText, wrapStyled, wrapText, type StyledText } from '../text/wrap.ts';
import { headerLine, styledLine, type Hint } from './chrome.ts';
import {
  drawBody,
  paneHeight,
  placedPanes,
  type BodyRow,
  type PaneSpec,
  type PlacedPane,
} from './layout.ts';
import { besidePane, callsPane, saidPane, sawPane } from './step-panes.ts';
import { timelineLine } from './timeline.ts';
import { verdictRows } from './verdict-panes.ts';

/** Header, question and timeline; status and keys below. */
const CHROME_ROWS = 5;
/** Narrower than this, panes do not fit side by side. */
const TWO_PANES_WIDTH = 76;

/** An episode's keys, most used first. */
export const EPISODE_HINTS: readonly Hint[] = [
  ['←→', 'turns'],
  ['tab', 'panes'],
  ['r', 'run again'],
  ['e', 'edit'],
  ['f', 'fork'],
  ['c', 'check'],
  ['s', 'schema'],
  ['u', 'rollouts'],
  ['[ ]', 'episodes'],
  ['z', 'zoom'],
  ['q', 'back'],
  ['?', 'help'],
];

/** Draws an episode without status and keys. */
export function drawEpisode(state: State, view: EpisodeView): Line[] {
  const { columns: width } = state.size;
  const { trajectory } = view;
  const lines = [episodeHeader(state, view), questionLine(state, view)];
  if (trajectory === undefined)
    return [...lines, [blank(width)], fitText('   reading ...', width, 'dim')];
  lines.push(timelineLine(trajectory, view.page, width));
  const rows = episodeRows(state, view, trajectory);
  const panes = placedPanes(rows, width);
  const focused = panes[view.focus] ?? panes[0];
  return [...lines, ...drawBody(rows, width, focused?.id ?? '', pageScroll(view))];
}

/** The panes of the page that is shown, in the order of Tab. */
export function episodePanes(state: State, view: EpisodeView): readonly PlacedPane[] {
  if (view.trajectory === undefined) return [];
  return placedPanes(episodeRows(state, view, view.trajectory), state.size.columns);
}

/** Scroll of the panes of this page. */
function pageScroll(view: EpisodeView): Readonly<Record<string, number>> {
  return view.scroll;
}

function episodeRows(state: State, view: EpisodeView, trajectory: Trajectory): readonly BodyRow[] {
  const height = bodyHeight(state.size);
  const rows = pageRows(state, view, trajectory, height);
  if (!view.zoomed) return rows;
  const panes = rows.flatMap((row) => (row.kind === 'panes' ? row.panes : []));
  const focused = panes[view.focus] ?? panes[0];
  return focused === undefined ? rows : [{ kind: 'panes', panes: [focused], height }];
}

function bodyHeight(size: Size): number {
  return Math.max(3, size.rows - CHROME_ROWS);
}

function pageRows(
  state: State,
  view: EpisodeView,
  trajectory: Trajectory,
  height: number,
): readonly BodyRow[] {
  const page = pageOf(trajectory, view.page);
  switch (page.kind) {
    case 'prompt':
      return [{ kind: 'panes', panes: [promptPane(trajectory)], height }];
    case 'step':
      return stepRows(state, view, trajectory, height);
    case 'verdict':
      return verdictRows(state, view, trajectory, height);
  }
}

function promptPane(trajectory: Trajectory): PaneSpec {
  const lines = (width: number): Line[] =>
    trajectory.messages.flatMap((message, index): Line[] => [
      ...(index === 0 ? [] : [[]]),
      ...wrapStyled([{ text: message.role, style: 'keyword' }], width),
      ...wrapText(message.content, width, plainText),
    ]);
  return { id: 'prompt', title: 'the prompt', note: trajectory.prompt_style, lines };
}

function stepRows(
  state: State,
  view: EpisodeView,
  trajectory: Trajectory,
  height: number,
): readonly BodyRow[] {
  const step = trajectory.steps[view.page - 1];
  if (step === undefined) return [];
  const width = state.size.columns;
  const two = width >= TWO_PANES_WIDTH;
  const said = saidPane(step);
  const calls = callsPane(trajectory, step, view.callIndex);
  const query = step.queries[view.callIndex];
  const facts: BodyRow = {
    kind: 'line',
    line: styledLine([{ text: '  ', style: 'plain' }, ...stepFacts(step, query)]),
  };
  const above: readonly PaneSpec[] = two ? [said, calls] : [said];
  if (step.messages.length === 0) {
    return [{ kind: 'panes', panes: above, height: height - 1 }, facts];
  }
  const saw = sawPane(step, view.callIndex, trajectory.observation.truncate_side);
  const beside = besidePane(state, view, trajectory, step);
  const below: readonly PaneSpec[] = two ? [saw, beside] : [view.focus === 2 ? beside : saw];
  const half = two ? Math.floor(width / 2) : width;
  const needed = Math.max(...above.map((pane) => pane.lines(half - 4).length));
  const top = paneHeight(needed, 4, Math.floor((height - 1) / 2));
  return [
    { kind: 'panes', panes: above, height: top },
    facts,
    { kind: 'panes', panes: below, height: height - 1 - top },
  ];
}

function episodeHeader(state: State, view: EpisodeView): Line {
  const summary = state.facts.episodes[view.index];
  const list: ListView = state.views[0];
  const place = list.matches.indexOf(view.index);
  const count = place === -1 ? '' : `${countText(place + 1)} of ${countText(list.matches.length)}`;
  const right: StyledText[] = [{ text: count, style: 'dim' }];
  if (summary !== undefined) {
    const verdict = summary.verdict === '' ? summary.end : summary.verdict;
    right.push(
      { text: '  ', style: 'dim' },
      { text: verdict, style: verdictStyle(summary.verdict) },
    );
    if (summary.reward !== undefined) {
      const style = summary.reward > 0 ? 'good' : 'bad';
      right.push({ text: ` ${rewardText(summary.reward)}`, style });
    }
  }
  const trail = summary === undefined ? [] : [summary.taskId, summary.databaseId];
  return headerLine(trail, right, state.size.columns);
}

function questionLine(state: State, view: EpisodeView): Line {
  const question = state.facts.episodes[view.index]?.question ?? '';
  return fitText(` ${question}`, state.size.columns, 'accent');
}

/** Where the last page is; of a record that is still read nobody knows, so any page may be asked for. */
export function lastPage(view: EpisodeView): number {
  if (view.trajectory === undefined) return Number.MAX_SAFE_INTEGER;
  return pageCount(view.trajectory) - 1;
}
