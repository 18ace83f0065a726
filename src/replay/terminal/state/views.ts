import type {
  Command,
  ListView,
  PagerView,
  RunningTask,
  State,
  Status,
  Updated,
  View,
} from './state.ts';
import type { TaskRequest } from './task.ts';

/** The view that is seen and gets the keys. */
export function topView(state: State): View {
  return state.views.at(-1) ?? state.views[0];
}

/** The state with another view on top in place of the one that is there. */
export function withTop(state: State, view: View): State {
  const below = state.views.slice(0, -1);
  const [list, ...rest] = [...below, view];
  return list?.kind === 'list' ? { ...state, views: [list, ...rest] } : state;
}

/** The state with every view changed by a function. */
export function withViews(state: State, change: (view: View) => View): State {
  const [list, ...rest] = state.views;
  const first = change(list);
  return { ...state, views: [first.kind === 'list' ? first : list, ...rest.map(change)] };
}

/** The state with its list changed. */
export function withList(state: State, list: ListView): State {
  const [, ...rest] = state.views;
  return { ...state, views: [list, ...rest] };
}

/** Puts a view on top. */
export function pushView(state: State, view: View): State {
  return { ...state, views: [...state.views, view], status: undefined };
}

/** Takes the view on top away, and what goes on for it is cancelled. The list stays. */
export function popView(state: State): Updated {
  if (state.views.length === 1) return [state, []];
  const [list, ...rest] = state.views;
  const [left, commands] = cancelAll(state);
  return [{ ...left, views: [list, ...rest.slice(0, -1)], status: undefined }, commands];
}

/** Puts a text to read on top. */
export function pushPager(state: State, pager: Pick<PagerView, 'title' | 'note' | 'lines'>): State {
  return pushView(state, { kind: 'pager', scroll: 0, ...pager });
}

/** The state with a message in the status line. */
export function say(state: State, kind: Status['kind'], text: string): State {
  return { ...state, status: { kind, text } };
}

/** Starts work; with a label it is seen, and Esc cancels it. */
export function startTask(state: State, request: TaskRequest, label: string): Updated {
  const id = state.nextTaskId;
  const task = { id, request, label, depth: state.views.length, count: 0, totalCount: 0 };
  return [
    { ...state, nextTaskId: id + 1, tasks: [...state.tasks, task], status: undefined },
    [{ kind: 'start', id, request }],
  ];
}

/** Whether work of one of these kinds is under way. */
export function isRunning(state: State, ...kinds: readonly TaskRequest['kind'][]): boolean {
  return state.tasks.some(({ request }) => kinds.includes(request.kind));
}

/** Work of the view on top that is shown in the status line. */
export function seenTasks(state: State): readonly RunningTask[] {
  return state.tasks.filter(({ label, depth }) => label !== '' && depth === state.views.length);
}

/** Cancels the work that is seen; undefined if there is none. */
export function cancelSeen(state: State): Updated | undefined {
  const seen = seenTasks(state);
  if (seen.length === 0) return undefined;
  const tasks = state.tasks.filter((task) => !seen.includes(task));
  const commands = seen.map(({ id }): Command => ({ kind: 'cancel', id }));
  const labels = seen.map(({ label }) => label).join(', ');
  return [say({ ...state, tasks }, 'info', `cancelled: ${labels}`), commands];
}

/** Cancels everything that is under way for the view on top. */
export function cancelAll(state: State): Updated {
  const depth = state.views.length;
  const own = state.tasks.filter((task) => task.depth >= depth);
  const tasks = state.tasks.filter((task) => task.depth < depth);
  return [{ ...state, tasks }, own.map(({ id }): Command => ({ kind: 'cancel', id }))];
}

/** What the last update did, followed by another one. */
export function andThen([state, commands]: Updated, next: (state: State) => Updated): Updated {
  const [after, more] = next(state);
  return [after, [...commands, ...more]];
}
