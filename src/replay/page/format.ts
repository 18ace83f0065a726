const GROUPED = new Intl.NumberFormat('en-GB');

/** `12,345`. */
export function countText(count: number): string {
  return GROUPED.format(count);
}

/** `1 episode`, `12 episodes`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** A reward, or a mean of rewards: `1`, `0`, `0.625`. */
export function rewardText(reward: number | undefined): string {
  if (reward === undefined) return '–';
  return Number.isInteger(reward) ? String(reward) : reward.toFixed(3);
}

/** A share as `62.5 %`. */
export function shareText(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

/** Milliseconds as they are read best: `0.4 ms`, `38 ms`, `2.1 s`, `4 min`. */
export function msText(ms: number): string {
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${ms.toFixed(0)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return ms < 7_200_000 ? `${(ms / 60_000).toFixed(0)} min` : `${(ms / 3_600_000).toFixed(1)} h`;
}

/** `answer_sql_error` as `answer sql error`: names of the record, easier to read. */
export function spaced(name: string): string {
  return name.replaceAll('_', ' ');
}

/** How a verdict looks; the words stand beside it always, so that no colour has to be seen. */
export function toneOf(verdict: string): 'good' | 'bad' | 'warn' | 'none' {
  if (verdict === '') return 'none';
  if (verdict === 'match') return 'good';
  return verdict === 'mismatch' ? 'bad' : 'warn';
}
