import { beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../../env/trajectory.ts';
import { playShowcase } from '../../support/showcase-records.ts';
import { StateBed } from '../../support/terminal-state.ts';

let records: readonly Trajectory[] = [];
beforeAll(async () => {
  records = await playShowcase();
});

const MISMATCH = 4;

describe('a fork and its surroundings', () => {
  function forked(size?: { readonly columns: number; readonly rows: number }): StateBed {
    const [record] = records as readonly [Trajectory];
    const before = { ...record, steps: record.steps.slice(0, 1) };
    const after = { ...record, steps: record.steps.slice(0, 2) };
    return new StateBed(records, {}, size)
      .press('enter', 'right', 'f')
      .finish({ kind: 'fork_open', forkId: 1, fork: { trajectory: before, ended: false } })
      .press('"SELECT 1"', 'ctrl-s')
      .finish({ kind: 'fork_run', fork: { trajectory: after, ended: false } });
  }

  test('one step had two numbers: the screens count from 0 as --check and --print do', () => {
    const screen = forked({ columns: 100, rows: 80 }).screen();
    expect(screen).toContain('fork at step 1');
    expect(screen).toContain('step 0 replayed');
    expect(screen).toContain('step 1 by hand');
    const bed = new StateBed(records).press('enter');
    expect(bed.screen()).toContain('[0 ✂]');
    expect(bed.press('u').screen()).toContain('step 0 ok');
    expect(bed.press('q', 'e').screen()).toContain('edit step 0');
  });

  test('the schema could not be seen while a fork or an edit was typed', () => {
    for (const bed of [forked(), new StateBed(records).press('enter', 'e')]) {
      expect(bed.screen()).toContain('ctrl-t schema');
      bed.press('"x"', 'ctrl-t');
      const [trajectory] = records as readonly [Trajectory];
      bed.finish({ kind: 'schema', trajectory, tables: ['CREATE TABLE seen (a)'] });
      expect(bed.screen()).toContain('CREATE TABLE seen (a)');
      // What was typed is still there, and typed on.
      expect(bed.press('q', '"y"').screen()).toMatch(/xy|ySELECT|xySELECT/);
    }
  });

  test('with a missing database the schema was only an error: the recorded prompt holds it', () => {
    const failed = new StateBed(records).press('enter', 's').fail('the database is gone');
    expect(failed.screen()).toContain('CREATE TABLE');
    expect(failed.screen()).toContain('as the prompt told it');
    expect(failed.screen()).toContain('! the database is gone');
    const never = new StateBed(records, { replayerProblem: 'nothing here' }).press('enter', 's');
    expect(never.screen()).toContain('CREATE TABLE');
    expect(never.screen()).toContain('! nothing here');
  });

  test('the reason why there is no gold was that the record lacks it, though the database was missing', () => {
    const { gold_sql: _, ...trajectory } = records[MISMATCH] as Trajectory;
    const all: readonly [Trajectory] = [trajectory];
    const problem = 'database x: there is no file';
    const failed = new StateBed(all).press('enter', 'end');
    failed.finish({ kind: 'compare_failed', trajectory: all[0], problem, goldSql: undefined });
    expect(failed.screen()).toContain('database x: there is no file');
    expect(failed.screen()).not.toContain('the gold is not in the record');
    const found = new StateBed(all).press('enter', 'end');
    found.finish({ kind: 'compare_failed', trajectory: all[0], problem, goldSql: 'SELECT 42' });
    expect(found.screen()).toContain('SELECT 42');
  });

  test('a saved fork still offered to be saved, and said twice where', () => {
    const bed = forked().press('escape');
    expect(bed.screen()).toContain('w save');
    const view = bed.state.views.at(-1);
    if (view?.kind !== 'fork') throw new Error('there is no fork');
    const fork = { trajectory: view.trajectory, ended: true };
    bed.press('w').finish({ kind: 'fork_save', episodeId: 'fork/7', fork });
    expect(bed.screen()).not.toContain('w save');
    expect(bed.screen().split('saved as')).toHaveLength(2);
  });

  test('q in a window that is too small threw an unsaved fork away', () => {
    const bed = forked();
    bed.send({ kind: 'resized', size: { columns: 40, rows: 10 } });
    bed.press('q');
    expect(bed.commands.at(-1)).not.toMatchObject({ kind: 'quit' });
    expect(bed.screen()).toContain('leave without saving');
    expect(bed.press('x').screen()).toContain('window too small');
    bed.press('q', 'y');
    expect(bed.commands.at(-1)).toEqual({ kind: 'quit', interrupted: false });
  });
});
