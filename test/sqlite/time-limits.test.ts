import { expect, test } from 'vitest';
import { raisedLimits, toldTimeLimit } from '../../src/sqlite/failure.ts';

const limits = (queryCpuMsMax: number, queryWallMsMax: number) => ({
  queryCpuMsMax,
  queryWallMsMax,
});

test('a quick gold raises nothing', () => {
  expect(raisedLimits(limits(2_000, 10_000), 3)).toEqual(limits(2_000, 10_000));
});

test("a slow gold made both limits equal, and every runaway answer beside it was the machine's fault", () => {
  const raised = raisedLimits(limits(2_000, 10_000), 12_000);
  expect(raised).toEqual(limits(12_000, 60_000));
  expect(toldTimeLimit('cpu', raised)).toBe('cpu');
  expect(toldTimeLimit('wall', raised)).toBe('wall');
});

test('limits that were asked for as equal stay equal, and the wall clock is told', () => {
  const raised = raisedLimits(limits(1_000, 1_000), 4_000);
  expect(raised).toEqual(limits(4_000, 4_000));
  expect(toldTimeLimit('cpu', raised)).toBe('wall');
});
