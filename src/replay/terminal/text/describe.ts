import type { TrajectoryQuery, TrajectoryStep } from '../../../../env/trajectory.ts';
import type { EpisodeSummary } from '../../ports.ts';
import { counted, countText, durationText, rewardText } from './format.ts';
import type { Style } from './line.ts';
import type { StyledText } from './wrap.ts';

/** How an episode came out, in one character: right, wrong, an answer that failed, no answer. */
export function outcomeMark(episode: EpisodeSummary): {
  readonly mark: string;
  readonly style: Style;
} {
  const { reward, verdict } = episode;
  if (reward === undefined) return { mark: '·', style: 'dim' };
  if (reward > 0) return { mark: '●', style: 'good' };
  if (verdict === 'mismatch') return { mark: '○', style: 'bad' };
  // A match without a reward: the strict guard took it.
  return verdict === 'match' ? { mark: '◐', style: 'warn' } : { mark: '×', style: 'bad' };
}

/** The style of a verdict or of what ended an episode without one. */
export function verdictStyle(verdict: string): Style {
  if (verdict === 'match') return 'good';
  return verdict === '' ? 'dim' : 'bad';
}

/** The verdict, or why there is none. */
export function verdictText(episode: EpisodeSummary): string {
  if (episode.verdict !== '') return episode.verdict;
  return episode.endReason === '' ? episode.end : episode.endReason;
}

/** The style of a query's status. */
export function statusStyle(status: string): Style {
  if (status === 'ok') return 'good';
  return status === 'time_limit' || status === 'too_big' ? 'warn' : 'bad';
}

/** What is known of a query, in one line. */
export function queryFacts(query: TrajectoryQuery): readonly StyledText[] {
  const facts: StyledText[] = [{ text: query.status, style: statusStyle(query.status) }];
  const add = (text: string, style: Style = 'plain'): void => {
    facts.push({ text: ' · ', style: 'dim' }, { text, style });
  };
  if (query.status === 'ok') add(counted(query.row_count, 'row'));
  if (query.capped) add('capped', 'warn');
  if (query.time_limit !== 'none' && query.time_limit !== '')
    add(`${query.time_limit} limit`, 'warn');
  if (query.queue_us > 0) add(`queue ${durationText(query.queue_us / 1_000)}`);
  if (query.query_us > 0) add(`query ${durationText(query.query_us / 1_000)}`);
  if (query.query_cpu_us > 0) add(`cpu ${durationText(query.query_cpu_us / 1_000)}`);
  return facts;
}

/** What is known of a step beside its queries. */
export function stepFacts(step: TrajectoryStep): readonly StyledText[] {
  const facts = [`step ${durationText(step.step_ms)}`];
  if (step.completion_token_count > 0) {
    facts.push(`${countText(step.completion_token_count)} tokens`);
  }
  if (step.ignored_call_count > 0)
    facts.push(`${counted(step.ignored_call_count, 'call')} ignored`);
  const reward: Style = step.reward > 0 ? 'good' : 'plain';
  return [
    { text: facts.join(' · '), style: 'plain' },
    { text: ' · ', style: 'dim' },
    { text: `reward ${rewardText(step.reward)}`, style: reward },
  ];
}
