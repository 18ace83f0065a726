import { describe, expect, it } from 'vitest';

import { mcNemarTest } from '../../../env/stats/mcnemar.ts';

describe('McNemar', () => {
  it.each([
    [7, 3, '0.34'],
    [17, 6, '0.037'],
    [26, 8, '0.0036'],
  ])('%i gained and %i lost give the published p of %s', (gained, lost, published) => {
    const { corrected } = mcNemarTest(gained, lost);
    expect(Number(corrected.toPrecision(2))).toBe(Number(published));
    expect(mcNemarTest(lost, gained).corrected).toBe(corrected);
  });

  it('is exact by the binomial distribution', () => {
    // 2 * (1 + 10 + 45 + 120) / 1024.
    expect(mcNemarTest(7, 3).exact).toBeCloseTo(0.34375, 12);
    expect(mcNemarTest(3, 7).exact).toBeCloseTo(0.34375, 12);
    expect(mcNemarTest(0, 5).exact).toBeCloseTo(2 / 32, 12);
    // Sums of whole binomials, by Python.
    expect(mcNemarTest(17, 6).exact).toBeCloseTo(0.03468966484069824, 12);
    expect(mcNemarTest(26, 8).exact).toBeCloseTo(0.0029350556433200836, 12);
  });

  it('sees no difference where there is none', () => {
    expect(mcNemarTest(0, 0)).toEqual({ corrected: 1, exact: 1 });
    expect(mcNemarTest(4, 4)).toEqual({ corrected: 1, exact: 1 });
    expect(mcNemarTest(4, 5).corrected).toBe(1);
  });

  it('stays a probability for large counts', () => {
    const { corrected, exact } = mcNemarTest(3_000, 1_000);
    expect(corrected).toBeGreaterThanOrEqual(0);
    expect(corrected).toBeLessThan(1e-100);
    expect(exact).toBeGreaterThanOrEqual(0);
    expect(exact).toBeLessThan(1e-100);
    expect(mcNemarTest(2_010, 1_990).exact).toBeCloseTo(mcNemarTest(2_010, 1_990).corrected, 3);
  });
});
