import { ConfigError } from '../config.ts';
import { suggest } from '../suggest.ts';
import {
  metricInfo,
  metricNames,
  type MetricInfo,
  type Metrics,
  type MetricUnit,
} from './metrics.ts';
import { POLICY_NAMES } from './policies.ts';

type Operator = '>' | '>=' | '<' | '<=';

/** A condition under which a load fails. */
export interface Threshold {
  /** As the user wrote it. */
  readonly text: string;
  /** Name of the figure. */
  readonly name: string;
  readonly operator: Operator;
  /** In the unit of the figure. */
  readonly bound: number;
}

/** What became of a threshold. */
export interface ThresholdChecked {
  readonly text: string;
  /** Undefined if the figure was not measured: that fails, too. */
  readonly value: number | undefined;
  readonly crossed: boolean;
}

/** Factors from what is written to the unit of the figure; the empty name is a number without a unit. */
const UNITS: Readonly<Record<MetricUnit, Readonly<Record<string, number>>>> = {
  ms: { us: 0.001, ms: 1, s: 1_000 },
  s: { ms: 0.001, s: 1 },
  '%': { '%': 1 },
  bytes: { kB: 1_000, MB: 1e6, GB: 1e9 },
  per_s: { '': 1 },
  count: { '': 1 },
};

/** Reads `step.p99>50ms`. Throws `ConfigError` with what is wrong and what was perhaps meant. */
export function parseThreshold(flag: string, text: string): Threshold {
  const [, name = '', operator = '', number = '', unit = ''] =
    /^\s*([\w.]+)\s*(>=|<=|>|<)\s*(\d{1,15}(?:\.\d{1,15})?)\s*([a-zA-Z%]*)\s*$/.exec(text) ?? [];
  if (name === '') {
    throw misuse(
      flag,
      text,
      'it must be NAME, one of > >= < <=, and a number with its unit, such as step.p99>50ms',
    );
  }
  const info = metricInfo(name);
  if (info === undefined) {
    const known = metricNames(POLICY_NAMES);
    throw misuse(flag, text, `there is no figure ${JSON.stringify(name)}${nearest(name, known)}`);
  }
  const factor = factorOf(flag, text, name, info, unit);
  return {
    text: text.trim(),
    name,
    operator: operator as Operator,
    bound: Number(number) * factor,
  };
}

/** Holds figures against thresholds. Counts that nobody counted are 0. */
export function checkThresholds(
  thresholds: readonly Threshold[],
  metrics: Metrics,
): ThresholdChecked[] {
  return thresholds.map(({ text, name, operator, bound }) => {
    const counted = name.startsWith('errors.') ? 0 : undefined;
    const value = metrics[name] ?? counted;
    return { text, value, crossed: value === undefined || compare(value, operator, bound) };
  });
}

function compare(value: number, operator: Operator, bound: number): boolean {
  switch (operator) {
    case '>':
      return value > bound;
    case '>=':
      return value >= bound;
    case '<':
      return value < bound;
    case '<=':
      return value <= bound;
  }
}

function factorOf(
  flag: string,
  text: string,
  name: string,
  info: MetricInfo,
  unit: string,
): number {
  const units = UNITS[info.unit];
  const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (factor !== undefined) return factor;
  const allowed = Object.keys(units);
  throw misuse(
    flag,
    text,
    allowed.includes('')
      ? `${name} is a number without a unit`
      : `${name} needs a unit: ${allowed.join(', ')}`,
  );
}

/** A name that was perhaps meant: a near one, else those that go on from it. */
function nearest(name: string, known: readonly string[]): string {
  const hint = suggest(name, known);
  if (hint !== '') return hint;
  const [start = ''] = name.split('.');
  const same = known.filter((each) => each.startsWith(`${start}.`)).slice(0, 8);
  return same.length === 0 ? '; docs/loadtest.md lists them' : `; there are ${same.join(', ')}`;
}

function misuse(flag: string, text: string, message: string): ConfigError {
  return new ConfigError([`${flag} ${JSON.stringify(text)}: ${message}`]);
}
