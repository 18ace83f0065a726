import { describe, expect, it } from 'vitest';

import type { Task } from '../../env/task.ts';
import { chooseRows } from '../../src/prepare/choose-rows.ts';
import { sha256 } from '../../src/sqlite/hash.ts';

function task(index: number, facts: Partial<Task> = {}): Task {
  return {
    taskId: `t/${index}`,
    databaseId: `db${index % 10}`,
    question: `question ${index}`,
    goldSql: `SELECT ${index}`,
    split: 'train',
    difficulty: '',
    ...facts,
  };
}

const ALL = { train: undefined, rl: undefined, eval: undefined };
const many = Array.from({ length: 100 }, (_, index) => task(index));
const ids = (tasks: readonly Task[]): string[] => tasks.map(({ taskId }) => taskId);
const databases = (tasks: readonly Task[]): Set<string> => new Set(tasks.map((t) => t.databaseId));

describe('choosing rows', () => {
  it('holds out whole databases where no split is named', () => {
    const { train, rl, eval: held } = chooseRows(many, ALL, 'a', sha256);
    expect(train.length + rl.length + held.length).toBe(100);
    expect(held.length).toBe(10);
    expect(train.length).toBe(45);
    const training = databases([...train, ...rl]);
    for (const databaseId of databases(held)) expect(training.has(databaseId)).toBe(false);
    expect(new Set(ids([...train, ...rl, ...held])).size).toBe(100);
  });

  it('depends on the seed, not on the order of the input', () => {
    const chosen = chooseRows(many, ALL, 'a', sha256);
    expect(chooseRows(many.toReversed(), ALL, 'a', sha256)).toEqual(chosen);
    expect(ids(chooseRows(many, ALL, 'b', sha256).train)).not.toEqual(ids(chosen.train));
  });

  it('gives the same rows and some more when more are asked for', () => {
    const few = chooseRows(many, { train: 20, rl: 5, eval: 3 }, 'a', sha256);
    const more = chooseRows(many, { train: 20, rl: 9, eval: 4 }, 'a', sha256);
    expect([few.train.length, few.rl.length, few.eval.length]).toEqual([20, 5, 3]);
    expect(more.train).toEqual(few.train);
    expect(more.rl.slice(0, 5)).toEqual(few.rl);
    expect(more.eval.slice(0, 3)).toEqual(few.eval);
    expect(chooseRows(many, { ...ALL, train: 0 }, 'a', sha256).rl).toHaveLength(90);
  });

  it('keeps databases of held-out rows out of training', () => {
    const dev = [
      task(200, { databaseId: 'db3', split: 'dev' }),
      task(201, { databaseId: 'new', split: 'dev' }),
    ];
    const chosen = chooseRows([...many, ...dev], ALL, 'a', sha256);
    expect(new Set(ids(chosen.eval))).toEqual(new Set(['t/200', 't/201']));
    expect(chosen.heldOutDatabaseRows).toHaveLength(10);
    expect(databases([...chosen.train, ...chosen.rl]).has('db3')).toBe(false);
  });

  it('never has one gold in train and in rl, also under several questions', () => {
    const twins = Array.from({ length: 60 }, (_, index) =>
      task(index, {
        databaseId: 'db',
        goldSql: index % 2 ? `select ${index >> 1};` : `SELECT  ${index >> 1}`,
      }),
    );
    const other = Array.from({ length: 30 }, (_, index) =>
      task(300 + index, { databaseId: 'e', split: 'dev' }),
    );
    for (const train of [1, 7, 29, 31]) {
      const chosen = chooseRows([...twins, ...other], { ...ALL, train }, 'a', sha256);
      const golds = (tasks: readonly Task[]): Set<string> =>
        new Set(
          tasks.map(({ goldSql }) => goldSql.toLowerCase().replace(/\s+/, ' ').replace(';', '')),
        );
      const trained = golds(chosen.train);
      for (const gold of golds(chosen.rl)) expect(trained.has(gold)).toBe(false);
      expect(chosen.train.length + chosen.rl.length + chosen.sharedGoldRows.length).toBe(60);
      expect(chosen.sharedGoldRows.length).toBeLessThan(2);
    }
  });

  it('says when there is nothing left to train on', () => {
    const both = [
      ...many,
      ...many.map((each) => ({ ...each, taskId: `${each.taskId}d`, split: 'dev' })),
    ];
    expect(() => chooseRows(both, ALL, 'a', sha256)).toThrow('no rows are left to train on');
    expect(() => chooseRows([], ALL, 'a', sha256)).toThrow('no rows are left to train on');
  });
});
