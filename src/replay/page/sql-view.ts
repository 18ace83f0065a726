import { h, type Child } from './dom.ts';
import { visibleText } from './visible-text.ts';

const KEYWORDS = new Set(
  (
    'abort all and as asc between by case cast collate cross delete desc distinct drop else end escape except exists ' +
    'filter from full glob group having in inner insert intersect into is isnull join left like limit match natural not ' +
    'notnull null offset on or order outer over partition pragma recursive regexp right select set table then union ' +
    'update using values when where window with attach create primary key references foreign unique default integer text real blob'
  ).split(' '),
);

/** Comments, texts, quoted names, numbers, words; anything else is one character. Every branch is linear. */
const TOKEN =
  /(?<comment>--[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?)|(?<text>'(?:[^']|'')*'?)|(?<name>"(?:[^"]|"")*"?|`[^`]*`?|\[[^\]\n]*\])|(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|(?<word>[A-Za-z_][\w$]*)/g;

/** SQL longer than this is shown plain: spans for each word would cost more than they help. */
const COLOURED_SIZE_MAX = 20_000;

/** SQL as a block, coloured for the eye alone: its text is the SQL, with hidden characters spelt out. */
export function sqlView(sql: string, label = 'SQL'): HTMLElement {
  const code = h('code', {}, sql.length > COLOURED_SIZE_MAX ? visibleText(sql) : coloured(sql));
  return h('pre', { class: 'sql', tabindex: 0, role: 'region', 'aria-label': label }, code);
}

function coloured(sql: string): Child[] {
  const parts: Child[] = [];
  let at = 0;
  for (const match of sql.matchAll(TOKEN)) {
    const kind = kindOf(match.groups ?? {});
    if (kind === undefined) continue;
    if (match.index > at) parts.push(visibleText(sql.slice(at, match.index)));
    parts.push(h('span', { class: `sql-${kind}` }, visibleText(match[0])));
    at = match.index + match[0].length;
  }
  parts.push(visibleText(sql.slice(at)));
  return parts;
}

function kindOf(groups: Readonly<Record<string, string | undefined>>): string | undefined {
  const word = groups['word'];
  if (word !== undefined) return KEYWORDS.has(word.toLowerCase()) ? 'keyword' : undefined;
  return Object.keys(groups).find((name) => groups[name] !== undefined);
}
