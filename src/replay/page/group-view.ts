import type { TrajectoryStep } from '../../../env/trajectory.ts';
import type { EpisodeGroup } from '../group-episodes.ts';
import type { PageEpisode } from '../page-data.ts';
import type { EpisodeSummary } from '../ports.ts';
import type { App, View } from './app.ts';
import { marks, verdictBadge, verdictMark } from './columns.ts';
import { h, type Child } from './dom.ts';
import { counted, msText, rewardText, spaced } from './format.ts';
import { rolloutDots } from './groups-view.ts';
import { encodable } from './route.ts';
import { sqlView } from './sql-view.ts';
import { visibleText } from './visible-text.ts';

/** Rollouts that are put side by side; a group of more is looked at in the list. */
const ROLLOUT_COUNT_MAX = 64;

/** The rollouts of a prompt side by side: who got it right, and with which answer. */
export function groupView(app: App): View {
  const group = app.groups.find(({ key }) => encodable(key) === app.route.id);
  const element = h('article', { class: 'group', tabindex: -1 });
  const columns: HTMLElement[] = [];
  let current = -1;
  const focusColumn = (move: number): void => {
    current = Math.max(0, Math.min(columns.length - 1, current + move));
    columns[current]?.focus();
    columns[current]?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  };
  if (group === undefined) {
    element.append(h('p', { class: 'empty' }, 'This page holds no such group.'));
  } else {
    const body = h('div', {}, h('p', { class: 'loading' }, 'Unpacking …'));
    element.append(headOf(app, group), body);
    const shown = group.episodes.slice(0, ROLLOUT_COUNT_MAX);
    void Promise.all(shown.map(({ index }) => app.file.read(index)))
      .then((episodes) => {
        columns.push(
          ...shown.map((summary, place) => rollout(app, summary, place, episodes[place])),
        );
        const table = h(
          'div',
          { class: 'side-by-side', tabindex: 0, role: 'region', 'aria-label': 'Rollouts' },
          columns,
        );
        body.replaceChildren(...goldPart(episodes), answerTable(episodes), table);
      })
      .catch((error: unknown) => app.fail(error));
  }
  return {
    element,
    title: group?.question ?? 'No such group',
    fillsWindow: false,
    focus: element,
    update: () => undefined,
    close: () => undefined,
    onKey: (key) => {
      const chosen = group?.episodes[current];
      const move = { j: 1, ArrowRight: 1, k: -1, ArrowLeft: -1 }[key];
      if (move !== undefined) focusColumn(move);
      else if (key === '[' || key === ']') goToNeighbour(app, group, key === ']' ? 1 : -1);
      else if (key === 'Enter' && chosen !== undefined) app.go(app.episodeRoute(chosen));
      else return false;
      return true;
    },
  };
}

function goToNeighbour(app: App, group: EpisodeGroup | undefined, move: number): void {
  const passing = new Set(app.matching);
  const groups = app.groups.filter(
    (one) => one === group || one.episodes.some((episode) => passing.has(episode)),
  );
  const target = group && groups[groups.indexOf(group) + move];
  if (target !== undefined) app.go({ view: 'group', id: target.key });
}

function headOf(app: App, group: EpisodeGroup): HTMLElement {
  return h('header', { class: 'episode-head' }, [
    h('nav', { class: 'trail', 'aria-label': 'Place in the list' }, [
      h('a', { href: app.hash({ view: 'groups' }) }, 'Groups'),
    ]),
    h('h2', {}, visibleText(group.question)),
    h('p', { class: 'verdict-line' }, [
      rolloutDots(group),
      h('span', {}, ['mean reward ', h('strong', {}, rewardText(group.rewardMean))]),
      h('span', { class: 'mark' }, spaced(group.spread)),
    ]),
    h('p', { class: 'facts' }, [
      visibleText([group.databaseId, group.taskId, group.difficulty].filter(Boolean).join(' · ')),
    ]),
    group.episodes.length > ROLLOUT_COUNT_MAX &&
      h('p', { class: 'muted' }, `The first ${ROLLOUT_COUNT_MAX} rollouts are shown.`),
  ]);
}

function goldPart(episodes: readonly PageEpisode[]): HTMLElement[] {
  const gold = episodes.find(({ goldSql }) => goldSql !== undefined)?.goldSql;
  if (gold === undefined) return [];
  return [h('section', {}, h('h3', {}, 'Gold'), sqlView(gold, 'Gold SQL'))];
}

/** The different answers, the most frequent first: eight rollouts often say only two or three things. */
function answerTable(episodes: readonly PageEpisode[]): HTMLElement {
  const answers = new Map<string, { verdict: string; places: number[] }>();
  for (const [place, { trajectory }] of episodes.entries()) {
    const sql = trajectory.grade?.answer_sql ?? '';
    const verdict = trajectory.grade?.verdict ?? '';
    const key = `${sql}\0${verdict}`;
    const known = answers.get(key) ?? { verdict, places: [] };
    known.places.push(place);
    answers.set(key, known);
  }
  const rows = [...answers]
    .toSorted(([, a], [, b]) => b.places.length - a.places.length)
    .map(([key, { verdict, places }]) => {
      const sql = key.slice(0, key.lastIndexOf('\0'));
      const badge = verdictMark(verdict, verdict === '' ? 'not graded' : spaced(verdict));
      return h('tr', {}, [
        h('th', { scope: 'row', class: 'number' }, `${places.length} ×`),
        h('td', {}, badge),
        h('td', {}, sql === '' ? h('span', { class: 'muted' }, 'no SQL') : sqlView(sql, 'Answer')),
        h('td', {}, places.map((place) => `#${place + 1}`).join(' ')),
      ]);
    });
  return h('section', {}, [
    h('h3', {}, counted(answers.size, 'different answer')),
    h('div', { class: 'wide' }, [
      h('table', { class: 'data answers' }, [
        h('caption', { class: 'unseen' }, 'Answers by how many rollouts gave them'),
        h('tbody', {}, rows),
      ]),
    ]),
  ]);
}

function rollout(
  app: App,
  summary: EpisodeSummary,
  place: number,
  episode: PageEpisode | undefined,
): HTMLElement {
  const heading = `rollout-${place}`;
  return h('section', { class: 'rollout-column', tabindex: -1, 'aria-labelledby': heading }, [
    h('header', {}, [
      h('h3', { id: heading }, h('a', { href: app.episodeHash(summary) }, `Rollout #${place + 1}`)),
      h('p', {}, verdictBadge(summary)),
      h('p', { class: 'facts' }, [
        `reward ${rewardText(summary.reward)} · ${counted(summary.stepCount, 'step')} · ${msText(summary.durationMs)}`,
      ]),
      h('p', {}, marks(summary)),
    ]),
    episode?.trajectory.steps.map((step) => stepPart(step)),
    answerPart(episode),
  ]);
}

function stepPart(step: TrajectoryStep): Child {
  return step.queries.map((query) =>
    h('div', { class: 'step-part' }, [
      h('p', { class: 'facts' }, [
        `Step ${step.step_index} `,
        h(
          'span',
          { class: `badge ${query.status === 'ok' ? 'good' : 'bad'}` },
          spaced(query.status),
        ),
        query.status === 'ok' && ` ${counted(query.row_count, 'row')}`,
        query.text_truncated && ' · cut',
      ]),
      query.sql === ''
        ? h('p', { class: 'muted' }, 'No query ran.')
        : sqlView(query.sql, `Query of step ${step.step_index}`),
    ]),
  );
}

function answerPart(episode: PageEpisode | undefined): Child {
  const sql = episode?.trajectory.grade?.answer_sql ?? '';
  return h('div', { class: 'step-part' }, [
    h('p', { class: 'facts' }, 'Answer'),
    sql === '' ? h('p', { class: 'muted' }, 'No SQL.') : sqlView(sql, 'Answer SQL'),
  ]);
}
