import { siblingsOf } from './list-rows.ts';
import type { State, Updated } from './state.ts';
import { pushView, startTask } from './views.ts';

/** Records of a group that are read; a larger group is shown in part. */
const SIBLING_COUNT_MAX = 256;

/** Opens all rollouts of the prompt of an episode, whatever the filter. */
export function openSiblings(state: State, index: number): Updated {
  const { episodes } = state.facts;
  const episode = episodes[index];
  if (episode === undefined) return [state, []];
  const all = siblingsOf(episodes, episode);
  const start = Math.max(0, Math.min(all.indexOf(index), all.length - SIBLING_COUNT_MAX));
  const indices =
    all.length > SIBLING_COUNT_MAX ? all.slice(start, start + SIBLING_COUNT_MAX) : all;
  const opened = pushView(state, {
    kind: 'siblings',
    title: episode.taskId,
    indices,
    records: new Map(),
    cursor: indices.indexOf(index),
    scroll: 0,
  });
  return startTask(opened, { kind: 'read_siblings', indices }, '');
}
