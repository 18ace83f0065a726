import { editResultHeight, editResultLines } from '../views/edit-view.ts';
import { innerWidth } from '../text/pane.ts';
import { editKey } from './edit-buffer.ts';
import type { Key } from './key.ts';
import { scrolled } from './scroll.ts';
import { openSchema } from './open-schema.ts';
import type { EditView, State, Updated } from './state.ts';
import { isRunning, popView, say, startTask, withTop } from './views.ts';

/** A key in the editor of a query or an answer. */
export function editViewKey(state: State, view: EditView, key: Key): Updated {
  if (RUN_KEYS.has(key.id)) return run(state, view);
  if (key.id === 'ctrl-o') return outside(state, view);
  if (key.id === 'ctrl-t') return openSchema(state, view.trajectory);
  return view.focus === 'input' ? inputKey(state, view, key) : resultKey(state, view, key.id);
}

/** Keys that run what is written; many terminals can't tell Ctrl-Enter from Enter. */
export const RUN_KEYS: ReadonlySet<string> = new Set([
  'ctrl-s',
  'ctrl-enter',
  'alt-enter',
  'ctrl-r',
]);

function inputKey(state: State, view: EditView, key: Key): Updated {
  if (key.id === 'escape') {
    return view.result === undefined
      ? popView(state)
      : [withTop(state, { ...view, focus: 'result' }), []];
  }
  const buffer = editKey(view.buffer, key, innerWidth(state.size.columns));
  return buffer === undefined ? [state, []] : [withTop(state, { ...view, buffer }), []];
}

function resultKey(state: State, view: EditView, id: string): Updated {
  switch (id) {
    case 'e':
    case 'i':
    case 'tab':
    case 'shift-tab':
      return [withTop(state, { ...view, focus: 'input' }), []];
    case 'r':
    case 'enter':
      return run(state, view);
    case 'E':
      return outside(state, view);
    case 's':
      return openSchema(state, view.trajectory);
    case 'q':
    case 'escape':
      return popView(state);
    default: {
      const lines = editResultLines(view, state.size.columns).length;
      const scroll = scrolled(view.scroll, id, lines, editResultHeight(state.size));
      return scroll === undefined ? [state, []] : [withTop(state, { ...view, scroll }), []];
    }
  }
}

function run(state: State, view: EditView): Updated {
  const sql = view.buffer.text.trim();
  if (sql === '') return [say(state, 'info', 'there is nothing to run'), []];
  if (isRunning(state, 'try_query', 'try_answer')) return [state, []];
  const { trajectory } = view;
  return view.purpose === 'query'
    ? startTask(state, { kind: 'try_query', trajectory, sql }, 'running the query')
    : startTask(state, { kind: 'try_answer', trajectory, sql }, 'grading the answer');
}

function outside(state: State, view: EditView): Updated {
  if (!state.facts.hasEditor) return [say(state, 'bad', '$EDITOR is not set'), []];
  return [state, [{ kind: 'open_editor', text: view.buffer.text }]];
}
