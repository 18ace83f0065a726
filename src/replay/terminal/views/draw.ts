import type { State, View } from '../state/state.ts';
import type { Line } from '../text/line.ts';
import { fitBlock } from '../text/pane.ts';
import { visible } from '../text/visible.ts';
import { fitLine } from '../text/wrap.ts';
import { hintLine, statusLine, type Hint } from './chrome.ts';
import { SIZE_MIN } from './draw-size.ts';
import { drawEdit, EDIT_HINTS, RESULT_HINTS } from './edit-view.ts';
import { drawEpisode, EPISODE_HINTS } from './episode-view.ts';
import { drawFork, forkHints } from './fork-view.ts';
import { drawList, FILTER_HINTS, LIST_HINTS } from './list-view.ts';
import { drawPager, PAGER_HINTS } from './pager-view.ts';
import { drawSiblings, SIBLINGS_HINTS } from './siblings-view.ts';

/** The whole screen: as many lines as it has rows, each as wide as it has columns. */
export function draw(state: State): Line[] {
  const { columns, rows } = state.size;
  if (columns < SIZE_MIN.columns || rows < SIZE_MIN.rows) return tooSmall(state);
  const view = state.views.at(-1) ?? state.views[0];
  return [
    ...fitBlock(drawView(state, view), columns, rows - 2),
    statusLine(state, columns),
    hintLine(hintsOf(view), columns),
  ];
}

function drawView(state: State, view: View): Line[] {
  switch (view.kind) {
    case 'list':
      return drawList(state, view);
    case 'episode':
      return drawEpisode(state, view);
    case 'edit':
      return drawEdit(state, view);
    case 'fork':
      return drawFork(state, view);
    case 'siblings':
      return drawSiblings(state, view);
    case 'pager':
      return drawPager(state, view);
  }
}

function hintsOf(view: View): readonly Hint[] {
  switch (view.kind) {
    case 'list':
      return view.input === undefined ? LIST_HINTS : FILTER_HINTS;
    case 'episode':
      return EPISODE_HINTS;
    case 'edit':
      return view.focus === 'input' ? EDIT_HINTS : RESULT_HINTS;
    case 'fork':
      return forkHints(view);
    case 'siblings':
      return SIBLINGS_HINTS;
    case 'pager':
      return PAGER_HINTS;
  }
}

function tooSmall({ size: { columns, rows }, views }: State): Line[] {
  const texts = views.some((view) => view.kind === 'fork' && view.asking)
    ? ['leave without saving', 'the fork? y quits', 'any other key stays']
    : [
        'window too small',
        `${columns}x${rows}, not ${SIZE_MIN.columns}x${SIZE_MIN.rows}`,
        'q quits',
      ];
  const shown = texts.slice(0, Math.max(1, rows)).map((text) => fitLine(visible(text), columns));
  return fitBlock(shown, columns, rows);
}
