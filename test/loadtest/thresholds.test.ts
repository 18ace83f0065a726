import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { metricInfo, metricNames } from '../../src/loadtest/metrics.ts';
import { POLICY_NAMES } from '../../src/loadtest/policies.ts';
import { checkThresholds, parseThreshold } from '../../src/loadtest/thresholds.ts';

const parse = (text: string) => parseThreshold('--fail-if', text);

describe('thresholds', () => {
  it.each([
    ['step.p99>50ms', 'step.p99', '>', 50],
    ['step.p99.9 >= 1.5s', 'step.p99.9', '>=', 1_500],
    ['  queue.p50<250us ', 'queue.p50', '<', 0.25],
    ['policy.gold.max<=2s', 'policy.gold.max', '<=', 2_000],
    ['errors>0', 'errors', '>', 0],
    ['errors.OVERLOADED>3', 'errors.OVERLOADED', '>', 3],
    ['rewards.wrong>0', 'rewards.wrong', '>', 0],
    ['batch.median>2s', 'batch.median', '>', 2_000],
    ['lost.share>0.5%', 'lost.share', '>', 0.5],
    ['steps_per_s<1000', 'steps_per_s', '<', 1_000],
    ['server.memory.max>1.5GB', 'server.memory.max', '>', 1.5e9],
    ['server.cpu_per_1000_steps>250ms', 'server.cpu_per_1000_steps', '>', 0.25],
    ['compare.worse>0', 'compare.worse', '>', 0],
  ])('reads %j', (text, name, operator, bound) => {
    expect(parse(text)).toEqual({ text: text.trim(), name, operator, bound });
  });

  it.each([
    ['', 'it must be NAME'],
    ['step.p99', 'it must be NAME'],
    ['step.p99>', 'it must be NAME'],
    ['step.p99=5ms', 'it must be NAME'],
    ['step.p99>>5ms', 'it must be NAME'],
    ['step.p99>-5ms', 'it must be NAME'],
    ['step.p99>5ms>3', 'it must be NAME'],
    ['step.p99>1e3ms', 'it must be NAME'],
    ['step.p99>50', 'needs a unit: us, ms, s'],
    ['step.p99>50min', 'needs a unit'],
    ['step.p99>50toString', 'needs a unit'],
    ['errors>1%', 'without a unit'],
    ['step.p98>1ms', 'did you mean'],
    ['sttep.p99>1ms', 'did you mean step.p99?'],
    ['toString>1', 'no figure'],
    ['constructor>1', 'no figure'],
    ['policy.gold.everything>1ms', 'there are policy.gold.count'],
  ])('refuses %j: %s', (text, message) => {
    expect(() => parse(text)).toThrow(ConfigError);
    expect(() => parse(text)).toThrow(message);
  });

  it('never throws anything but a ConfigError, whatever it is given', () => {
    const part = fc.oneof(
      fc.string(),
      fc.constantFrom(
        'step.p99',
        'errors',
        '>',
        '<=',
        '5',
        '50ms',
        '%',
        's',
        ' ',
        '.',
        '__proto__',
      ),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 6 }), (parts) => {
        try {
          const { bound, name } = parse(parts.join(''));
          expect(Number.isFinite(bound)).toBe(true);
          expect(metricInfo(name)).toBeDefined();
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigError);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes every name that it offers', () => {
    const units = { ms: 'ms', s: 's', '%': '%', bytes: 'MB', per_s: '', count: '' };
    for (const name of metricNames(POLICY_NAMES)) {
      const unit = metricInfo(name)?.unit;
      expect(unit, name).toBeDefined();
      expect(parse(`${name}>1${unit === undefined ? '' : units[unit]}`).name).toBe(name);
    }
  });

  it.each([
    ['step.p99>50ms', 50, false],
    ['step.p99>50ms', 50.1, true],
    ['step.p99>=50ms', 50, true],
    ['step.p99<50ms', 50, false],
    ['step.p99<=50ms', 50, true],
    ['step.p99<50ms', 49.9, true],
  ])('%s with %d ms: fails is %s', (text, value, crossed) => {
    const [checked] = checkThresholds([parse(text)], { 'step.p99': value });
    expect(checked).toEqual({ text, value, crossed });
  });

  it('a figure that was not measured fails, since nobody knows; an error that did not happen is 0', () => {
    const checked = checkThresholds([parse('server.cpu>100s'), parse('errors.OVERLOADED>0')], {
      errors: 0,
    });
    expect(checked).toEqual([
      { text: 'server.cpu>100s', value: undefined, crossed: true },
      { text: 'errors.OVERLOADED>0', value: 0, crossed: false },
    ]);
  });
});
