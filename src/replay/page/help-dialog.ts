import { FILTER_KEYS } from '../filter.ts';
import { h } from './dom.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['j k ↓ ↑', 'next and previous row; in an episode (j k) the next and previous step'],
  ['Enter', 'open'],
  ['Esc', 'back up: to the list, out of the filter'],
  ['/', 'filter'],
  ['[ ]', 'previous and next episode, or group'],
  ['g', 'groups; in an episode its group'],
  ['l', 'list of episodes'],
  ['o', 'overview'],
  ['→ ← Space', 'unfold and fold a group'],
  ['Home End PgUp PgDn', 'in a list: first, last, a page up, a page down'],
  ['t', 'theme: as the system, light, dark'],
  ['?', 'this help'],
];

const RULES: readonly (readonly [string, string])[] = [
  ['db:concert_singer', 'a text, any case; * stands for anything'],
  ['verdict:mismatch,answer_sql_error', 'any of several'],
  ['steps>=3', 'numbers: : = > >= < <='],
  ['difficulty:none', 'what has no value'],
  ['-flag:both_empty', 'not'],
  ['"how many"', 'words in the question, the task id or the episode id'],
  ['text:JOIN', 'in the record, but for the system prompt, which takes a moment'],
  ['sql:JOIN', 'in its queries or its answer'],
];

/** The keys of the page and the language of the filter. */
export function helpDialog(): HTMLDialogElement {
  const dialog = h('dialog', { class: 'help', 'aria-labelledby': 'help-heading' }, [
    h('header', {}, [
      h('h2', { id: 'help-heading' }, 'Keys and filters'),
      h('button', { type: 'button', class: 'quiet', onclick: () => dialog.close() }, 'Close'),
    ]),
    h('div', { class: 'help-parts' }, [
      h('section', {}, h('h3', {}, 'Keys'), pairs(KEYS, 'kbd')),
      h('section', {}, [
        h('h3', {}, 'Filter'),
        h('p', {}, 'Terms, one after the other; an episode passes if all hold.'),
        pairs(RULES, 'code'),
        h(
          'p',
          {},
          'Keys: ',
          FILTER_KEYS.map((key) => [h('code', {}, key), ' ']),
        ),
      ]),
    ]),
  ]);
  return dialog;
}

function pairs(rows: readonly (readonly [string, string])[], tag: 'kbd' | 'code'): HTMLElement {
  return h(
    'dl',
    { class: 'pairs' },
    rows.map(([name, meaning]) => {
      const names =
        tag === 'kbd' ? name.split(' ').map((key) => h('kbd', {}, key)) : h('code', {}, name);
      return h('div', {}, h('dt', {}, names), h('dd', {}, meaning));
    }),
  );
}
