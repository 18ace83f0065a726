import type { AnswerComparison, EpisodeSummary, ResultShown } from '../ports.ts';
import type { PageEpisode } from '../page-data.ts';
import { verdictBadge } from './columns.ts';
import { diffTable } from './diff-table.ts';
import { h, type Child } from './dom.ts';
import { counted, rewardText, spaced } from './format.ts';
import { sqlView } from './sql-view.ts';
import { visibleText } from './visible-text.ts';

/** The final answer: gold and answer side by side, what decided, and why. */
export function answerView(episode: PageEpisode, summary: EpisodeSummary): HTMLElement {
  const { comparison } = episode;
  return h(
    'section',
    { class: 'answer', id: 'answer', tabindex: -1, 'aria-labelledby': 'answer-heading' },
    h(
      'header',
      {},
      h('h3', { id: 'answer-heading' }, 'Final answer'),
      verdictBadge(summary),
      summary.reward !== undefined &&
        h('span', { class: 'facts' }, `reward ${rewardText(summary.reward)}`),
    ),
    explanation(episode),
    sides(episode),
    comparison && diffTable(comparison, episode.comparisonRowCount ?? 0),
    episode.comparisonNote !== undefined &&
      h('p', { class: 'note' }, visibleText(episode.comparisonNote)),
    comparison && verdictTable(comparison),
  );
}

function explanation({ trajectory, comparison }: PageEpisode): Child {
  const { grade, end, truncation_reason: limit } = trajectory;
  if (comparison !== undefined) {
    return h('p', { class: 'explanation' }, visibleText(comparison.explanation));
  }
  if (grade === null) {
    const how = end === 'truncated' ? `the ${spaced(limit)} ended the episode` : `it was ${end}`;
    return h('p', { class: 'explanation' }, `No answer was graded: ${how}.`);
  }
  const error = grade.error_text === '' ? '' : `: ${grade.error_text}`;
  return h(
    'p',
    { class: 'explanation' },
    `By ${grade.comparison_mode} the verdict is ‘${spaced(grade.verdict)}’`,
    visibleText(error),
    grade.flags.length > 0 && `, flagged as ${grade.flags.map(spaced).join(', ')}`,
    '.',
  );
}

function sides({ trajectory, goldSql, comparison }: PageEpisode): HTMLElement {
  const answerSql = trajectory.grade?.answer_sql ?? '';
  const gold = goldSql ?? comparison?.gold.sql;
  return h('div', { class: 'sides' }, [
    h('div', {}, [
      h('h4', {}, 'Gold'),
      gold === undefined
        ? h('p', { class: 'muted' }, [
            'The record does not hold the gold (the server records it with ',
            h('code', {}, '--record-gold'),
            '), and the page was written without its task set.',
          ])
        : sqlView(gold, 'Gold SQL'),
      comparison && resultLine(comparison.gold),
    ]),
    h('div', {}, [
      h('h4', {}, 'Answer'),
      answerSql === ''
        ? h('p', { class: 'muted' }, 'No SQL was found in what the model said.')
        : sqlView(answerSql, 'Answer SQL'),
      comparison?.answer && resultLine(comparison.answer),
    ]),
  ]);
}

function resultLine({ status, errorText, rowCount, capped, columns }: ResultShown): HTMLElement {
  if (status !== 'ok') {
    return h('p', { class: 'facts' }, [
      h('span', { class: 'badge bad' }, spaced(status)),
      ' ',
      visibleText(errorText),
    ]);
  }
  const text = `${counted(rowCount, 'row')}, ${counted(columns.length, 'column')}`;
  return h('p', { class: 'facts' }, `${text}${capped ? ', capped' : ''}`);
}

function verdictTable({ verdicts }: AnswerComparison): HTMLElement {
  const table = h('table', { class: 'data modes' }, [
    h('caption', {}, 'What each comparison mode says'),
    h('thead', {}, [
      h(
        'tr',
        {},
        ['Mode', 'Verdict', 'Reward', 'Flags', ''].map((name) => h('th', { scope: 'col' }, name)),
      ),
    ]),
    h(
      'tbody',
      {},
      verdicts.map(({ comparisonMode, verdict, reward, flags, decided }) =>
        h('tr', { class: decided ? 'decided' : undefined }, [
          h('th', { scope: 'row' }, h('code', {}, visibleText(comparisonMode))),
          h('td', {}, spaced(verdict)),
          h('td', { class: 'number' }, rewardText(reward)),
          h('td', {}, flags.map(spaced).join(', ')),
          h('td', {}, decided && h('span', { class: 'badge' }, 'decided')),
        ]),
      ),
    ),
  ]);
  return h('div', { class: 'scroll' }, table);
}
