import type { EpisodeSummary } from '../ports.ts';
import type { App, View } from './app.ts';
import { COLUMNS, marks } from './columns.ts';
import { h } from './dom.ts';
import { sortHeader } from './sort-header.ts';
import { virtualRows } from './virtual-rows.ts';
import { visibleText } from './visible-text.ts';

/** Which episode was selected last, so that one comes back to it. */
let lastSelected: EpisodeSummary | undefined;

/** All episodes that pass the filter, one a row. */
export function listView(app: App): View {
  const header = h('div', { class: 'row head', role: 'row', 'aria-rowindex': 1 });
  const rows = virtualRows({
    label: 'Episodes',
    header,
    columnCount: COLUMNS.length,
    render: (place) => rowOf(app, app.matching[place]),
    open: (place) => {
      const episode = app.matching[place];
      if (episode !== undefined) app.go(app.episodeRoute(episode));
    },
    onSelect: (place) => {
      lastSelected = app.matching[place];
    },
  });
  const empty = h('p', { class: 'empty' });
  const update = (): void => {
    header.replaceChildren(...COLUMNS.map((column) => sortHeader(app, column)));
    const place = lastSelected === undefined ? 0 : app.matching.indexOf(lastSelected);
    rows.show(app.matching.length, place);
    empty.hidden = app.matching.length > 0;
    empty.textContent = emptyText(app);
  };
  return {
    element: h('div', { class: 'list-view' }, [
      h('h2', { class: 'unseen' }, 'Episodes'),
      rows.element,
      empty,
    ]),
    title: 'Episodes',
    fillsWindow: true,
    update,
    onKey: (key) => rows.onKey(key),
    focus: rows.element,
    close: () => rows.close(),
  };
}

/** Why a list is empty. */
export function emptyText({ file }: App): string {
  return file.episodes.length === 0
    ? 'There is no episode in this page.'
    : 'No episode passes the filter.';
}

function rowOf(app: App, episode: EpisodeSummary | undefined): HTMLElement {
  const row = h('div', { class: 'row', role: 'row' });
  if (episode === undefined) return row;
  for (const { key, cell } of COLUMNS) {
    const place = h('div', { class: `cell column-${key}`, role: 'gridcell' });
    place.append(
      ...(key === 'question' ? questionParts(app, episode) : [h('span', {}, cell(episode))]),
    );
    row.append(place);
  }
  return row;
}

function questionParts(app: App, episode: EpisodeSummary): HTMLElement[] {
  // The grid has the focus as a whole; a link of its own would be a second stop at each row.
  const link = h(
    'a',
    { href: app.episodeHash(episode), tabindex: -1 },
    visibleText(episode.question),
  );
  const below = h(
    'span',
    { class: 'below' },
    h('span', { class: 'narrow-only' }, visibleText(episode.databaseId), ' · '),
    visibleText(episode.taskId),
    marks(episode),
  );
  return [link, below];
}
