import { groupHelp } from '../views/help.ts';
import { SIZE_MIN } from '../views/draw-size.ts';
import { answersHeight, longestAnswer } from '../views/siblings-view.ts';
import { pagerHeight, pagerLines } from '../views/pager-view.ts';
import { replaced } from './edit-buffer.ts';
import type { Key } from './key.ts';
import { openEpisode } from './open-episode.ts';
import { scrolled } from './scroll.ts';
import type {
  Facts,
  Message,
  PagerView,
  SiblingsView,
  Size,
  State,
  Updated,
  View,
} from './state.ts';
import { editViewKey } from './update-edit.ts';
import { episodeKey } from './update-episode.ts';
import { forkKey, hasUnsaved } from './update-fork.ts';
import { initialList, listKey, placed } from './update-list.ts';
import { taskDone, taskFailed } from './update-task.ts';
import {
  cancelSeen,
  popView,
  pushPager,
  say,
  topView,
  withList,
  withTop,
  withViews,
} from './views.ts';

/** What is seen first. */
export function initialState(facts: Facts, size: Size): State {
  return {
    facts,
    size,
    views: [initialList(facts.episodes)],
    status: undefined,
    warnings: [],
    tasks: [],
    nextTaskId: 1,
    tick: 0,
  };
}

/** The state after something happened, and what is to be done. Pure: all that takes time or touches files is a command. */
export function update(state: State, message: Message): Updated {
  switch (message.kind) {
    case 'key':
      return keyPressed(state, message.key);
    case 'resized': {
      // A question of one size is not seen in the other.
      const asked = isAsking(state) ? withAsking(state, false) : state;
      const resized = { ...asked, size: message.size };
      return [withList(resized, placed(resized, resized.views[0])), []];
    }
    case 'tick':
      return [{ ...state, tick: state.tick + 1 }, []];
    case 'task_progress': {
      const { id, count, totalCount } = message;
      const tasks = state.tasks.map((task) =>
        task.id === id ? { ...task, count, totalCount } : task,
      );
      return [{ ...state, tasks }, []];
    }
    case 'task_done':
      return taskDone(state, message.id, message.result);
    case 'task_failed':
      return taskFailed(state, message.id, message.message);
    case 'warned': {
      const { warnings } = message;
      const newest = warnings.at(-1);
      const warned = { ...state, warnings };
      return [newest === undefined ? warned : say(warned, 'warn', newest), []];
    }
    case 'edited':
      return edited(state, message.text, message.problem);
  }
}

function keyPressed(state: State, key: Key): Updated {
  if (key.id === 'ctrl-c') return [state, [{ kind: 'quit', interrupted: true }]];
  const { columns, rows } = state.size;
  if (columns < SIZE_MIN.columns || rows < SIZE_MIN.rows) {
    return tooSmallKey(state, key.id);
  }
  if (key.id === 'escape') {
    const cancelled = cancelSeen(state);
    if (cancelled !== undefined) return cancelled;
  }
  const view = topView(state);
  if (!isTyping(view)) {
    if (key.id === 'ctrl-z') return [state, [{ kind: 'suspend' }]];
    if (key.id === '?' && view.kind !== 'pager') return [pushPager(state, groupHelp(view)), []];
  }
  return viewKey(state, view, key);
}

/** Where nothing can be shown, the program can be left; it asks as elsewhere if a fork would be lost. */
function tooSmallKey(state: State, id: string): Updated {
  const quit: Updated = [state, [{ kind: 'quit', interrupted: false }]];
  if (isAsking(state)) return id === 'y' ? quit : [withAsking(state, false), []];
  if (id !== 'q') return [state, []];
  const unsaved = state.views.some((view) => view.kind === 'fork' && hasUnsaved(view));
  return unsaved ? [withAsking(state, true), []] : quit;
}

function isAsking(state: State): boolean {
  return state.views.some((view) => view.kind === 'fork' && view.asking);
}

function withAsking(state: State, asking: boolean): State {
  return withViews({ ...state, status: undefined }, (view) =>
    view.kind === 'fork' ? { ...view, asking: asking && hasUnsaved(view) } : view,
  );
}

function viewKey(state: State, view: View, key: Key): Updated {
  switch (view.kind) {
    case 'list':
      return listKey(state, view, key);
    case 'episode':
      return episodeKey(state, view, key);
    case 'edit':
      return editViewKey(state, view, key);
    case 'fork':
      return forkKey(state, view, key);
    case 'siblings':
      return siblingsKey(state, view, key.id);
    case 'pager':
      return pagerKey(state, view, key.id);
  }
}

/** Characters go into a text. */
function isTyping(view: View): boolean {
  switch (view.kind) {
    case 'list':
      return view.input !== undefined;
    case 'edit':
      return view.focus === 'input';
    case 'fork':
      return view.asking || (view.focus === 'input' && !view.ended);
    case 'episode':
    case 'siblings':
    case 'pager':
      return false;
  }
}

function siblingsKey(state: State, view: SiblingsView, id: string): Updated {
  const last = view.indices.length - 1;
  const targets: Readonly<Record<string, number>> = {
    left: view.cursor - 1,
    up: view.cursor - 1,
    k: view.cursor - 1,
    right: view.cursor + 1,
    down: view.cursor + 1,
    j: view.cursor + 1,
    home: 0,
    end: last,
  };
  const target = targets[id];
  if (target !== undefined) {
    const cursor = Math.max(0, Math.min(target, last));
    return [withTop(state, { ...view, cursor, scroll: 0 }), []];
  }
  switch (id) {
    case 'enter': {
      const index = view.indices[view.cursor];
      return index === undefined ? [state, []] : openEpisode(state, index);
    }
    case 'q':
    case 'u':
    case 'escape':
      return popView(state);
    default: {
      const height = answersHeight(state.size, view);
      const scroll = scrolled(view.scroll, id, longestAnswer(state, view), height);
      return scroll === undefined ? [state, []] : [withTop(state, { ...view, scroll }), []];
    }
  }
}

function pagerKey(state: State, view: PagerView, id: string): Updated {
  const lineCount = pagerLines(view, state.size.columns).length;
  switch (id) {
    case 'q':
    case 'escape':
    case 'enter':
    case '?':
      return popView(state);
    case 'home':
    case 'g':
      return [withTop(state, { ...view, scroll: 0 }), []];
    case 'end':
    case 'G':
      return [withTop(state, { ...view, scroll: lineCount }), []];
    default: {
      const scroll = scrolled(view.scroll, id, lineCount, pagerHeight(state.size));
      return scroll === undefined ? [state, []] : [withTop(state, { ...view, scroll }), []];
    }
  }
}

function edited(state: State, text: string | undefined, problem: string): Updated {
  if (text === undefined) return [say(state, 'bad', problem), []];
  const view = topView(state);
  // Editors end a file with a newline; a query has none.
  const clean = text.replace(/\n+$/, '');
  if (view.kind !== 'edit' && view.kind !== 'fork') return [state, []];
  const buffer = replaced(view.buffer, clean);
  return [withTop(state, { ...view, buffer, focus: 'input' }), []];
}
