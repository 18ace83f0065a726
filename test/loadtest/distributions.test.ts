import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { arrivalTimes } from '../../src/loadtest/arrivals.ts';
import {
  drawThinkMs,
  drawTurnCount,
  parseThink,
  parseTurns,
  THINK_MS_MAX,
  TURN_COUNT_MAX,
  type ThinkDistribution,
} from '../../src/loadtest/distributions.ts';
import { randomOf, shuffled } from '../../src/loadtest/random.ts';

describe('random', () => {
  it('gives the same numbers for the same seed and keys, on every machine and in every version', () => {
    const random = randomOf(1, 2, 3);
    const numbers = Array.from({ length: 4 }, () => random.next());
    expect(numbers.map((number) => number * 2 ** 32)).toEqual([
      1_088_656_782, 3_242_625_388, 3_550_761_577, 4_044_782_408,
    ]);
  });

  it('gives other numbers for another seed, another key, another order of keys, or one key more', () => {
    const first = (...keys: readonly [number, ...number[]]): number => randomOf(...keys).next();
    const all = [first(1), first(2), first(1, 0), first(0, 1), first(1, 0, 0), first(2 ** 40 + 1)];
    expect(new Set(all).size).toBe(all.length);
  });

  it('is spread evenly, within and across streams', () => {
    const within = randomOf(7);
    const counts = Array.from({ length: 20 }, () => 0);
    for (let index = 0; index < 20_000; index += 1) {
      const values = [within.next(), randomOf(7, index).next()];
      for (const value of values)
        counts[Math.floor(value * 20)] = (counts[Math.floor(value * 20)] ?? 0) + 1;
    }
    // 2,000 each; ten standard deviations.
    for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(450);
  });

  it('gives whole numbers up to both ends', () => {
    const random = randomOf(3);
    const seen = new Set(Array.from({ length: 500 }, () => random.whole(-1, 2)));
    expect([...seen].toSorted((a, b) => a - b)).toEqual([-1, 0, 1, 2]);
  });

  it('mixes without losing or doubling anything', () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
        const mixed = shuffled(items, randomOf(seed));
        expect(mixed.toSorted((a, b) => a - b)).toEqual(items.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('turns', () => {
  it.each([
    ['fixed:1', { kind: 'fixed', count: 1 }],
    ['fixed:64', { kind: 'fixed', count: TURN_COUNT_MAX }],
    ['uniform:1,4', { kind: 'uniform', min: 1, max: 4 }],
    ['geometric:0.5', { kind: 'geometric', endShare: 0.5 }],
    ['geometric:1', { kind: 'geometric', endShare: 1 }],
  ])('reads %s', (text, expected) => {
    expect(parseTurns('--turns', text)).toEqual(expected);
  });

  it.each([
    'fixed:0',
    'fixed:65',
    'fixed:1.5',
    'fixed:',
    'fixed:1,2',
    'fixed',
    'uniform:4,1',
    'uniform:1',
    'geometric:0',
    'geometric:1.1',
    'geometric:-1',
    'fixed:1e1',
    'fixed: 3',
    'none',
    '',
    'constructor:1',
  ])('refuses %j', (text) => {
    expect(() => parseTurns('--turns', text)).toThrow(ConfigError);
  });

  it('says what was perhaps meant', () => {
    expect(() => parseTurns('--turns', 'geometrc:0.5')).toThrow('did you mean geometric?');
  });

  it('draws what the distribution says', () => {
    const random = randomOf(5);
    const draw = (text: string): number[] =>
      Array.from({ length: 4_000 }, () => drawTurnCount(parseTurns('', text), random));
    expect(new Set(draw('fixed:3'))).toEqual(new Set([3]));
    expect(new Set(draw('uniform:2,5'))).toEqual(new Set([2, 3, 4, 5]));
    const geometric = draw('geometric:0.5');
    expect(Math.min(...geometric)).toBe(1);
    // Its mean is 1 / 0.5.
    expect(meanOf(geometric)).toBeCloseTo(2, 0);
    expect(Math.max(...draw('geometric:0.000000000001'))).toBe(TURN_COUNT_MAX);
  });
});

describe('think times', () => {
  it.each([
    ['none', { kind: 'none' }],
    ['recorded', { kind: 'recorded' }],
    ['fixed:0', { kind: 'fixed', ms: 0 }],
    ['uniform:100,900.5', { kind: 'uniform', minMs: 100, maxMs: 900.5 }],
    ['lognormal:800,0.6', { kind: 'lognormal', medianMs: 800, sigma: 0.6 }],
  ])('reads %s', (text, expected) => {
    expect(parseThink('--think', text)).toEqual(expected);
  });

  it.each([
    'none:1',
    'fixed:-1',
    'fixed:600001',
    'uniform:2,1',
    'lognormal:0,1',
    'lognormal:800',
    'lognormal:800,6',
    'lognormal:800,NaN',
    'normal:1,2',
  ])('refuses %j', (text) => {
    expect(() => parseThink('--think', text)).toThrow(ConfigError);
  });

  it('draws what the distribution says', () => {
    const random = randomOf(6);
    const draw = (text: string): number[] => {
      const distribution = parseThink('', text) as Exclude<ThinkDistribution, { kind: 'recorded' }>;
      return Array.from({ length: 10_000 }, () => drawThinkMs(distribution, random));
    };
    expect(new Set(draw('none'))).toEqual(new Set([0]));
    expect(new Set(draw('fixed:12.5'))).toEqual(new Set([12.5]));
    const uniform = draw('uniform:100,300');
    expect(Math.min(...uniform)).toBeGreaterThanOrEqual(100);
    expect(Math.max(...uniform)).toBeLessThanOrEqual(300);
    expect(meanOf(uniform)).toBeCloseTo(200, -1);
    const lognormal = draw('lognormal:800,0.5').toSorted((a, b) => a - b);
    expect((lognormal[5_000] ?? 0) / 800).toBeCloseTo(1, 1);
    // p84 is one standard deviation of the logarithm above.
    expect((lognormal[8_413] ?? 0) / (800 * Math.exp(0.5))).toBeCloseTo(1, 1);
    expect(Math.max(...draw('lognormal:500000,5'))).toBe(THINK_MS_MAX);
  });

  it('draws to the microsecond, so that no library of mathematics can change a plan', () => {
    const random = randomOf(8);
    for (let index = 0; index < 1_000; index += 1) {
      const ms = drawThinkMs({ kind: 'lognormal', medianMs: 1, sigma: 1 }, random);
      expect(ms).toBe(Math.round(ms * 1_000) / 1_000);
    }
  });
});

describe('arrivals', () => {
  const take = (arrivals: 'poisson' | 'uniform', count: number): number[] => {
    const times = arrivalTimes({ kind: 'open', rate: 200, arrivals }, 9);
    return Array.from({ length: count }, () => times.next().value);
  };

  it('are equally far apart', () => {
    expect(take('uniform', 4)).toEqual([0, 5, 10, 15]);
    expect(take('uniform', 100_001).at(-1)).toBe(500_000);
  });

  it('are random with the same mean, and the same for the same seed', () => {
    const times = take('poisson', 20_001);
    expect(times).toEqual(take('poisson', 20_001));
    const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
    expect(meanOf(gaps)).toBeCloseTo(5, 0);
    // Of an exponential distribution the deviation is the mean.
    const deviation = Math.sqrt(meanOf(gaps.map((gap) => (gap - 5) ** 2)));
    expect(deviation / 5).toBeCloseTo(1, 1);
  });
});

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
