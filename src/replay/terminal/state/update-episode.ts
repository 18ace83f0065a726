import type { Trajectory } from '../../../../env/trajectory.ts';
import { episodePanes, lastPage } from '../views/episode-view.ts';
import { editBuffer } from './edit-buffer.ts';
import type { Key } from './key.ts';
import { openSchema } from './open-schema.ts';
import { openSiblings } from './open-siblings.ts';
import { replaceEpisode } from './open-episode.ts';
import { pageOf } from './pages.ts';
import { scrolled } from './scroll.ts';
import type { EditView, EpisodeView, State, Updated } from './state.ts';
import { isRunning, popView, pushView, say, startTask, withTop } from './views.ts';

/** A key on an episode. */
export function episodeKey(state: State, view: EpisodeView, key: Key): Updated {
  switch (key.id) {
    case 'q':
    case 'escape':
      return view.zoomed ? [withTop(state, { ...view, zoomed: false }), []] : popView(state);
    case ']':
      return neighbour(state, view, 1);
    case '[':
      return neighbour(state, view, -1);
    case 'u':
      return openSiblings(state, view.index);
    default:
      return view.trajectory === undefined
        ? // Keys are faster than disks: where to go is remembered until there is something to show.
          [withTop(state, turnKey(view, key.id) ?? view), []]
        : readKey(state, view, view.trajectory, key.id);
  }
}

/** Starts what the page needs from a database: the part that was cut, or the comparison. Once for each. */
export function loadPage(state: State, view: EpisodeView): Updated {
  const { trajectory } = view;
  if (trajectory === undefined) return [state, []];
  const page = pageOf(trajectory, view.page);
  const canRun = state.facts.replayerProblem === undefined;
  if (page.kind === 'verdict') {
    if (
      !canRun ||
      view.comparison !== undefined ||
      view.comparisonProblem !== '' ||
      isRunning(state, 'compare')
    ) {
      return [state, []];
    }
    return startTask(state, { kind: 'compare', trajectory }, 'running gold and answer');
  }
  if (page.kind === 'prompt' || !canRun) return [state, []];
  const { step } = page;
  const query = step.queries[view.callIndex];
  const name = `${step.step_index}:${view.callIndex}`;
  if (query?.text_truncated !== true || query.sql === '' || view.wholes[name] !== undefined) {
    return [state, []];
  }
  const place = { trajectory, stepIndex: step.step_index, callIndex: view.callIndex };
  const same = state.tasks.some(
    ({ request }) =>
      request.kind === 'whole' &&
      request.place.stepIndex === place.stepIndex &&
      request.place.callIndex === place.callIndex,
  );
  if (same) return [state, []];
  return startTask(state, { kind: 'whole', place, sql: query.sql }, 'getting the whole text');
}

function readKey(state: State, view: EpisodeView, trajectory: Trajectory, id: string): Updated {
  const turned = turnKey(view, id);
  if (turned !== undefined) {
    return loadPage(withTop({ ...state, status: undefined }, turned), turned);
  }
  const looked = lookKey(state, view, id);
  if (looked !== undefined) return loadPage(withTop(state, looked), looked);
  return actKey(state, view, trajectory, id);
}

/** Keys that go to another page or call. */
function turnKey(view: EpisodeView, id: string): EpisodeView | undefined {
  const last = lastPage(view);
  const pages: Readonly<Record<string, number>> = {
    right: view.page + 1,
    n: view.page + 1,
    left: view.page - 1,
    p: view.page - 1,
    home: 0,
    end: last,
  };
  const page = pages[id];
  if (page !== undefined) {
    const shown = Math.max(0, Math.min(page, last));
    if (shown === view.page) return view;
    return { ...view, page: shown, callIndex: 0, focus: 0, scroll: {}, zoomed: false };
  }
  if (id !== '.' && id !== ',') return undefined;
  const count = view.trajectory?.steps[view.page - 1]?.queries.length ?? 0;
  const callIndex = Math.max(0, Math.min(view.callIndex + (id === '.' ? 1 : -1), count - 1));
  return { ...view, callIndex, scroll: { ...view.scroll, saw: 0, beside: 0 } };
}

/** Keys that look at the same page in another way. */
function lookKey(state: State, view: EpisodeView, id: string): EpisodeView | undefined {
  // In a narrow window the last pane takes the place of the one before, so panes are counted by their page.
  const panes = episodePanes(state, { ...view, zoomed: false });
  const count = Math.max(panes.length, isStepWithResult(view) ? 3 : 1);
  switch (id) {
    case 'tab':
      return { ...view, focus: (view.focus + 1) % count };
    case 'shift-tab':
      return { ...view, focus: (view.focus + count - 1) % count };
    case 'z':
      return { ...view, zoomed: !view.zoomed };
    case 't':
      return { ...view, beside: view.beside === 'cut' ? 'table' : 'cut' };
    default: {
      const shown = episodePanes(state, view);
      const pane = view.zoomed ? shown[0] : shown[Math.min(view.focus, shown.length - 1)];
      if (pane === undefined) return undefined;
      const scroll = scrolled(view.scroll[pane.id] ?? 0, id, pane.lineCount, pane.height);
      return scroll === undefined
        ? undefined
        : { ...view, scroll: { ...view.scroll, [pane.id]: scroll } };
    }
  }
}

function isStepWithResult(view: EpisodeView): boolean {
  return (view.trajectory?.steps[view.page - 1]?.queries.length ?? 0) > 0;
}

/** Keys that run something. */
function actKey(state: State, view: EpisodeView, trajectory: Trajectory, id: string): Updated {
  if (id === 's') return openSchema(state, trajectory);
  if (!['r', 'c', 'e', 'E', 'f'].includes(id)) return [state, []];
  const problem = state.facts.replayerProblem;
  if (problem !== undefined) return [say(state, 'bad', problem), []];
  const page = pageOf(trajectory, view.page);
  switch (id) {
    case 'c':
      return startTask(state, { kind: 'check', trajectory }, 'playing the whole episode again');
    case 'f': {
      const stepIndex =
        page.kind === 'step'
          ? page.step.step_index
          : page.kind === 'prompt'
            ? 0
            : lastStep(trajectory);
      const label = `replaying ${stepIndex} step${stepIndex === 1 ? '' : 's'}`;
      return startTask(state, { kind: 'fork_open', trajectory, stepIndex }, label);
    }
    case 'r':
      return rerun(state, view, trajectory);
    default: {
      const [next, commands] = openEdit(state, view, trajectory);
      const top = next.views.at(-1);
      if (id !== 'E' || top?.kind !== 'edit') return [next, commands];
      return [next, [...commands, { kind: 'open_editor', text: top.buffer.text }]];
    }
  }
}

/** A fork of the verdict goes on instead of the step that ended the episode. */
function lastStep(trajectory: Trajectory): number {
  const { end, steps } = trajectory;
  return end === 'terminated' || end === 'truncated' ? Math.max(0, steps.length - 1) : steps.length;
}

function rerun(state: State, view: EpisodeView, trajectory: Trajectory): Updated {
  const page = pageOf(trajectory, view.page);
  if (page.kind === 'prompt') {
    return [say(state, 'info', 'there is nothing to run here; c checks the whole episode'), []];
  }
  if (page.kind === 'verdict') {
    const fresh = { ...view, comparison: undefined, comparisonProblem: '', goldSql: undefined };
    return loadPage(withTop(state, fresh), fresh);
  }
  const query = page.step.queries[view.callIndex];
  if (query === undefined || query.sql === '') {
    return [say(state, 'info', 'no query ran here, so there is nothing to run again'), []];
  }
  const place = { trajectory, stepIndex: page.step.step_index, callIndex: view.callIndex };
  return startTask(state, { kind: 'rerun', place, sql: query.sql }, 'running the query again');
}

function openEdit(state: State, view: EpisodeView, trajectory: Trajectory): Updated {
  const page = pageOf(trajectory, view.page);
  const query = page.kind === 'step' ? page.step.queries[view.callIndex] : undefined;
  const isQuery = page.kind === 'prompt' || query !== undefined;
  const text = isQuery ? (query?.sql ?? '') : (trajectory.grade?.answer_sql ?? '');
  const edit: EditView = {
    kind: 'edit',
    purpose: isQuery ? 'query' : 'answer',
    trajectory,
    title:
      page.kind === 'step'
        ? `edit step ${page.step.step_index}`
        : isQuery
          ? 'a query'
          : 'edit the answer',
    buffer: editBuffer(text),
    result: undefined,
    focus: 'input',
    scroll: 0,
  };
  return [pushView(state, edit), []];
}

/** The next or last episode of the list as it is filtered and sorted. */
function neighbour(state: State, view: EpisodeView, step: -1 | 1): Updated {
  const { matches } = state.views[0];
  const at = matches.indexOf(view.index);
  const next = at === -1 ? undefined : matches[at + step];
  if (next === undefined) {
    return [
      say(state, 'info', step === 1 ? 'this is the last episode' : 'this is the first episode'),
      [],
    ];
  }
  return replaceEpisode(state, next);
}
