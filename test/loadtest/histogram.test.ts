import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { boundsOf, Histogram, RELATIVE_ERROR } from '../../src/loadtest/histogram.ts';
import { median, relativeSpread } from '../../src/loadtest/statistics.ts';
import { Tally } from '../../src/loadtest/tally.ts';
import { Timeline } from '../../src/loadtest/timeline.ts';

/** By nearest rank over all values. */
function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length - 1e-9) - 1)] ?? 0;
}

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

const SHARES = [0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1];

const times = fc.array(fc.double({ min: 0.001, max: 900_000, noNaN: true }), {
  minLength: 1,
  maxLength: 300,
});

describe('histogram', () => {
  it('is empty at first', () => {
    const { count, mean, min, max } = new Histogram();
    expect([count, mean, min, max, new Histogram().quantile(0.99)]).toEqual([0, 0, 0, 0, 0]);
  });

  it('has every quantile within its error of the true one', () => {
    fc.assert(
      fc.property(times, (values) => {
        const histogram = histogramOf(values);
        for (const share of SHARES) {
          const exact = quantileOf(values, share);
          expect(Math.abs(histogram.quantile(share) / exact - 1)).toBeLessThanOrEqual(
            RELATIVE_ERROR + 1e-9,
          );
        }
      }),
    );
  });

  it('keeps count, sum, minimum and maximum exactly', () => {
    fc.assert(
      fc.property(times, (values) => {
        const { count, sum, min, max } = histogramOf(values);
        expect([count, min, max]).toEqual([
          values.length,
          Math.min(...values),
          Math.max(...values),
        ]);
        expect(sum).toBeCloseTo(
          values.reduce((total, value) => total + value, 0),
          3,
        );
      }),
    );
  });

  it('is the same whether its values came at once or in pieces by way of JSON', () => {
    fc.assert(
      fc.property(times, times, (first, second) => {
        const merged = new Histogram();
        for (const part of [first, second]) {
          merged.merge(JSON.parse(JSON.stringify(histogramOf(part).data())));
        }
        const whole = histogramOf([...first, ...second]).data();
        const { sum, ...rest } = merged.data();
        expect(rest).toEqual({
          buckets: whole.buckets,
          counts: whole.counts,
          min: whole.min,
          max: whole.max,
        });
        expect(sum / whole.sum).toBeCloseTo(1, 9);
      }),
    );
  });

  it('merging nothing changes nothing', () => {
    const histogram = histogramOf([5]);
    histogram.merge(new Histogram().data());
    expect([histogram.count, histogram.min, histogram.max]).toEqual([1, 5, 5]);
  });

  it('takes times below the first bucket and over the last', () => {
    const histogram = histogramOf([-1, 0, 1e-9, 1e9]);
    expect(histogram.count).toBe(4);
    expect(histogram.quantile(0.5)).toBe(0.001);
    expect(histogram.quantile(1)).toBe(1e9);
  });

  it('has the last ranks right: p99 of 100 values is the 99th, p99.9 of 1,000 the 999th', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 + index);
    expect(histogramOf(values).quantile(0.99) / 198).toBeCloseTo(1, 2);
    const thousand = Array.from({ length: 1_000 }, (_, index) => (index < 999 ? 1 : 500));
    expect(histogramOf(thousand).quantile(0.999)).toBeLessThan(1.01);
    expect(histogramOf(thousand).quantile(1)).toBe(500);
  });

  it('says where its buckets are', () => {
    for (const value of [0.0005, 0.02, 3.7, 12_345]) {
      const [bucket = -1] = histogramOf([value]).data().buckets;
      const { fromMs, toMs } = boundsOf(bucket);
      expect(value).toBeGreaterThan(fromMs);
      expect(value).toBeLessThanOrEqual(toMs);
    }
  });

  it('takes no more memory for a million times than for one', () => {
    const histogram = new Histogram();
    for (let index = 0; index < 1_000_000; index += 1) histogram.record((index % 1_000) / 10);
    expect(JSON.stringify(histogram.data()).length).toBeLessThan(20_000);
  });
});

describe('statistics', () => {
  it.each([
    [[3], 3],
    [[4, 1], 2.5],
    [[9, 1, 2], 2],
  ])('median of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected);
  });

  it('the spread is that of a normal distribution, and one disturbed batch changes it little', () => {
    expect(relativeSpread([1, 2])).toBeUndefined();
    expect(relativeSpread([0, 0, 0])).toBeUndefined();
    expect(relativeSpread([100, 100, 100])).toBe(0);
    expect(relativeSpread([90, 100, 110])).toBeCloseTo(0.148, 2);
    expect(relativeSpread([90, 100, 110, 100_000])).toBeLessThan(0.3);
  });
});

describe('tally', () => {
  it('adds up to the same in pieces by way of JSON', () => {
    const [first, second, merged] = [new Tally(), new Tally(), new Tally()];
    first.time('reset', 5);
    first.error('step', 'OVERLOADED', 'full');
    first.policy('gold').endedCount += 1;
    first.endedCount = 1;
    second.time('reset', 7);
    second.error('step', 'OVERLOADED', 'full again');
    second.error('reset', 'UNAVAILABLE', 'gone');
    second.policy('gold').lostCount += 2;
    second.wrong('gold', 'mismatch', 'earned 0 instead of 1');
    for (const part of [first, second]) merged.merge(JSON.parse(JSON.stringify(part.data())));
    expect(merged.times.get('reset')?.count).toBe(2);
    expect(Object.fromEntries(merged.errors)).toEqual({
      'step OVERLOADED': { count: 2, message: 'full' },
      'reset UNAVAILABLE': { count: 1, message: 'gone' },
    });
    expect([merged.errorCount, merged.lostCount, merged.wrongCount]).toEqual([3, 2, 1]);
    expect(merged.endedCount).toBe(1);
  });

  it('an error that came twice is not counted on in what was sent away', () => {
    const sent = new Tally();
    sent.error('step', 'INTERNAL', 'x');
    const data = sent.data();
    const merged = new Tally();
    merged.merge(data);
    merged.merge(data);
    expect(data.errors['step INTERNAL']?.count).toBe(1);
    expect(merged.errorCount).toBe(2);
  });
});

describe('timeline', () => {
  const steps = (count: number) => {
    const tally = new Tally();
    tally.stepCount = count;
    for (let index = 0; index < count; index += 1) tally.time('step.tool', 10);
    return tally.data();
  };

  it('puts what happened into its second, and leaves none out', () => {
    const timeline = new Timeline();
    timeline.add(100, steps(1), true);
    timeline.add(3_999, steps(2), false);
    const points = timeline.points();
    expect(points.map(({ stepCount }) => stepCount)).toEqual([1, 0, 0, 2]);
    expect(points[0]?.warmup).toBe(true);
    expect(points[3]).toMatchObject({ atS: 3, warmup: false });
    expect(points[3]?.stepP99Ms).toBeCloseTo(10, 5);
  });

  it('makes its windows longer instead of more, and loses nothing', () => {
    const timeline = new Timeline();
    for (let second = 0; second < 5_000; second += 1) timeline.add(second * 1_000, steps(1), false);
    const points = timeline.points();
    expect(timeline.windowS).toBe(16);
    expect(points.length).toBeLessThanOrEqual(600);
    expect(points.reduce((sum, { stepCount }) => sum + stepCount, 0)).toBe(5_000);
    expect(points.slice(0, -1).every(({ stepCount }) => stepCount === 16)).toBe(true);
  });
});
