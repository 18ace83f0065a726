import type { PagerView, View } from '../state/state.ts';
import type { DiffLine } from '../text/diff-lines.ts';
import type { Hint } from './chrome.ts';

interface Section {
  readonly kind: View['kind'];
  readonly title: string;
  readonly keys: readonly Hint[];
}

const SECTIONS: readonly Section[] = [
  {
    kind: 'list',
    title: 'the list',
    keys: [
      ['↑ ↓ j k', 'choose; page up, page down, home, end go further'],
      ['enter', 'open the episode, unfold the group'],
      ['/', 'type a filter; it is applied as you type, text: and sql: on enter'],
      ['esc', 'show everything again'],
      [
        'g',
        'fold the rollouts of a prompt: ● right ○ wrong × failed ◐ right without reward · no answer',
      ],
      ['→ ←', 'unfold and fold a group'],
      ['o O', 'sort by the next column, turn the order'],
      ['u', 'all rollouts of the prompt side by side'],
      ['!', 'files and lines that could not be read'],
      ['q', 'quit'],
    ],
  },
  {
    kind: 'episode',
    title: 'an episode',
    keys: [
      ['← → n p', 'the turn before and after; home is the prompt, end the verdict'],
      ['tab', 'the next pane; ↑ ↓ page up, page down scroll it'],
      ['z', 'the pane alone on the screen'],
      [', .', 'the call before and after, if a turn has several'],
      ['t', 'beside what the model saw: what was cut away, or the rows as a table'],
      ['[ ]', 'the episode before and after, of those that the filter shows'],
      ['u', 'all rollouts of the prompt side by side'],
      ['r', 'run the query again and compare it with the record, byte by byte'],
      ['c', 'play the whole episode again and compare everything'],
      ['e E', 'edit the query or the answer and run it; E in $EDITOR'],
      ['f', 'go on by hand from here, in place of the model'],
      ['s', 'the schema of the database'],
      ['q esc', 'back'],
    ],
  },
  {
    kind: 'edit',
    title: 'editing',
    keys: [
      ['ctrl-s', 'run; ctrl-enter and alt-enter too, where the terminal knows them'],
      ['ctrl-z ctrl-y', 'undo, redo'],
      ['ctrl-a ctrl-e', 'start and end of the line; ctrl-← ctrl-→ by words'],
      ['ctrl-u ctrl-k', 'delete to the start and to the end of the line; ctrl-w a word'],
      ['ctrl-o', 'go on in $EDITOR'],
      ['ctrl-t', 'the schema of the database; beside the result s, too'],
      ['esc', 'to the result, and from there back'],
    ],
  },
  {
    kind: 'fork',
    title: 'a fork',
    keys: [
      ['ctrl-s', 'send: the step is taken as if the model had'],
      ['tab', 'a query, the final answer, or a whole turn as the model writes it'],
      ['ctrl-t', 'the schema of the database; in the transcript s, too'],
      ['esc i', 'to the transcript, and back to typing'],
      ['w', 'save it as a new trajectory; it ends with that'],
      ['q', 'leave; asks if something would be lost'],
    ],
  },
  {
    kind: 'siblings',
    title: 'rollouts of a prompt',
    keys: [
      ['← → ↑ ↓', 'choose'],
      ['page up/down', 'scroll the answers'],
      ['enter', 'open the episode'],
      ['q u', 'back'],
    ],
  },
];

const EVERYWHERE: readonly Hint[] = [
  ['esc', 'cancel what is running'],
  ['?', 'this help'],
  ['ctrl-z', 'to the shell; fg comes back'],
  ['ctrl-c', 'quit at once'],
];

const KEY_WIDTH = 15;

/** All keys, those of the view first. */
export function groupHelp(view: View): Pick<PagerView, 'title' | 'note' | 'lines'> {
  const own = SECTIONS.filter((section) => section.kind === view.kind);
  const others = SECTIONS.filter((section) => section.kind !== view.kind);
  const lines = [
    ...own.flatMap(sectionLines),
    ...sectionLines({ kind: 'pager', title: 'everywhere', keys: EVERYWHERE }),
    ...others.flatMap(sectionLines),
    ...filterLines(),
  ];
  return { title: 'keys', note: 'q closes', lines };
}

function sectionLines({ title, keys }: Section): DiffLine[] {
  return [
    [{ text: title, style: 'title' }],
    ...keys.map(([key, does]): DiffLine => [
      { text: `  ${key.padEnd(KEY_WIDTH)} `, style: 'key' },
      { text: does, style: 'plain' },
    ]),
    [],
  ];
}

function filterLines(): DiffLine[] {
  const examples: readonly Hint[] = [
    ['reward:0', 'what earned nothing; reward:none was not graded'],
    ['verdict:mismatch', 'a verdict; verdict:answer_* is every answer that failed'],
    ['db:concert_*', 'a database; * stands for anything'],
    ['tool_calls>1', 'numbers: steps, tool_calls, truncated, failed, tokens, step_ms, duration_ms'],
    ['-flag:both_empty', 'a minus for those that are not so'],
    ['singer', 'words: in the question, the task or the episode'],
    ['text:JOIN', 'anywhere in the record; reads the files'],
  ];
  return [
    [{ text: 'filters', style: 'title' }],
    ...examples.map(([key, does]): DiffLine => [
      { text: `  ${key.padEnd(KEY_WIDTH + 2)} `, style: 'accent' },
      { text: does, style: 'plain' },
    ]),
  ];
}
