import { h } from './dom.ts';
import { counted, countText } from './format.ts';
import type { Matching } from './matching.ts';
import { visibleText } from './visible-text.ts';

/** The box that filters all views. */
export interface FilterBar {
  readonly element: HTMLElement;
  readonly input: HTMLInputElement;
  /** Shows a filter that was not typed: one of the address. */
  set(filter: string): void;
  show(matching: Matching, passingCount: number, totalCount: number): void;
}

const EXAMPLES: readonly (readonly [string, string])[] = [
  ['reward:0 verdict:mismatch', 'wrong answers'],
  ['truncated>0 reward:0', 'wrong, and something was cut away'],
  ['tool_calls>1', 'more than one call'],
  ['failed>0 reward:1', 'right in spite of failed queries'],
  ['end:truncated', 'ended by a limit'],
  ['sql:JOIN', 'a query or the answer holds a text'],
];

/** Makes the box; `onChange` gets each text that is typed. */
export function filterBar(onChange: (filter: string) => void, onHelp: () => void): FilterBar {
  const input = h('input', {
    type: 'search',
    id: 'filter',
    placeholder: 'reward:0 verdict:mismatch db:…',
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    'aria-label': 'Filter episodes',
    'aria-describedby': 'filter-status',
    oninput: () => onChange(input.value),
  });
  const status = h('p', { id: 'filter-status', class: 'filter-status', role: 'status' });
  const progress = h('progress', { max: 1, value: 0, 'aria-label': 'Search', hidden: true });
  const choose = (filter: string): void => {
    input.value = filter;
    onChange(filter);
    input.focus();
  };
  const examples = EXAMPLES.map(([filter, meaning]) =>
    h('li', {}, [
      h('button', { type: 'button', class: 'example', onclick: () => choose(filter) }, [
        h('code', {}, filter),
        h('span', { class: 'muted' }, meaning),
      ]),
    ]),
  );
  const more = h('button', { type: 'button', class: 'quiet', onclick: onHelp }, 'All keys (?)');
  const element = h(
    'form',
    { class: 'filter', role: 'search', onsubmit: (e) => e.preventDefault() },
    [
      h('div', { class: 'filter-box' }, input, progress),
      status,
      h('div', { class: 'examples' }, [
        h('p', { class: 'muted' }, 'For example'),
        h('ul', {}, examples),
        more,
      ]),
    ],
  );
  return {
    element,
    input,
    set: (filter) => {
      if (input.value !== filter) input.value = filter;
    },
    show: (matching, passingCount, totalCount) => {
      const isProblem = matching.kind === 'problem';
      input.setAttribute('aria-invalid', String(isProblem));
      element.classList.toggle('invalid', isProblem);
      progress.hidden = matching.kind !== 'searching';
      progress.value = matching.kind === 'searching' ? matching.share : 0;
      status.replaceChildren(...statusParts(matching, passingCount, totalCount));
    },
  };
}

function statusParts(matching: Matching, passingCount: number, totalCount: number): Node[] {
  switch (matching.kind) {
    case 'problem': {
      const place = `at character ${matching.offset + 1}: `;
      return [h('span', { class: 'problem' }, place, visibleText(matching.message))];
    }
    case 'searching':
      return [h('span', {}, `searching the records … ${Math.round(matching.share * 100)} %`)];
    case 'found': {
      const all = counted(totalCount, 'episode');
      const text = passingCount === totalCount ? all : `${countText(passingCount)} of ${all}`;
      return [h('span', {}, text)];
    }
  }
}
