import { innerWidth, scrollMax } from '../text/pane.ts';
import { transcriptHeight, transcriptLines } from '../views/fork-view.ts';
import { editBuffer, editKey } from './edit-buffer.ts';
import type { Key } from './key.ts';
import { openSchema } from './open-schema.ts';
import { scrolled } from './scroll.ts';
import type { ForkView, State, Updated } from './state.ts';
import type { ForkFacts, ForkInput } from './task.ts';
import { andThen, isRunning, popView, say, startTask, withTop } from './views.ts';
import { RUN_KEYS } from './update-edit.ts';

const INPUTS: readonly ForkInput[] = ['sql', 'answer', 'turn'];

/** A key in a fork. */
export function forkKey(state: State, view: ForkView, key: Key): Updated {
  if (view.asking) return answerKey(state, view, key.id);
  if (key.id === 'ctrl-t') return openSchema(state, view.parent);
  if (view.focus === 'input' && !view.ended) return inputKey(state, view, key);
  return readKey(state, view, key.id);
}

/** The fork after a step: what was typed is done with, and the end is in sight. */
export function withForkStep(view: ForkView, { trajectory, ended }: ForkFacts): ForkView {
  return {
    ...view,
    trajectory,
    ended,
    buffer: editBuffer(''),
    scroll: undefined,
    savedId: undefined,
    focus: ended ? 'transcript' : 'input',
  };
}

/** Steps that were done by hand and are not in a file. */
export function hasUnsaved(view: ForkView): boolean {
  return view.savedId === undefined && view.trajectory.steps.length > view.stepIndex;
}

function inputKey(state: State, view: ForkView, key: Key): Updated {
  if (RUN_KEYS.has(key.id)) return run(state, view);
  switch (key.id) {
    case 'escape':
      return [withTop(state, { ...view, focus: 'transcript' }), []];
    case 'tab':
      return [withTop(state, { ...view, input: nextInput(view, 1) }), []];
    case 'shift-tab':
      return [withTop(state, { ...view, input: nextInput(view, -1) }), []];
    case 'ctrl-o':
      if (!state.facts.hasEditor) return [say(state, 'bad', '$EDITOR is not set'), []];
      return [state, [{ kind: 'open_editor', text: view.buffer.text }]];
    default: {
      const buffer = editKey(view.buffer, key, innerWidth(state.size.columns));
      return buffer === undefined ? [state, []] : [withTop(state, { ...view, buffer }), []];
    }
  }
}

function readKey(state: State, view: ForkView, id: string): Updated {
  switch (id) {
    case 'i':
    case 'e':
    case 'tab':
      return view.ended ? [state, []] : [withTop(state, { ...view, focus: 'input' }), []];
    case 's':
      return openSchema(state, view.parent);
    case 'w':
      return save(state, view);
    case 'q':
    case 'escape':
      return hasUnsaved(view)
        ? [say(withTop(state, { ...view, asking: true }), 'info', QUESTION), []]
        : leave(state, view);
    case 'home':
      return [withTop(state, { ...view, scroll: 0 }), []];
    case 'end':
      return [withTop(state, { ...view, scroll: undefined }), []];
    default: {
      const lineCount = transcriptLines(view, state.size.columns).length;
      const height = transcriptHeight(state.size, view);
      const now = view.scroll ?? scrollMax(lineCount, height);
      const scroll = scrolled(now, id, lineCount, height);
      return scroll === undefined ? [state, []] : [withTop(state, { ...view, scroll }), []];
    }
  }
}

const QUESTION = 'leave without saving the fork? y leaves, w saves, any other key stays';

function answerKey(state: State, view: ForkView, id: string): Updated {
  const stayed = withTop({ ...state, status: undefined }, { ...view, asking: false });
  if (id === 'y') return leave(stayed, view);
  return id === 'w' ? save(stayed, { ...view, asking: false }) : [stayed, []];
}

function leave(state: State, view: ForkView): Updated {
  return andThen(popView(state), (left) => [left, [{ kind: 'discard_fork', forkId: view.forkId }]]);
}

function save(state: State, view: ForkView): Updated {
  if (view.savedId !== undefined) return [say(state, 'info', 'it is saved already'), []];
  if (isRunning(state, 'fork_run', 'fork_save')) return [state, []];
  if (!hasUnsaved(view)) return [say(state, 'info', 'nothing was done by hand yet'), []];
  return startTask(state, { kind: 'fork_save', forkId: view.forkId }, 'saving the fork');
}

function run(state: State, view: ForkView): Updated {
  const text = view.input === 'turn' ? view.buffer.text : view.buffer.text.trim();
  if (text.trim() === '') return [say(state, 'info', 'there is nothing to send'), []];
  // A fork takes one step at a time.
  if (isRunning(state, 'fork_run', 'fork_save')) return [state, []];
  const { forkId, input } = view;
  return startTask(state, { kind: 'fork_run', forkId, input, text }, 'taking the step');
}

function nextInput(view: ForkView, step: number): ForkInput {
  const at = INPUTS.indexOf(view.input) + step + INPUTS.length;
  return INPUTS[at % INPUTS.length] ?? 'sql';
}
