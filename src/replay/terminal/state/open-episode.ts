import type { EpisodeView, State, Updated } from './state.ts';
import { cancelAll, andThen, pushView, startTask, withTop } from './views.ts';

/** Opens an episode on top of what is seen, and reads its record. */
export function openEpisode(state: State, index: number): Updated {
  const opened = pushView(state, closedBook(index));
  return startTask(opened, { kind: 'read', index }, '');
}

/** Another episode in place of the one on top. */
export function replaceEpisode(state: State, index: number): Updated {
  return andThen(cancelAll(state), (idle) =>
    startTask(withTop(idle, closedBook(index)), { kind: 'read', index }, ''),
  );
}

function closedBook(index: number): EpisodeView {
  return {
    kind: 'episode',
    index,
    trajectory: undefined,
    // The prompt is one step to the left; why it came out as it did begins with the first turn.
    page: 1,
    callIndex: 0,
    focus: 0,
    zoomed: false,
    beside: 'cut',
    scroll: {},
    wholes: {},
    comparison: undefined,
    comparisonProblem: '',
    goldSql: undefined,
  };
}
