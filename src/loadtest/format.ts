import type { MetricUnit } from './metrics.ts';

/** A figure for people, with its unit. */
export function formatFigure(value: number, unit: MetricUnit): string {
  switch (unit) {
    case 'ms':
      return formatMs(value);
    case '%':
      return `${significant(value)} %`;
    case 'bytes':
      return formatBytes(value);
    case 's':
      return `${significant(value)} s`;
    case 'per_s':
      return `${significant(value)} /s`;
    case 'count':
      return Number.isInteger(value) ? String(value) : significant(value);
  }
}

/** Milliseconds as `85 us`, `12.3 ms` or `4.56 s`. */
export function formatMs(ms: number): string {
  if (ms >= 10_000) return `${significant(ms / 1_000)} s`;
  if (ms >= 0.1 || ms === 0) return `${significant(ms)} ms`;
  return `${significant(ms * 1_000)} us`;
}

function formatBytes(bytes: number): string {
  const size = Math.abs(bytes);
  if (size >= 1e9) return `${significant(bytes / 1e9)} GB`;
  if (size >= 1e6) return `${significant(bytes / 1e6)} MB`;
  return `${significant(bytes / 1e3)} kB`;
}

/** Three digits, or all before the point. */
export function significant(value: number): string {
  const size = Math.abs(value);
  if (size >= 100 || value === 0) return value.toFixed(0);
  return String(Number(value.toPrecision(3)));
}
