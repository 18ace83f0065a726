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

/** What is known of a query, in one line: how it ended, and its times, which come last since they may be cut. */
export function queryFacts(query: TrajectoryQuery): readonly StyledText[] {
  return withDots([...resultFacts(query), ...timeFacts(query)]);
}

/** What is known of a step and of one of its queries, in one line. */
export function stepFacts(
  step: TrajectoryStep,
  query: TrajectoryQuery | undefined,
): readonly StyledText[] {
  const facts: StyledText[] = query === undefined ? [] : [...resultFacts(query)];
  const reward: Style = step.reward > 0 ? 'good' : 'plain';
  facts.push({ text: `reward ${rewardText(step.reward)}`, style: reward });
  if (step.completion_token_count > 0) {
    facts.push({ text: `${countText(step.completion_token_count)} tokens`, style: 'plain' });
  }
  if (step.ignored_call_count > 0) {
    facts.push({ text: `${counted(step.ignored_call_count, 'call')} ignored`, style: 'warn' });
  }
  facts.push({ text: `step ${durationText(step.step_ms)}`, style: 'plain' });
  return withDots([...facts, ...(query === undefined ? [] : timeFacts(query))]);
}

function resultFacts(query: TrajectoryQuery): StyledText[] {
  const facts: StyledText[] = [{ text: query.status, style: statusStyle(query.status) }];
  if (query.status === 'ok') facts.push({ text: counted(query.row_count, 'row'), style: 'plain' });
  if (query.capped) facts.push({ text: 'capped', style: 'warn' });
  if (query.time_limit !== 'none' && query.time_limit !== '') {
    facts.push({ text: `${query.time_limit} limit`, style: 'warn' });
  }
  return facts;
}

function timeFacts(query: TrajectoryQuery): StyledText[] {
  const times = [
    ['query', query.query_us],
    ['cpu', query.query_cpu_us],
    ['queue', query.queue_us],
  ] as const;
  return times.flatMap(([name, us]): StyledText[] =>
    us > 0 ? [{ text: `${name} ${durationText(us / 1_000)}`, style: 'plain' }] : [],
  );
}

function withDots(facts: readonly StyledText[]): readonly StyledText[] {
  return facts.flatMap((fact, index): StyledText[] =>
    index === 0 ? [fact] : [{ text: ' · ', style: 'dim' }, fact],
  );
}
