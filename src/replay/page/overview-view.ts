import { countedEpisodes } from '../counted-episodes.ts';
import { formatFilter, parseFilter, type FilterTerm } from '../filter.ts';
import type { PageTail } from '../page-data.ts';
import type { EpisodeSummary } from '../ports.ts';
import {
  statisticsOf,
  type EpisodeStatistics,
  type Quantiles,
  type ShareFigures,
} from '../statistics.ts';
import type { App, View } from './app.ts';
import { barTable, chart, columnChart, figuresTable, lineChart, type Bar } from './charts.ts';
import { h, type Child } from './dom.ts';
import { counted, countText, msText, rewardText, shareText, spaced, toneOf } from './format.ts';
import { emptyText } from './list-view.ts';
import { plainText, visibleText } from './visible-text.ts';

/** The figures over all episodes that pass the filter. */
export function overviewView(app: App): View {
  const charts = h('div', { class: 'overview-body' });
  const notes = h('div', { class: 'overview-notes' });
  const element = h('div', { class: 'overview', tabindex: -1 }, [
    h('h2', { class: 'unseen' }, 'Overview'),
    charts,
    notes,
  ]);
  app.file
    .tail()
    .then((tail) => notes.replaceChildren(...notesOf(app, tail)))
    .catch((error: unknown) => app.fail(error));
  return {
    element,
    title: 'Overview',
    fillsWindow: false,
    focus: element,
    update: () => {
      const { matching } = app;
      charts.replaceChildren(
        ...(matching.length === 0
          ? [h('p', { class: 'empty' }, emptyText(app))]
          : partsOf(app, statisticsOf(matching))),
      );
    },
    onKey: (key) => {
      if (key !== 'Enter') return false;
      app.go({ view: 'list' });
      return true;
    },
    close: () => undefined,
  };
}

function partsOf(app: App, figures: EpisodeStatistics): HTMLElement[] {
  return [
    h('dl', { class: 'tiles' }, tiles(figures)),
    h('div', { class: 'charts' }, [
      verdictChart(app, figures),
      rewardChart(countedEpisodes(app.matching)),
      shareChart(app, 'Reward by hardness', 'difficulty', figures.byDifficulty),
      stepChart(app, figures),
      shareChart(app, 'Reward by database', 'db', figures.byDatabase),
      truncationChart(app, figures),
      latencyChart(figures),
    ]),
  ];
}

function tiles(figures: EpisodeStatistics): Child {
  const { episodeCount, gradedCount, rewardMean, truncatedShare, failedQueryCount } = figures;
  const tile = (name: string, value: string, note = ''): HTMLElement =>
    h(
      'div',
      { class: 'tile' },
      h('dt', {}, name),
      h('dd', {}, value),
      h('dd', { class: 'muted' }, note),
    );
  const matchCount = figures.verdicts.find(({ name }) => name === 'match')?.count ?? 0;
  return [
    tile('Episodes', countText(episodeCount), `${countText(gradedCount)} graded`),
    tile('Mean reward', rewardText(rewardMean), `${counted(matchCount, 'match', 'matches')}`),
    tile(
      'Observations cut',
      truncatedShare === undefined ? '–' : shareText(truncatedShare),
      `${countText(figures.truncatedMessageCount)} of ${countText(figures.toolMessageCount)}`,
    ),
    tile('Failed queries', countText(failedQueryCount)),
    tile('Longest step', msOf(figures.stepMs, 'p50'), 'median over episodes'),
  ];
}

function msOf(quantiles: Quantiles | undefined, key: keyof Quantiles): string {
  return quantiles === undefined ? '–' : msText(quantiles[key]);
}

/** The list, filtered by one more term beside those that are there. */
function listHash(app: App, term: FilterTerm): string {
  const parsed = parseFilter(app.route.filter);
  const filter = parsed.kind === 'filter' ? parsed.filter : { terms: [], textTerms: [] };
  return app.hash({
    view: 'list',
    filter: formatFilter({ ...filter, terms: [...filter.terms, term] }),
  });
}

function textTerm(key: 'verdict' | 'db' | 'difficulty', text: string): FilterTerm {
  return { kind: 'texts', key, texts: [{ text, wildcard: false }], negated: false };
}

function verdictChart(app: App, { verdicts, episodeCount }: EpisodeStatistics): HTMLElement {
  const bars = verdicts.map(({ name, count }): Bar => ({
    name: name === '' ? 'not graded' : spaced(name),
    share: count / episodeCount,
    text: countText(count),
    note: shareText(count / episodeCount),
    tone: toneOf(name),
    href: listHash(app, textTerm('verdict', name)),
  }));
  return chart('Verdicts', 'What was said of the final answers', [
    barTable('Episodes by verdict', ['Verdict', 'Episodes', 'Share'], bars),
  ]);
}

function shareChart(
  app: App,
  title: string,
  key: 'db' | 'difficulty',
  shares: readonly ShareFigures[],
): HTMLElement {
  const bars = shares.map(({ name, rewardMean, episodeCount }): Bar => ({
    name: name === '' ? 'none' : plainText(name),
    share: rewardMean ?? 0,
    text: rewardText(rewardMean),
    note: countText(episodeCount),
    tone: 'plain',
    href: listHash(app, textTerm(key, name)),
  }));
  return chart(title, 'Mean over graded episodes, and how many there are', [
    barTable(title, ['Name', 'Mean reward', 'Episodes'], bars),
  ]);
}

function stepChart(app: App, { stepCounts }: EpisodeStatistics): HTMLElement {
  const shown = stepCounts.map(({ stepCount, episodeCount }) => ({
    label: String(stepCount),
    count: episodeCount,
    href: listHash(app, {
      kind: 'numbers',
      key: 'steps',
      operator: '=',
      numbers: [stepCount],
      negated: false,
    }),
  }));
  const rows = shown.map(({ label, count }) => [label, countText(count)]);
  return chart(
    'Steps',
    'Episodes by their number of steps',
    columnChart('Episodes by their number of steps', shown),
    figuresTable(['Steps', 'Episodes'], rows),
  );
}

const POINT_COUNT_MAX = 40;

/** Mean reward over time: graded episodes in the order of their start, in slices of the same size. */
function rewardChart(episodes: readonly EpisodeSummary[]): HTMLElement {
  const graded = episodes
    .filter(({ reward }) => reward !== undefined)
    .toSorted((a, b) => a.startedMs - b.startedMs || a.index - b.index);
  const count = Math.min(POINT_COUNT_MAX, Math.floor(graded.length / 4));
  const note = 'In the order of their start, in slices of the same size';
  if (count < 2)
    return chart('Reward over time', note, h('p', { class: 'muted' }, 'Too few episodes.'));
  const points = Array.from({ length: count }, (_, place) => {
    const from = Math.floor((place * graded.length) / count);
    const to = Math.floor(((place + 1) * graded.length) / count);
    const sum = graded.slice(from, to).reduce((total, { reward = 0 }) => total + reward, 0);
    return { value: sum / (to - from), label: `${countText(from + 1)} to ${countText(to)}` };
  });
  const rows = points.map(({ label, value }) => [label, value.toFixed(3)]);
  return chart(
    'Reward over time',
    note,
    lineChart('Mean reward over time', points),
    figuresTable(['Episodes', 'Mean reward'], rows),
  );
}

function truncationChart(app: App, figures: EpisodeStatistics): HTMLElement {
  const { ends, episodeCount } = figures;
  const bars = ends.map(({ name, count }): Bar => ({
    name: spaced(name),
    share: count / episodeCount,
    text: countText(count),
    note: shareText(count / episodeCount),
    tone: 'none',
    href: listHash(app, {
      kind: 'texts',
      key: 'end',
      texts: [{ text: name, wildcard: false }],
      negated: false,
    }),
  }));
  const cut = `${countText(figures.truncatedMessageCount)} of ${counted(figures.toolMessageCount, 'observation')} were cut`;
  return chart('Ends and truncation', `What ended the episodes; ${cut}`, [
    barTable('Episodes by their end', ['End', 'Episodes', 'Share'], bars),
  ]);
}

function latencyChart({ stepMs, durationMs }: EpisodeStatistics): HTMLElement {
  const heads = ['', 'median', '90 %', '99 %', 'longest'];
  const row = (name: string, quantiles: Quantiles | undefined): HTMLElement =>
    h('tr', {}, [
      h('th', { scope: 'row' }, name),
      (['p50', 'p90', 'p99', 'max'] as const).map((key) =>
        h('td', { class: 'number' }, msOf(quantiles, key)),
      ),
    ]);
  return chart('Latency', 'Of each episode’s longest step in the server, and of whole episodes', [
    h('div', { class: 'scroll' }, [
      h('table', { class: 'data' }, [
        h('caption', { class: 'unseen' }, 'Latency'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            heads.map((head) => h('th', { scope: 'col', class: 'number' }, head)),
          ),
        ),
        h('tbody', {}, row('Longest step', stepMs), row('Episode', durationMs)),
      ]),
    ]),
  ]);
}

function notesOf(app: App, tail: PageTail): HTMLElement[] {
  const { head } = app.file;
  const { mismatchCount, comparisonCount, sqliteVersion, warnings } = tail;
  const replayed =
    sqliteVersion === ''
      ? 'It was written without the databases, so no answer is compared row by row.'
      : `${countText(comparisonCount)} of ${counted(mismatchCount, 'wrong answer')} are compared row by row, played again on SQLite ${sqliteVersion}.`;
  const problems = head.problems.map(({ location, message }) =>
    h('li', {}, h('code', {}, visibleText(location)), ' ', visibleText(message)),
  );
  return [
    h('p', { class: 'muted' }, `Written by sqlenv ${head.sqlenvVersion}. ${replayed}`),
    ...warnings.map((warning) => h('p', { class: 'note' }, visibleText(warning))),
    ...(head.problemCount === 0
      ? []
      : [
          h('details', { class: 'folded', open: true }, [
            h('summary', {}, `${counted(head.problemCount, 'line')} could not be read`),
            h('ul', {}, problems),
          ]),
        ]),
  ];
}
