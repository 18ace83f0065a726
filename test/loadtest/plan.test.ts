import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/config.ts';
import { planBatch, scriptedSource, type ScriptedPlan } from '../../src/loadtest/plan.ts';
import {
  allocate,
  exactCounts,
  parseShares,
  POLICY_NAMES,
  type PolicyShares,
} from '../../src/loadtest/policies.ts';

const TASKS = Array.from({ length: 10 }, (_, index) => ({
  taskId: `t/${index}`,
  databaseId: `db${index % 3}`,
  goldSql: `SELECT ${index} FROM things`,
  tableName: 'odd "name"',
}));

const PLAN: ScriptedPlan = {
  seed: 1,
  promptCount: 4,
  rolloutCount: 8,
  tasks: TASKS,
  shares: parseShares('', 'gold=60,wrong=20,malformed=5,repeated=10,hostile=5'),
  turns: { kind: 'uniform', min: 1, max: 4 },
  think: { kind: 'lognormal', medianMs: 800, sigma: 0.6 },
  queryMsMax: 500,
};

const shares = fc
  .array(fc.nat({ max: 1_000 }), { minLength: 6, maxLength: 6 })
  .filter((parts) => parts.some((part) => part > 0))
  .map(
    (parts) =>
      Object.fromEntries(POLICY_NAMES.map((name, index) => [name, parts[index]])) as PolicyShares,
  );

const texts = (plan: ScriptedPlan, batchIndex: number): string[][] =>
  planBatch(plan, batchIndex).map(({ turns }) =>
    turns.map(({ action }) => action.assistantText ?? ''),
  );

describe('plan', () => {
  it('is the same for the same seed, byte for byte, whatever was planned before', () => {
    const text = JSON.stringify(planBatch(PLAN, 3));
    planBatch(PLAN, 7);
    expect(JSON.stringify(planBatch(PLAN, 3))).toBe(text);
    // A list of tasks that was never seen has no order that is kept.
    expect(JSON.stringify(planBatch({ ...PLAN, tasks: structuredClone(TASKS) }, 3))).toBe(text);
    expect(createHash('sha256').update(text).digest('hex')).toBe(
      '688a9b588ba343164dbf37a5a8da73d32d213aab4d615a2414e22dce22fc449f',
    );
  });

  it('is another one for another seed or batch', () => {
    const all = [planBatch(PLAN, 0), planBatch(PLAN, 1), planBatch({ ...PLAN, seed: 2 }, 0)];
    expect(new Set(all.map((batch) => JSON.stringify(batch))).size).toBe(3);
  });

  it('is the same batch whether it is asked for at once or in parts', async () => {
    const source = scriptedSource(PLAN);
    const parts = await Promise.all(
      [0, 1, 2].map((part) => source.batch(2, (index) => index % 3 === part)),
    );
    const whole = planBatch(PLAN, 2);
    expect(parts.flat().toSorted((a, b) => a.episodeIndex - b.episodeIndex)).toEqual(whole);
    expect(source.digest(2)).toBe(scriptedSource(PLAN).digest(2));
    expect(source.digest(2)).not.toBe(source.digest(3));
  });

  it('goes through all tasks before one comes again, as a sampler without replacement', () => {
    const seen = [0, 1, 2, 3, 4].flatMap((batchIndex) =>
      planBatch(PLAN, batchIndex)
        .filter(({ episodeIndex }) => episodeIndex % 8 === 0)
        .map(({ reset }) => reset.taskId),
    );
    expect(new Set(seen.slice(0, 10)).size).toBe(10);
    expect(new Set(seen.slice(10)).size).toBe(10);
    expect(seen.slice(0, 10)).not.toEqual(seen.slice(10));
  });

  it('gives the rollouts of a group one task and one group id', () => {
    const batch = planBatch(PLAN, 1);
    for (let group = 0; group < 4; group += 1) {
      const resets = batch.slice(group * 8, group * 8 + 8).map(({ reset }) => reset);
      expect(new Set(resets.map(({ taskId }) => taskId)).size).toBe(1);
      expect(new Set(resets.map(({ groupId }) => groupId))).toEqual(new Set([`1/${group}`]));
    }
  });

  it('has a text of its own for every query of policies that do not repeat', () => {
    const plan = { ...PLAN, shares: parseShares('', 'gold=3,wrong=1') };
    const queries = [0, 1, 2, 3].flatMap((batchIndex) => texts(plan, batchIndex).flat());
    expect(new Set(queries).size).toBe(queries.length);
  });

  it('repeats word for word what a sibling says, and earns the same', () => {
    const plan = { ...PLAN, shares: parseShares('', 'gold=25,repeated=75') };
    const batch = planBatch(plan, 0);
    const said = texts(plan, 0);
    for (const episode of batch.filter(({ policy }) => policy === 'repeated')) {
      const start = episode.episodeIndex - (episode.episodeIndex % 8);
      const siblings = batch.slice(start, start + 8).filter(({ policy }) => policy === 'gold');
      expect(siblings.map(({ episodeIndex }) => said[episodeIndex])).toContainEqual(
        said[episode.episodeIndex],
      );
      expect(episode.expectedReturn).toBe(1);
    }
    const counts = new Map<string, number>();
    for (const text of said.flat()) counts.set(text, (counts.get(text) ?? 0) + 1);
    expect(counts.size).toBeLessThan(said.flat().length / 2);
  });

  it('lets rollouts repeat each other where nobody else can be repeated', () => {
    const plan = { ...PLAN, shares: parseShares('', 'repeated=1') };
    for (let group = 0; group < 4; group += 1) {
      const said = texts(plan, 0).slice(group * 8, group * 8 + 8);
      expect(new Set(said.map((each) => JSON.stringify(each))).size).toBe(1);
    }
  });

  it('a wrong sibling is repeated with its reward of 0', () => {
    const plan = { ...PLAN, shares: parseShares('', 'wrong=1,repeated=1') };
    const returns = new Set(planBatch(plan, 0).map(({ expectedReturn }) => expectedReturn));
    expect(returns).toEqual(new Set([0]));
  });

  it('quotes a table name that holds quotes', () => {
    const plan = { ...PLAN, shares: parseShares('', 'wrong=1') };
    expect(texts(plan, 0).flat().join('\n')).toContain('FROM "odd ""name"""');
  });

  it('draws as many turns and think times as the distributions say', () => {
    const batches = [0, 1, 2, 3].flatMap((index) =>
      planBatch({ ...PLAN, shares: parseShares('', 'gold=1') }, index),
    );
    expect(new Set(batches.map(({ turns }) => turns.length))).toEqual(new Set([1, 2, 3, 4]));
    const thinks = batches.flatMap(({ turns }) => turns.map(({ thinkMs }) => thinkMs));
    expect(new Set(thinks).size).toBe(thinks.length);
  });
});

describe('shares', () => {
  it('are exact in whole numbers, by largest remainders', () => {
    fc.assert(
      fc.property(shares, fc.integer({ min: 1, max: 2_000 }), (parts, count) => {
        const counts = exactCounts(parts, count);
        const total = POLICY_NAMES.reduce((sum, name) => sum + parts[name], 0);
        expect(POLICY_NAMES.reduce((sum, name) => sum + counts[name], 0)).toBe(count);
        for (const name of POLICY_NAMES) {
          expect(Math.abs(counts[name] - (parts[name] * count) / total)).toBeLessThan(1);
          if (parts[name] === 0) expect(counts[name]).toBe(0);
        }
      }),
    );
  });

  it('5 % of 512 are 26', () => {
    expect(exactCounts(parseShares('', 'gold=95,runaway=5'), 512)).toMatchObject({
      gold: 486,
      runaway: 26,
    });
  });

  it('are those of the whole batch, and nearly those of every group', () => {
    fc.assert(
      fc.property(shares, (parts) => {
        const order = allocate(parts, 512);
        const counts = exactCounts(parts, 512);
        for (const name of POLICY_NAMES) {
          expect(order.filter((each) => each === name)).toHaveLength(counts[name]);
          for (let start = 0; start < 512; start += 64) {
            const inPart = order.slice(start, start + 64).filter((each) => each === name).length;
            expect(Math.abs(inPart - counts[name] / 8)).toBeLessThanOrEqual(3);
          }
        }
      }),
      { numRuns: 30 },
    );
  });

  it('stay exact in a batch, which starts its order somewhere else', () => {
    for (const batchIndex of [0, 1, 2, 50]) {
      const counts = exactCounts(PLAN.shares, 32);
      const policies = planBatch(PLAN, batchIndex).map(({ policy }) => policy);
      for (const name of POLICY_NAMES) {
        expect(policies.filter((each) => each === name)).toHaveLength(counts[name]);
      }
    }
  });

  it.each([
    ['', 'must be NAME=SHARE'],
    ['gold', 'must be NAME=SHARE'],
    ['gold=', 'must be NAME=SHARE'],
    ['gold=-1', 'must be NAME=SHARE'],
    ['gold=1.5', 'must be NAME=SHARE'],
    ['gold=1,', 'must be NAME=SHARE'],
    ['gld=1', 'did you mean gold?'],
    ['nothing=1', 'there are gold, wrong'],
    ['gold=1,gold=2', 'given twice'],
    ['gold=0,wrong=0', 'over 0'],
    ['constructor=1', 'there is no policy'],
  ])('%j is refused: %s', (text, message) => {
    expect(() => parseShares('--policies', text)).toThrow(ConfigError);
    expect(() => parseShares('--policies', text)).toThrow(message);
  });
});
