import type { EpisodeGroup } from '../group-episodes.ts';
import type { EpisodeSummary } from '../ports.ts';
import type { App, View } from './app.ts';
import { marks, verdictBadge } from './columns.ts';
import { h } from './dom.ts';
import { counted, msText, rewardText, spaced, toneOf } from './format.ts';
import { emptyText } from './list-view.ts';
import { sortHeader } from './sort-header.ts';
import { virtualRows } from './virtual-rows.ts';
import { visibleText } from './visible-text.ts';

/** A row of the view: a group, or one of its rollouts where it is unfolded. */
type Entry =
  | { readonly kind: 'group'; readonly group: EpisodeGroup }
  | { readonly kind: 'episode'; readonly episode: EpisodeSummary };

const COLUMNS = [
  { key: 'right', title: 'Right', numeric: true },
  { key: 'question', title: 'Question', numeric: false },
  { key: 'db', title: 'Database', numeric: false },
  { key: 'difficulty', title: 'Hardness', numeric: false },
  { key: 'reward', title: 'Reward', numeric: true },
] as const;

/** Keys of the groups that are unfolded, and where one was, kept while the page is open. */
const unfolded = new Set<string>();
let lastSelected: string | undefined;

/** The prompts, each with its rollouts folded. */
export function groupsView(app: App): View {
  let entries: readonly Entry[] = [];
  const header = h('div', { class: 'row head group-row', role: 'row', 'aria-rowindex': 1 });
  const rows = virtualRows({
    label: 'Groups',
    header,
    columnCount: COLUMNS.length,
    render: (place) => entryRow(app, entries[place], toggle),
    open: (place) => {
      const entry = entries[place];
      if (entry?.kind === 'group') app.go({ view: 'group', id: entry.group.key });
      if (entry?.kind === 'episode') app.go(app.episodeRoute(entry.episode));
    },
    onSelect: (place) => {
      const entry = entries[place];
      if (entry?.kind === 'group') lastSelected = entry.group.key;
    },
  });
  const refold = (place: number): void => {
    entries = entriesOf(app);
    rows.show(entries.length, place);
  };
  const toggle = (group: EpisodeGroup, wanted = !unfolded.has(group.key)): void => {
    if (wanted) unfolded.add(group.key);
    else unfolded.delete(group.key);
    refold(placeOf(entriesOf(app), group.key));
  };
  const empty = h('p', { class: 'empty' });
  return {
    element: h('div', { class: 'list-view' }, [
      h('h2', { class: 'unseen' }, 'Groups'),
      rows.element,
      empty,
    ]),
    title: 'Groups',
    fillsWindow: true,
    update: () => {
      header.replaceChildren(...COLUMNS.map((column) => sortHeader(app, column)));
      refold(placeOf(entriesOf(app), lastSelected));
      empty.hidden = entries.length > 0;
      empty.textContent =
        app.matching.length > 0 ? 'Forks are in no group; the list has them.' : emptyText(app);
    },
    onKey: (key) => {
      const entry = entries[rows.selected];
      if (entry?.kind === 'group' && FOLD_KEYS.has(key)) {
        toggle(entry.group, FOLD_KEYS.get(key));
        return true;
      }
      return rows.onKey(key);
    },
    focus: rows.element,
    close: () => rows.close(),
  };
}

const FOLD_KEYS: ReadonlyMap<string, boolean | undefined> = new Map([
  ['ArrowRight', true],
  ['ArrowLeft', false],
  [' ', undefined],
]);

function placeOf(entries: readonly Entry[], key: string | undefined): number {
  return entries.findIndex((entry) => entry.kind === 'group' && entry.group.key === key);
}

/** Groups with a rollout that passes the filter; all their rollouts, or one could not see who got it right. */
function entriesOf(app: App): Entry[] {
  const passing = new Set(app.matching);
  const groups = app.groups.filter(({ episodes }) =>
    episodes.some((episode) => passing.has(episode)),
  );
  return sorted(groups, app.route.sort).flatMap((group) => [
    { kind: 'group' as const, group },
    ...(unfolded.has(group.key) ? group.episodes : []).map((episode) => ({
      kind: 'episode' as const,
      episode,
    })),
  ]);
}

const NAMES = new Intl.Collator('en', { numeric: true });

function sorted(groups: EpisodeGroup[], sort: string): EpisodeGroup[] {
  const descending = sort.startsWith('-');
  const read = readerOf(descending ? sort.slice(1) : sort);
  if (read === undefined) return groups;
  return groups.toSorted((a, b) => {
    const [left, right] = descending ? [read(b), read(a)] : [read(a), read(b)];
    return typeof left === 'number' && typeof right === 'number'
      ? left - right
      : NAMES.compare(String(left), String(right));
  });
}

function readerOf(key: string): ((group: EpisodeGroup) => number | string) | undefined {
  switch (key) {
    case 'right':
      return ({ episodes }) => rightCount(episodes);
    case 'reward':
      return ({ rewardMean }) => rewardMean ?? -1;
    case 'question':
      return ({ question }) => question;
    case 'db':
      return ({ databaseId }) => databaseId;
    case 'difficulty':
      return ({ difficulty }) => difficulty;
    default:
      return undefined;
  }
}

function entryRow(
  app: App,
  entry: Entry | undefined,
  toggle: (group: EpisodeGroup) => void,
): HTMLElement {
  if (entry === undefined) return h('div', { class: 'row', role: 'row' });
  if (entry.kind === 'episode') return rolloutRow(app, entry.episode);
  const { group } = entry;
  const isUnfolded = unfolded.has(group.key);
  const fold = h(
    'button',
    {
      type: 'button',
      class: 'fold',
      tabindex: -1,
      'aria-label': isUnfolded ? 'Fold the rollouts' : 'Unfold the rollouts',
      onclick: () => toggle(group),
    },
    isUnfolded ? '▾' : '▸',
  );
  const link = h(
    'a',
    { href: app.hash({ view: 'group', id: group.key }), tabindex: -1 },
    visibleText(group.question),
  );
  return h('div', { class: 'row group-row', role: 'row', 'aria-expanded': String(isUnfolded) }, [
    h('div', { class: 'cell column-right', role: 'gridcell' }, fold, rolloutDots(group)),
    h('div', { class: 'cell column-question', role: 'gridcell' }, [
      link,
      h('span', { class: 'below' }, [
        h('span', { class: 'narrow-only' }, visibleText(group.databaseId), ' · '),
        visibleText(group.taskId),
        h('span', { class: 'mark' }, spaced(group.spread)),
      ]),
    ]),
    h('div', { class: 'cell column-db', role: 'gridcell' }, visibleText(group.databaseId)),
    h('div', { class: 'cell column-difficulty', role: 'gridcell' }, visibleText(group.difficulty)),
    h('div', { class: 'cell column-reward', role: 'gridcell' }, rewardText(group.rewardMean)),
  ]);
}

/** A rollout under its prompt: what they share is left out. */
function rolloutRow(app: App, episode: EpisodeSummary): HTMLElement {
  const { episodeId, stepCount, toolCallCount, durationMs, reward } = episode;
  const counts = `${counted(stepCount, 'step')}, ${counted(toolCallCount, 'call')}`;
  const link = h('a', { href: app.episodeHash(episode), tabindex: -1 }, visibleText(episodeId));
  return h('div', { class: 'row group-row rollout', role: 'row' }, [
    h('div', { class: 'cell column-right', role: 'gridcell' }, verdictBadge(episode)),
    h('div', { class: 'cell column-question', role: 'gridcell' }, [
      link,
      h('span', { class: 'below' }, h('span', { class: 'narrow-only' }, counts), marks(episode)),
    ]),
    h('div', { class: 'cell column-db', role: 'gridcell' }, counts),
    h('div', { class: 'cell column-difficulty', role: 'gridcell' }, msText(durationMs)),
    h('div', { class: 'cell column-reward', role: 'gridcell' }, rewardText(reward)),
  ]);
}

const DOT_COUNT_MAX = 16;

/** `●●●○○○○○ 3/8`: who got it right. */
export function rolloutDots({ episodes }: EpisodeGroup): HTMLElement {
  const right = rightCount(episodes);
  const dots = episodes
    .slice(0, DOT_COUNT_MAX)
    .map(({ verdict }) => h('i', { class: `dot ${toneOf(verdict)}` }));
  return h('span', { class: 'rollouts' }, [
    h(
      'span',
      { class: 'dots', role: 'img', 'aria-label': `${right} of ${episodes.length} right` },
      dots,
      episodes.length > DOT_COUNT_MAX && '…',
    ),
    h('span', { class: 'ratio', 'aria-hidden': 'true' }, `${right}/${episodes.length}`),
  ]);
}

function rightCount(episodes: readonly EpisodeSummary[]): number {
  return episodes.filter(({ reward }) => reward !== undefined && reward > 0).length;
}
