import type { App } from './app.ts';
import { h } from './dom.ts';

/** A column header that sorts by its column: one way, the other, and back to the order of the records. */
export function sortHeader(
  app: App,
  {
    key,
    title,
    numeric,
  }: { readonly key: string; readonly title: string; readonly numeric: boolean },
): HTMLElement {
  const { sort } = app.route;
  const direction = sort === key ? 'ascending' : sort === `-${key}` ? 'descending' : 'none';
  // Numbers are looked at from the top first, texts from A.
  const order = numeric ? ['', `-${key}`, key] : ['', key, `-${key}`];
  const next = order[(order.indexOf(sort) + 1) % order.length] ?? '';
  const arrow = { ascending: '↑', descending: '↓', none: '' }[direction];
  const button = h(
    'button',
    {
      type: 'button',
      class: numeric ? 'sort sort-numeric' : 'sort',
      onclick: () => app.go({ sort: next }, 'replace'),
    },
    title,
    h('span', { class: 'arrow', 'aria-hidden': 'true' }, arrow),
  );
  return h(
    'div',
    { class: `cell column-${key}`, role: 'columnheader', 'aria-sort': direction },
    button,
  );
}
