/** 1234567 as 1,234,567; the same everywhere, whatever the locale. */
export function countText(count: number): string {
  return String(count).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** A noun with its number: `1 row`, `2 rows`. */
export function counted(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** A time with three digits at most: `0 ms`, `0.42 ms`, `3.1 ms`, `250 ms`, `1.5 s`, `2 min 5 s`. */
export function durationText(ms: number): string {
  if (ms <= 0) return '0 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 10) return `${ms.toFixed(1)} ms`;
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  return `${Math.floor(ms / 60_000)} min ${Math.round((ms % 60_000) / 1_000)} s`;
}

/** A reward without needless digits: `1`, `0`, `0.25`. */
export function rewardText(reward: number): string {
  return String(Math.round(reward * 1_000) / 1_000);
}

/** A verdict in few letters: `answer_sql_error` is `sql_error`. */
export function shortVerdict(verdict: string): string {
  return verdict.startsWith('answer_') ? verdict.slice('answer_'.length) : verdict;
}
