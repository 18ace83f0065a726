import type { EpisodeSummary } from '../ports.ts';
import type { SortColumn } from '../sort-episodes.ts';
import { h, type Child } from './dom.ts';
import { counted, msText, rewardText, spaced, toneOf } from './format.ts';
import { visibleText } from './visible-text.ts';

/** A column of the list. */
export interface Column {
  /** As in the address; what it sorts by. */
  readonly key: SortColumn;
  readonly title: string;
  readonly numeric: boolean;
  /** Its cell; the question's is made by the list, which knows the link. */
  readonly cell: (episode: EpisodeSummary) => Child;
}

/** The columns from left to right. */
export const COLUMNS: readonly Column[] = [
  {
    key: 'verdict',
    title: 'Verdict',
    numeric: false,
    cell: verdictBadge,
  },
  {
    key: 'question',
    title: 'Question',
    numeric: false,
    cell: ({ question }) => visibleText(question),
  },
  {
    key: 'db',
    title: 'Database',
    numeric: false,
    cell: ({ databaseId }) => visibleText(databaseId),
  },
  {
    key: 'difficulty',
    title: 'Hardness',
    numeric: false,
    cell: ({ difficulty }) => visibleText(difficulty),
  },
  {
    key: 'reward',
    title: 'Reward',
    numeric: true,
    cell: ({ reward }) => rewardText(reward),
  },
  {
    key: 'steps',
    title: 'Steps',
    numeric: true,
    cell: ({ stepCount }) => stepCount,
  },
  {
    key: 'tool_calls',
    title: 'Calls',
    numeric: true,
    cell: ({ toolCallCount }) => toolCallCount,
  },
  {
    key: 'truncated',
    title: 'Cut',
    numeric: true,
    cell: ({ truncatedCount }) => (truncatedCount === 0 ? '' : truncatedCount),
  },
  {
    key: 'duration_ms',
    title: 'Time',
    numeric: true,
    cell: ({ durationMs }) => msText(durationMs),
  },
];

/** A verdict in words with its mark; `not graded` and how it ended where there is none. */
export function verdictBadge({ verdict, end }: EpisodeSummary): HTMLElement {
  return verdictMark(verdict, verdict === '' ? `not graded (${end})` : spaced(verdict));
}

/** A verdict's mark with its words. */
export function verdictMark(verdict: string, words: string): HTMLElement {
  const tone = toneOf(verdict);
  return h('span', { class: `verdict ${tone}` }, h('i', { class: `dot ${tone}` }), words);
}

/** What is odd about an episode, in small marks. */
export function marks(episode: EpisodeSummary): HTMLElement[] {
  const { flags, failedQueryCount, parentId, mode, end, endReason } = episode;
  const texts = [
    ...(parentId === undefined ? [] : ['fork']),
    ...(mode === 'eval' ? ['eval'] : []),
    ...(end === 'truncated' ? [spaced(endReason)] : []),
    ...(failedQueryCount === 0
      ? []
      : [counted(failedQueryCount, 'failed query', 'failed queries')]),
    ...flags.map(spaced),
  ];
  return texts.map((text) => h('span', { class: 'mark' }, visibleText(text)));
}
