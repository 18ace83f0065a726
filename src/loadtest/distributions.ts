import { ConfigError } from '../config.ts';
import { suggest } from '../suggest.ts';
import type { Random } from './random.ts';

/** How many turns an episode has, the answer included. */
export type TurnsDistribution =
  | { readonly kind: 'fixed'; readonly count: number }
  | { readonly kind: 'uniform'; readonly min: number; readonly max: number }
  /** After each turn the episode ends with this probability. */
  | { readonly kind: 'geometric'; readonly endShare: number };

/** How long a trainer thinks before a turn (its model writes), milliseconds. */
export type ThinkDistribution =
  | { readonly kind: 'none' }
  /** As in the recorded trajectories. */
  | { readonly kind: 'recorded' }
  | { readonly kind: 'fixed'; readonly ms: number }
  | { readonly kind: 'uniform'; readonly minMs: number; readonly maxMs: number }
  /** `sigma` is the standard deviation of the logarithm: 0.5 puts p95 at 2.3 times the median. */
  | { readonly kind: 'lognormal'; readonly medianMs: number; readonly sigma: number };

/** Turns that an episode may have; longer draws are cut to it. */
export const TURN_COUNT_MAX = 64;

/** A think time may not be longer, milliseconds; longer draws are cut to it. */
export const THINK_MS_MAX = 600_000;

const TURNS_FORMS = ['fixed:N', 'uniform:MIN,MAX', 'geometric:P'];
const THINK_FORMS = ['none', 'fixed:MS', 'uniform:MIN,MAX', 'lognormal:MEDIAN,SIGMA'];

/** Reads `fixed:3`, `uniform:1,4` or `geometric:0.5`. Throws `ConfigError`. */
export function parseTurns(flag: string, text: string): TurnsDistribution {
  const { kind, numbers } = split(text);
  const [first = Number.NaN, second = Number.NaN] = numbers;
  if (kind === 'fixed' && numbers.length === 1 && isTurnCount(first)) return { kind, count: first };
  if (kind === 'uniform' && numbers.length === 2 && isTurnCount(first) && isTurnCount(second)) {
    if (first <= second) return { kind, min: first, max: second };
  }
  if (kind === 'geometric' && numbers.length === 1 && first > 0 && first <= 1) {
    return { kind, endShare: first };
  }
  throw misuse(
    flag,
    text,
    kind,
    TURNS_FORMS,
    `counts are from 1 to ${TURN_COUNT_MAX}, P is over 0 and up to 1`,
  );
}

/** Reads `none`, `fixed:200`, `uniform:100,900` or `lognormal:800,0.6`. Throws `ConfigError`. */
export function parseThink(flag: string, text: string): ThinkDistribution {
  if (text === 'none' || text === 'recorded') return { kind: text };
  const { kind, numbers } = split(text);
  const [first = Number.NaN, second = Number.NaN] = numbers;
  if (kind === 'fixed' && numbers.length === 1 && isThinkMs(first)) return { kind, ms: first };
  if (kind === 'uniform' && numbers.length === 2 && isThinkMs(first) && isThinkMs(second)) {
    if (first <= second) return { kind, minMs: first, maxMs: second };
  }
  if (kind === 'lognormal' && numbers.length === 2 && isThinkMs(first) && first > 0) {
    if (second >= 0 && second <= 5) return { kind, medianMs: first, sigma: second };
  }
  throw misuse(
    flag,
    text,
    kind,
    THINK_FORMS,
    `milliseconds are from 0 to ${THINK_MS_MAX}, SIGMA from 0 to 5`,
  );
}

/** Draws the number of turns of one episode. */
export function drawTurnCount(distribution: TurnsDistribution, random: Random): number {
  switch (distribution.kind) {
    case 'fixed':
      return distribution.count;
    case 'uniform':
      return random.whole(distribution.min, distribution.max);
    case 'geometric': {
      let count = 1;
      while (count < TURN_COUNT_MAX && random.next() >= distribution.endShare) count += 1;
      return count;
    }
  }
}

/** Draws one think time in milliseconds, to the microsecond: beyond that, libraries of mathematics may differ. */
export function drawThinkMs(
  distribution: Exclude<ThinkDistribution, { kind: 'recorded' }>,
  random: Random,
): number {
  switch (distribution.kind) {
    case 'none':
      return 0;
    case 'fixed':
      return distribution.ms;
    case 'uniform': {
      const { minMs, maxMs } = distribution;
      return toMicrosecond(minMs + random.next() * (maxMs - minMs));
    }
    case 'lognormal': {
      // Box-Muller; 1 - x keeps the logarithm's argument over 0.
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      const normal = radius * Math.cos(2 * Math.PI * random.next());
      return toMicrosecond(distribution.medianMs * Math.exp(distribution.sigma * normal));
    }
  }
}

function toMicrosecond(ms: number): number {
  return Math.min(THINK_MS_MAX, Math.round(ms * 1_000) / 1_000);
}

function isTurnCount(value: number): boolean {
  return Number.isInteger(value) && value >= 1 && value <= TURN_COUNT_MAX;
}

function isThinkMs(value: number): boolean {
  return value >= 0 && value <= THINK_MS_MAX;
}

/** `kind:1,2.5` in parts; a number that is none is NaN. */
function split(text: string): { readonly kind: string; readonly numbers: readonly number[] } {
  const at = text.indexOf(':');
  if (at === -1) return { kind: text, numbers: [] };
  const numbers = text
    .slice(at + 1)
    .split(',')
    .map((part) => (/^\d{1,12}(\.\d{1,12})?$/.test(part) ? Number(part) : Number.NaN));
  return { kind: text.slice(0, at), numbers };
}

function misuse(
  flag: string,
  text: string,
  kind: string,
  forms: readonly string[],
  ranges: string,
): ConfigError {
  const kinds = forms.map((form) => form.split(':')[0] ?? '');
  const hint = kinds.includes(kind) ? '' : suggest(kind, kinds);
  return new ConfigError([
    `${flag}: ${JSON.stringify(text)} is not allowed${hint}; it must be ${forms.join(' or ')}; ${ranges}`,
  ]);
}
