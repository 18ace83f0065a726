import { groupEpisodes } from '../group-episodes.ts';
import type { EpisodeSummary } from '../ports.ts';
import { SORT_COLUMNS, sortEpisodes } from '../sort-episodes.ts';
import type { App, View } from './app.ts';
import { h } from './dom.ts';
import { episodeView } from './episode-view.ts';
import { filterBar } from './filter-bar.ts';
import { groupView } from './group-view.ts';
import { groupsView } from './groups-view.ts';
import { helpDialog } from './help-dialog.ts';
import { listenToKeys } from './keys.ts';
import { listView } from './list-view.ts';
import { matcherOf, type Matching } from './matching.ts';
import { overviewView } from './overview-view.ts';
import type { PageFile } from './page-file.ts';
import { encodable, hashOf, parseRoute, type Route, type ViewName } from './route.ts';
import { themeSwitch } from './theme.ts';
import { plainText } from './visible-text.ts';

const VIEWS: Readonly<Record<ViewName, (app: App) => View>> = {
  overview: overviewView,
  list: listView,
  groups: groupsView,
  group: groupView,
  episode: episodeView,
};

const TABS = [
  { view: 'overview', title: 'Overview', of: ['overview'] },
  { view: 'list', title: 'Episodes', of: ['list', 'episode'] },
  { view: 'groups', title: 'Groups', of: ['groups', 'group'] },
] as const satisfies readonly { view: ViewName; title: string; of: readonly ViewName[] }[];

/** Builds the page around its views and shows the one of the address. */
export function startShell(place: HTMLElement, file: PageFile): void {
  new Shell(place, file).start();
}

class Shell implements App {
  readonly file: PageFile;
  readonly groups: App['groups'];
  route: Route = parseRoute(location.hash);
  matching: readonly EpisodeSummary[] = [];
  /** What passes the filter, in the order of the records. */
  #passing: readonly EpisodeSummary[] = [];
  #view: View | undefined;
  /** Where Escape goes from an episode or a group. */
  #parent: Partial<Route> = { view: 'list' };
  readonly #firstOfId = new Map<string, number>();
  readonly #main = h('main', { id: 'main' });
  readonly #nav = h('nav', { class: 'tabs', 'aria-label': 'Views' });
  readonly #problem = h('p', { class: 'failure', role: 'alert', hidden: true });
  readonly #help = helpDialog();
  readonly #theme = themeSwitch();
  readonly #filter = filterBar(
    (filter) => this.go({ filter }, 'replace'),
    () => this.#help.showModal(),
  );
  readonly #matcher;
  readonly #place: HTMLElement;

  constructor(place: HTMLElement, file: PageFile) {
    this.file = file;
    this.#place = place;
    this.groups = groupEpisodes(file.episodes);
    this.#matcher = matcherOf(file, (error) => this.fail(error));
    for (const { episodeId, index } of file.episodes) {
      const id = encodable(episodeId);
      if (!this.#firstOfId.has(id)) this.#firstOfId.set(id, index);
    }
  }

  start(): void {
    const skip = h('button', { type: 'button', class: 'skip', onclick: () => this.#focusView() });
    skip.textContent = 'Skip to the content';
    const help = h(
      'button',
      { type: 'button', class: 'quiet', title: 'Keys and filters (?)' },
      'Help',
    );
    help.addEventListener('click', () => this.#help.showModal());
    const title = h('h1', {}, h('span', { 'aria-hidden': 'true', class: 'logo' }), 'sqlenv replay');
    const tools = h('div', { class: 'tools' }, this.#theme.element, help);
    const header = h('header', { class: 'top' }, title, this.#nav, this.#filter.element, tools);
    this.#place.replaceChildren(skip, header, this.#problem, this.#main, this.#help);
    this.#listen();
    this.#filter.set(this.route.filter);
    // What is shown under an address whose filter can't be read: there is no good list before it.
    this.#passing = this.file.episodes;
    this.#sort();
    this.#applyFilter();
    this.#showView();
  }

  go(route: Partial<Route>, how: 'push' | 'replace' = 'push'): void {
    const isElsewhere = route.view !== undefined;
    const next = { ...this.route, ...(isElsewhere ? ELSEWHERE : {}), ...route };
    const hash = hashOf(next);
    // Not by `location.hash`: it tells of the change later, and a key that comes at once would go to the old view.
    if (how === 'replace') history.replaceState(null, '', hash);
    else if (hash !== location.hash) history.pushState(null, '', hash);
    this.#filter.set(next.filter);
    this.#arrive(next);
  }

  hash(route: Partial<Route>): string {
    return hashOf({ ...this.route, ...ELSEWHERE, ...route });
  }

  episodeRoute({ episodeId, index }: EpisodeSummary): Partial<Route> {
    const isFirst = this.#firstOfId.get(encodable(episodeId)) === index;
    return { view: 'episode', id: episodeId, at: isFirst ? undefined : index };
  }

  episodeHash(episode: EpisodeSummary): string {
    return this.hash(this.episodeRoute(episode));
  }

  fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    this.#problem.textContent = plainText(message);
    this.#problem.hidden = false;
  }

  #listen(): void {
    window.addEventListener('hashchange', () => {
      const next = parseRoute(location.hash);
      this.#filter.set(next.filter);
      this.#arrive(next);
    });
    listenToKeys({
      view: (key) => this.#view?.onKey(key) ?? false,
      filter: () => this.#filter.input.select(),
      leaveFilter: () => this.#focusView(),
      back: () => this.#back(),
      groups: () => this.#goToGroups(),
      list: () => this.go({ view: 'list' }),
      overview: () => this.go({ view: 'overview' }),
      theme: () => this.#theme.next(),
      help: () => this.#help.showModal(),
    });
  }

  #arrive(next: Route): void {
    const last = this.route;
    this.route = next;
    if (next.filter !== last.filter) this.#applyFilter();
    else if (next.sort !== last.sort) this.#sort();
    const isElsewhere = next.view !== last.view || next.id !== last.id || next.at !== last.at;
    if (isElsewhere) {
      if (last.view === 'list' || last.view === 'groups' || last.view === 'group') {
        if (next.view === 'episode') this.#parent = { view: last.view, id: last.id };
      }
      this.#showView();
    } else {
      this.#showTabs();
      // A new filter has updated the view already, as soon as it was applied.
      if (next.filter === last.filter) this.#view?.update();
    }
  }

  #applyFilter(): void {
    this.#matcher.apply(this.route.filter, (matching) => this.#onMatching(matching));
  }

  #onMatching(matching: Matching): void {
    if (matching.kind === 'found') {
      const { episodes } = this.file;
      this.#passing = matching.indices.flatMap((index) => episodes[index] ?? []);
      this.#sort();
      this.#view?.update();
    }
    this.#filter.show(matching, this.#passing.length, this.file.episodes.length);
  }

  #sort(): void {
    const { sort } = this.route;
    const descending = sort.startsWith('-');
    const column = SORT_COLUMNS.find((name) => name === (descending ? sort.slice(1) : sort));
    this.matching =
      column === undefined ? this.#passing : sortEpisodes(this.#passing, column, descending);
  }

  #showView(): void {
    this.#view?.close();
    this.#problem.hidden = true;
    const view = VIEWS[this.route.view](this);
    this.#view = view;
    document.body.classList.toggle('fills-window', view.fillsWindow);
    document.title = `${plainText(view.title)} · sqlenv replay`;
    this.#main.replaceChildren(view.element);
    this.#showTabs();
    window.scrollTo(0, 0);
    view.update();
    if (document.activeElement !== this.#filter.input) this.#focusView();
  }

  #focusView(): void {
    this.#view?.focus.focus({ preventScroll: true });
  }

  #showTabs(): void {
    this.#nav.replaceChildren(
      ...TABS.map(({ view, title, of }) => {
        const isHere = (of as readonly ViewName[]).includes(this.route.view);
        const current = isHere ? (this.route.view === view ? 'page' : 'true') : undefined;
        return h('a', { href: this.hash({ view }), 'aria-current': current }, title);
      }),
    );
  }

  #back(): void {
    const { view } = this.route;
    if (view === 'episode') this.go(this.#parent);
    else if (view === 'group') this.go({ view: 'groups' });
    else this.#focusView();
  }

  #goToGroups(): void {
    const { view, id, at } = this.route;
    if (view === 'groups') return this.go({ view: 'list' });
    if (view === 'episode') {
      const index = at ?? this.#firstOfId.get(id);
      const group = this.groups.find(({ episodes }) => episodes.some((one) => one.index === index));
      if (group !== undefined) return this.go({ view: 'group', id: group.key });
    }
    this.go({ view: 'groups' });
  }
}

/** What is of one place alone, and is not taken along to another. */
const ELSEWHERE = { id: '', at: undefined, step: undefined } as const;
