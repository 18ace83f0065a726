import type { Trajectory } from '../../../env/trajectory.ts';
import type { PageEpisode, PageTail } from '../page-data.ts';
import type { EpisodeSummary } from '../ports.ts';
import { answerView } from './answer-view.ts';
import type { App, View } from './app.ts';
import { marks, verdictBadge } from './columns.ts';
import { h, type Child } from './dom.ts';
import { counted, countText, msText, rewardText, spaced } from './format.ts';
import { encodable } from './route.ts';
import { sqlView } from './sql-view.ts';
import { turnView } from './turn-view.ts';
import { visibleText } from './visible-text.ts';

/** One episode from its prompt to its answer. */
export function episodeView(app: App): View {
  const summary = findEpisode(app);
  const element = h('article', { class: 'episode', tabindex: -1 });
  const view = {
    element,
    title: summary?.question ?? 'No such episode',
    fillsWindow: false,
    focus: element,
    close: () => undefined,
  };
  if (summary === undefined) {
    const text = `This page holds no episode with the id ${app.route.id}.`;
    element.append(h('p', { class: 'empty' }, ...[visibleText(text)].flat()));
    return { ...view, update: () => undefined, onKey: () => false };
  }
  const body = h('div', { class: 'episode-body' }, h('p', { class: 'loading' }, 'Unpacking …'));
  const head = h('div', {});
  element.append(head, body);
  const stops: HTMLElement[] = [];
  void Promise.all([app.file.read(summary.index), app.file.tail()])
    .then(([episode, tail]) => {
      body.replaceChildren(...bodyParts(app, summary, episode, tail));
      stops.push(...body.querySelectorAll<HTMLElement>('.turn, .answer'));
      if (app.route.step !== undefined) showStop(stops, app.route.step);
    })
    .catch((error: unknown) => app.fail(error));
  return {
    ...view,
    update: () => {
      head.replaceChildren(...headParts(app, summary));
      showStop(stops, app.route.step);
    },
    onKey: (key) => {
      const move = { j: 1, n: 1, k: -1, p: -1 }[key];
      if (move !== undefined) {
        const step = Math.max(0, Math.min(stops.length - 1, (app.route.step ?? -1) + move));
        if (stops.length > 0) app.go({ step }, 'replace');
        return true;
      }
      const neighbour = key === ']' ? 1 : key === '[' ? -1 : 0;
      if (neighbour === 0) return false;
      const target = neighbourOf(app, summary, neighbour);
      if (target !== undefined) app.go(app.episodeRoute(target));
      return true;
    },
  };
}

/** Marks a step, or the answer, where it stands and in the outline. */
function showStop(stops: readonly HTMLElement[], place: number | undefined): void {
  for (const [at, link] of document.querySelectorAll('.outline a').entries()) {
    if (at === place) link.setAttribute('aria-current', 'step');
    else link.removeAttribute('aria-current');
  }
  const stop = place === undefined ? undefined : stops[place];
  const here = document.querySelector('.current-stop');
  here?.classList.remove('current-stop');
  if (stop === undefined) return;
  stop.classList.add('current-stop');
  stop.focus({ preventScroll: true });
  stop.scrollIntoView({ block: 'start' });
}

function findEpisode({ file, route }: App): EpisodeSummary | undefined {
  if (route.at !== undefined) {
    const there = file.episodes[route.at];
    if (there !== undefined && encodable(there.episodeId) === route.id) return there;
  }
  return file.episodes.find(({ episodeId }) => encodable(episodeId) === route.id);
}

function neighbourOf(app: App, summary: EpisodeSummary, move: number): EpisodeSummary | undefined {
  return app.matching[app.matching.indexOf(summary) + move];
}

function headParts(app: App, summary: EpisodeSummary): HTMLElement[] {
  const place = app.matching.indexOf(summary);
  const group = app.groups.find(({ episodes }) => episodes.includes(summary));
  const link = (target: EpisodeSummary | undefined, text: string, title: string): Child =>
    target === undefined
      ? h('span', { class: 'muted' }, text)
      : h('a', { href: app.episodeHash(target), title }, text);
  return [
    h('nav', { class: 'trail', 'aria-label': 'Place in the list' }, [
      h('a', { href: app.hash({ view: 'list' }) }, 'Episodes'),
      group !== undefined &&
        group.episodes.length > 1 &&
        h('a', { href: app.hash({ view: 'group', id: group.key }) }, [
          `Group of ${counted(group.episodes.length, 'rollout')}`,
        ]),
      h('span', { class: 'trail-end' }, [
        link(neighbourOf(app, summary, -1), '← previous', 'Previous episode ([)'),
        place >= 0 && h('span', {}, `${countText(place + 1)} of ${countText(app.matching.length)}`),
        link(place < 0 ? undefined : neighbourOf(app, summary, 1), 'next →', 'Next episode (])'),
      ]),
    ]),
    h('header', { class: 'episode-head' }, [
      h('h2', {}, visibleText(summary.question)),
      h('p', { class: 'verdict-line' }, [
        verdictBadge(summary),
        h('span', {}, ['reward ', h('strong', {}, rewardText(summary.reward))]),
        h('span', {}, counted(summary.stepCount, 'step')),
        h('span', {}, msText(summary.durationMs)),
        marks(summary),
      ]),
      h('p', { class: 'facts' }, [
        h('span', {}, visibleText(summary.databaseId)),
        ' · ',
        h('span', {}, visibleText(summary.taskId)),
        ' · ',
        h('code', {}, visibleText(summary.episodeId)),
      ]),
      summary.parentId !== undefined && forkLine(app, summary.parentId),
    ]),
  ];
}

function forkLine(app: App, parentId: string): HTMLElement {
  const parent = app.file.episodes.find(({ episodeId }) => episodeId === parentId);
  const name = h('code', {}, visibleText(parentId));
  const place = parent === undefined ? name : h('a', { href: app.episodeHash(parent) }, name);
  return h('p', { class: 'facts' }, 'A fork, played on by hand, of ', place);
}

function bodyParts(
  app: App,
  summary: EpisodeSummary,
  episode: PageEpisode,
  tail: PageTail,
): HTMLElement[] {
  const { trajectory } = episode;
  const turns = trajectory.steps.map((step) => turnView(episode, step));
  return [
    h('nav', { class: 'outline', 'aria-label': 'Turns' }, outline(app, trajectory)),
    h('div', { class: 'episode-main' }, [
      h('div', { class: 'folded-set' }, foldedParts(trajectory, tail.schemas[summary.databaseId])),
      turns.length === 0 ? h('p', { class: 'muted' }, 'The episode has no turn.') : turns,
      answerView(episode, summary),
    ]),
  ];
}

function outline(app: App, { steps, grade }: Trajectory): HTMLElement {
  const entry = (step: number, title: string, below: string): HTMLElement =>
    h('li', {}, [
      h('a', { href: app.hash({ ...app.route, step }) }, [
        h('span', {}, title),
        h('span', { class: 'below' }, below),
      ]),
    ]);
  return h('ol', {}, [
    steps.map((step, place) => {
      const statuses = step.queries.map(({ status }) => spaced(status));
      return entry(place, `Step ${step.step_index}`, statuses.join(', ') || 'no call');
    }),
    entry(steps.length, 'Final answer', grade === null ? 'not graded' : spaced(grade.verdict)),
  ]);
}

function foldedParts(trajectory: Trajectory, schema: readonly string[] | undefined): Child[] {
  return [
    h('details', { class: 'folded' }, [
      h('summary', {}, `Prompt · ${counted(trajectory.messages.length, 'message')}`),
      trajectory.messages.map(({ role, content }) => [
        h('h3', {}, role),
        h('pre', { class: 'text', tabindex: 0 }, visibleText(content)),
      ]),
    ]),
    schema !== undefined &&
      h('details', { class: 'folded' }, [
        h('summary', {}, `Schema · ${counted(schema.length, 'table')}`),
        schema.map((text) => sqlView(text, 'Table')),
      ]),
    h('details', { class: 'folded' }, [
      h('summary', {}, 'Record · limits, engine, settings'),
      recordTable(trajectory),
    ]),
  ];
}

/** Everything of a record that is not a text of the conversation. */
function recordTable(trajectory: Trajectory): HTMLElement {
  const { messages, steps, question, gold_sql: gold, grade, ...facts } = trajectory;
  const rows = flatFacts('', {
    ...facts,
    ...(gold === undefined ? {} : { gold_sql: 'recorded' }),
    ...(grade === null ? {} : { gold_row_count: grade.gold_row_count }),
    message_count: messages.length,
    step_count: steps.length,
    question_size: question.length,
  });
  const table = h('table', { class: 'data facts-table' }, [
    h('caption', { class: 'unseen' }, 'Facts of the record'),
    h(
      'tbody',
      {},
      rows.map(([name, value]) =>
        h('tr', {}, h('th', { scope: 'row' }, visibleText(name)), h('td', {}, visibleText(value))),
      ),
    ),
  ]);
  return h('div', { class: 'scroll' }, table);
}

function flatFacts(prefix: string, facts: object): [string, string][] {
  return Object.entries(facts).flatMap(([name, value]: [string, unknown]) =>
    typeof value === 'object' && value !== null
      ? flatFacts(`${prefix}${name}.`, value)
      : [[`${prefix}${name}`, String(value)] as [string, string]],
  );
}
