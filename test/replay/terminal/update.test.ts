import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Trajectory } from '../../../env/trajectory.ts';
import type { AnswerComparison } from '../../../src/replay/ports.ts';
import type { QueryTried } from '../../../src/replay/terminal/state/task.ts';
import { lineWidth } from '../../../src/replay/terminal/text/line.ts';
import { draw } from '../../../src/replay/terminal/views/draw.ts';
import { playShowcase } from '../../support/showcase-records.ts';
import { StateBed } from '../../support/terminal-state.ts';

let records: readonly Trajectory[] = [];
beforeAll(async () => {
  records = await playShowcase();
});

const CUT_QUERY = 0; // the first episode's first step was truncated
const MISMATCH = 4;

function tried(text: string, whole = text): QueryTried {
  const query = {
    status: 'ok' as const,
    sql: 'SELECT 1',
    rowCount: 1,
    capped: false,
    textTruncated: text !== whole,
    textSize: whole.length,
    queryCpuUs: 300,
    queryUs: 400,
    queueUs: 10,
    timeLimit: 'none' as const,
  };
  const result = (content: string) => ({ message: { role: 'tool' as const, content }, query });
  return { shown: result(text), whole: result(whole) };
}

const COMPARISON: AnswerComparison = {
  gold: {
    sql: 'SELECT a',
    status: 'ok',
    errorText: '',
    columns: ['a'],
    rowCount: 3,
    capped: false,
  },
  answer: {
    sql: 'SELECT b',
    status: 'ok',
    errorText: '',
    columns: ['b'],
    rowCount: 3,
    capped: false,
  },
  rows: [
    { kind: 'same', gold: ['1'], answer: ['1'] },
    { kind: 'types', gold: ['2'], answer: ['2.0'] },
    { kind: 'missing', gold: ['3'], answer: undefined },
    { kind: 'extra', gold: undefined, answer: ['"\\u001b[2J"'] },
  ],
  counts: { same: 1, types: 1, missing: 1, extra: 1, order: 0 },
  verdicts: [
    { comparisonMode: 'bag@1', verdict: 'mismatch', reward: 0, flags: [], decided: true },
    { comparisonMode: 'set@1', verdict: 'match', reward: 1, flags: ['gold_tie'], decided: false },
  ],
  explanation: 'One row is missing.',
};

describe('the list', () => {
  test('shows counts, the mean reward and the rows', () => {
    const screen = new StateBed(records).screen();
    expect(screen).toContain('20 episodes');
    expect(screen).toContain('mean reward 0.500');
    expect(screen).toContain('demo/night_trains/11');
  });

  test('a filter is applied as it is typed, and what is no filter says why and changes nothing', () => {
    const bed = new StateBed(records).press('/', '"reward:0 "');
    expect(bed.screen()).toContain('10 of 20 episodes');
    bed.send({ kind: 'key', key: { id: 'paste', text: 'nonsense:1' } });
    expect(bed.screen()).toContain('there is no key nonsense');
    expect(bed.screen()).toContain('10 of 20 episodes');
    bed.press('enter');
    expect(bed.screen()).toContain('there is no key nonsense');
    bed.press('escape');
    expect(bed.screen()).toContain('20 episodes');
  });

  test('a text filter starts a search of those that pass the rest, and shows what it finds', () => {
    const bed = new StateBed(records).press('/', '"reward:1 text:JOIN"', 'enter');
    const started = bed.commands.at(-1);
    expect(started).toMatchObject({
      kind: 'start',
      request: { kind: 'search', terms: [{ text: { words: 'JOIN' } }] },
    });
    bed.send({ kind: 'task_progress', id: 1, count: 3, totalCount: 10 });
    expect(bed.screen()).toContain('searching the records 3 of 10');
    bed.finish({ kind: 'search', matches: [0, 2] });
    expect(bed.screen()).toContain('2 of 20 episodes');
    bed.press('escape');
    expect(bed.screen()).toContain('20 episodes');
  });

  test('Esc cancels a search, and what it still finds is thrown away', () => {
    const bed = new StateBed(records).press('/', '"text:JOIN"', 'enter', 'escape');
    expect(bed.commands.at(-1)).toEqual({ kind: 'cancel', id: 1 });
    expect(bed.screen()).toContain('cancelled');
    bed.finish({ kind: 'search', matches: [0] });
    expect(bed.screen()).toContain('20 episodes');
  });

  test('groups are folded to one row that shows who got it right, and unfold', () => {
    const bed = new StateBed(records).press('g');
    expect(bed.screen()).toContain('●○●●○○×● 4/8 right');
    expect(bed.screen()).not.toContain('answer_sql_error');
    bed.press('right', 'down');
    expect(bed.screen()).toContain('● 00000001');
    bed.press('left');
    expect(bed.screen()).not.toContain('● 00000001');
  });

  test('a group under a filter keeps its whole score, where it showed 0/3 for 4/8', () => {
    const bed = new StateBed(records).press('/', '"verdict:mismatch"', 'enter', 'g');
    const [, , heads, row] = bed.screen().split('\n');
    expect(row).toMatch(/●○●●○○×● 4\/8 right +3 of 8 shown/);
    expect(heads).not.toContain('steps');
    expect(heads?.indexOf('rollouts')).toBe(row?.indexOf('●○●●○○×●'));
    expect(heads?.indexOf('score')).toBe(row?.indexOf('4/8 right'));
    expect(bed.press('right').state.views[0].rows.slice(1, 4)).toEqual([1, 4, 5]);
  });

  test('forks are no rollouts: the score of their group was one of more', () => {
    const fork: Trajectory = {
      ...(records[0] as Trajectory),
      episode_id: 'fork/1',
      parent: { episode_id: 'demo/00000001', step_index: 1 },
    };
    const bed = new StateBed([...records, fork]).press('g');
    expect(bed.screen()).toContain('●○●●○○×● 4/8 right');
    expect(bed.press('right').screen()).toContain('⑂ 1');
    const alone = new StateBed([fork]).press('g');
    expect(alone.screen()).toContain('1/1 right');
  });

  test('a filter that is typed on begins with a blank, so that two terms do not run together', () => {
    const bed = new StateBed(records).press('/', '"reward:0"', 'enter', '/', '"verdict:mismatch"');
    expect(bed.screen()).toContain('reward:0 verdict:mismatch');
    expect(bed.screen()).toContain('7 of 20 episodes');
    expect(bed.press('enter', '/', 'enter').state.views[0].filter).toBe(
      'reward:0 verdict:mismatch',
    );
  });

  test('sorting goes through the columns and turns around', () => {
    const bed = new StateBed(records).press('o', 'o', 'o');
    expect(bed.screen()).toContain('by reward ▲');
    expect(bed.screen().split('\n')[3]).toContain(' 0 ');
    bed.press('O');
    expect(bed.screen()).toContain('by reward ▼');
    expect(
      bed
        .screen()
        .split('\n')
        .some((line) => line.includes('▶')),
    ).toBe(true);
  });

  test('the chosen episode stays chosen when the order changes', () => {
    const bed = new StateBed(records).press('down', 'down', 'down', 'o', 'O');
    const chosen = bed.state.views[0];
    expect(chosen.rows[chosen.cursor]).toBe(3);
  });

  test('problems can be read', () => {
    const problems = [{ location: 'a.jsonl:3', message: 'it is torn' }];
    const bed = new StateBed(records, { problems });
    expect(bed.screen()).toContain('1 problem');
    expect(bed.press('!').screen()).toContain('a.jsonl:3: it is torn');
    expect(bed.press('q').screen()).toContain('20 episodes');
  });

  test('nothing is there to choose in an empty list, and no key breaks it', () => {
    const bed = new StateBed(records).press('/', '"reward:7"', 'enter');
    expect(bed.screen()).toContain('no episode passes the filter');
    bed.press('enter', 'u', 'g', 'right', 'left', 'down', 'G', 'o');
    expect(bed.screen()).toContain('0 of 20 episodes');
  });
});

describe('an episode', () => {
  const open = (index: number, changes = {}): StateBed => {
    const bed = new StateBed(records, changes, { columns: 200, rows: 40 });
    for (let count = 0; count < index; count += 1) bed.press('down');
    return bed.press('enter');
  };

  test('opens with its first turn: what was said, the call, what was seen, the figures', () => {
    const screen = open(CUT_QUERY).screen();
    for (const text of [
      'the model said',
      'First a look at the bookings',
      'run_sql · ok',
      'what the model saw',
    ]) {
      expect(screen).toContain(text);
    }
    expect(screen).toContain('40 rows');
    expect(screen).toContain('queue 0.12 ms');
  });

  test('what was cut away is asked for at once, and shown beside what was seen', () => {
    const bed = open(CUT_QUERY);
    const shown = records[0]?.steps[0]?.messages[0]?.content ?? '';
    const mark = '...(truncated)...';
    const whole = shown.replace(mark, ', "NOT SEEN BY THE MODEL", ');
    expect(bed.commands.at(-1)).toMatchObject({ kind: 'start', request: { kind: 'whole' } });
    const place = { trajectory: records[0] as Trajectory, stepIndex: 0, callIndex: 0 };
    bed.finish({ kind: 'whole', place, ran: tried(shown, whole) });
    expect(bed.screen()).toContain('NOT SEEN BY THE MODEL');
    // It is not asked for again.
    const count = bed.commands.length;
    bed.press('right', 'left');
    expect(bed.commands).toHaveLength(count);
  });

  test('what was cut away is not made up when the database gives another text today', () => {
    const bed = open(CUT_QUERY);
    const place = { trajectory: records[0] as Trajectory, stepIndex: 0, callIndex: 0 };
    bed.finish({ kind: 'whole', place, ran: tried('{"other": 1}') });
    expect(bed.screen()).toContain('The database gives another text today');
  });

  test('without a replayer it says how much was cut, and why no more is known', () => {
    const bed = open(CUT_QUERY, { replayerProblem: 'no-database' });
    expect(bed.screen()).toMatch(/2,225 characters were cut away/);
    expect(bed.screen()).toContain('no-database');
    expect(bed.press('r').screen()).toContain('✗ no-database');
    expect(bed.commands.filter(({ kind }) => kind === 'start')).toHaveLength(1); // reading it
  });

  test('a query that can not be run again is tried once, not for ever', () => {
    const bed = open(CUT_QUERY).fail('the server is gone');
    expect(bed.screen()).toContain('the query could not be run again: the server is gone');
    const count = bed.commands.length;
    bed.press('right', 'left', 't', 't');
    expect(bed.commands).toHaveLength(count);
  });

  test('the verdict shows both queries, the rows that differ, and every mode', () => {
    const bed = open(MISMATCH).press('end');
    bed.finish({
      kind: 'compare',
      trajectory: records[MISMATCH] as Trajectory,
      comparison: COMPARISON,
    });
    const screen = bed.screen();
    expect(screen).toContain('One row is missing.');
    expect(screen).toMatch(/▸ bag@1 +mismatch +reward 0 +decided/);
    expect(screen).toMatch(/set@1 +match +reward 1 +gold_tie/);
    expect(screen).toContain('1 same · 1 missing · 1 extra · 1 types');
    expect(screen).toMatch(/2 +│~│ +2\.0/);
    expect(screen).toMatch(/3 +│-│/);
    expect(screen).toContain('␛[2J');
  });

  test('the verdict of a narrow screen is one below the other', () => {
    const bed = new StateBed(records, {}, { columns: 62, rows: 30 }).press('enter', 'end');
    bed.finish({ kind: 'compare', trajectory: records[0] as Trajectory, comparison: COMPARISON });
    expect(bed.screen()).toMatch(/~ +2\n?/);
    expect(bed.screen()).not.toContain('││');
  });

  test('running a query again says that it is the same to the byte, or shows the difference', () => {
    const bed = open(CUT_QUERY).press('right', 'r');
    const step = records[0]?.steps[1];
    const text = step?.messages[0]?.content ?? '';
    const place = { trajectory: records[0] as Trajectory, stepIndex: 1, callIndex: 0 };
    bed.finish({ kind: 'rerun', place, ran: tried(text) });
    expect(bed.screen()).toContain('✓ the same to the byte');
    bed.press('r').finish({ kind: 'rerun', place, ran: tried(text.replace('221100', '7')) });
    expect(bed.screen()).toContain('it differs from the record');
    expect(bed.screen()).toContain('-["Aksel Toft", 221100],');
    expect(bed.screen()).toContain('+["Aksel Toft", 7],');
  });

  test('a check tells what differs, or that nothing does', () => {
    const bed = open(CUT_QUERY).press('c');
    bed.finish({ kind: 'check', check: { kind: 'same' }, reasons: [] });
    expect(bed.screen()).toContain('everything came out as recorded');
    const difference = {
      episodeId: 'e',
      stepIndex: 1,
      what: 'observation',
      recorded: 'a',
      now: 'b',
    };
    bed.press('c').finish({
      kind: 'check',
      check: { kind: 'different', differences: [difference] },
      reasons: ['SQLite 3.99 runs here, and SQLite 3.53 was recorded'],
    });
    expect(bed.screen()).toContain('SQLite 3.99 runs here, and SQLite 3.53 was recorded');
    expect(bed.screen()).not.toContain('No newline at end of file');
    expect(bed.screen()).toContain('step 1: observation differs');
  });

  test('a page that is asked for before the record is read is shown once it is', () => {
    const bed = new StateBed(records).press('enter');
    const unread = { ...bed.state, views: bed.state.views };
    const view = unread.views[1];
    if (view?.kind !== 'episode') throw new Error('no episode was opened');
    bed.state = { ...unread, views: [unread.views[0], { ...view, trajectory: undefined }] };
    bed.press('end');
    bed.commands.push({ kind: 'start', id: 77, request: { kind: 'read', index: 0 } });
    const task = {
      id: 77,
      request: { kind: 'read' as const, index: 0 },
      label: '',
      depth: 2,
      count: 0,
      totalCount: 0,
    };
    bed.state = { ...bed.state, tasks: [task] };
    bed.finish({ kind: 'read', index: 0, trajectory: records[0] as Trajectory });
    expect(bed.screen()).toContain('[verdict');
  });

  test('] and [ go through the filtered list', () => {
    const bed = new StateBed(records).press('/', '"verdict:mismatch"', 'enter', 'enter', ']');
    expect(bed.screen()).toContain('2 of 7');
    expect(bed.press('[', '[').screen()).toContain('this is the first episode');
  });

  test('a group of rollouts stands side by side, and one of them opens', () => {
    const bed = open(CUT_QUERY).press('u');
    expect(bed.screen()).toContain('8 rollouts');
    expect(bed.screen()).toMatch(/▶ +1 ● match/);
    bed.press('right', 'enter');
    expect(bed.screen()).toContain('2 of 20');
    expect(bed.press('q').screen()).toContain('8 rollouts');
  });

  test('several calls of a turn are gone through', () => {
    const bed = open(1);
    expect(bed.screen()).toContain('what the model saw (1 of 2)');
    expect(bed.press('.').screen()).toContain('what the model saw (2 of 2)');
    expect(bed.press('.', ',').screen()).toContain('what the model saw (1 of 2)');
  });

  test('a record that is gone says so and leads back', () => {
    const bed = new StateBed([]);
    bed.state = {
      ...bed.state,
      facts: { ...bed.state.facts, episodes: new StateBed(records).state.facts.episodes },
    };
    bed.press('g', 'g', 'enter');
    expect(bed.screen()).toContain('✗ gone');
    expect(bed.press('q').screen()).toContain('20 episodes');
  });
});

describe('editing and forking', () => {
  test('a query is edited and run, and its result is what the model would see', () => {
    const bed = new StateBed(records).press(
      'enter',
      'right',
      'e',
      'ctrl-u',
      '"SELECT 1"',
      'ctrl-s',
    );
    expect(bed.commands.at(-1)).toMatchObject({ request: { kind: 'try_query', sql: 'SELECT 1' } });
    bed.finish({ kind: 'try_query', ran: tried('{"columns": ["1"], "rows": [[1]]}') });
    expect(bed.screen()).toContain('{"columns": ["1"], "rows": [[1]]}');
    expect(bed.press('escape', 'escape').screen()).toContain('what the model saw');
  });

  test('an answer is edited and graded against the gold', () => {
    const bed = new StateBed(records).press('enter', 'end', 'e', 'ctrl-s');
    expect(bed.commands.at(-1)).toMatchObject({ request: { kind: 'try_answer' } });
    bed.finish({ kind: 'try_answer', comparison: COMPARISON });
    expect(bed.screen()).toContain('One row is missing.');
  });

  test('what fails to run is said where its result would be', () => {
    const bed = new StateBed(records).press('enter', 'e', 'ctrl-s').fail('the thread died');
    expect(bed.screen()).toContain('│ the thread died');
  });

  test('a fork takes steps, asks before it is lost, and is saved', () => {
    const parent = records[0] as Trajectory;
    const fork = { trajectory: { ...parent, steps: parent.steps.slice(0, 1) }, ended: false };
    const bed = new StateBed(records).press('enter', 'right', 'f');
    expect(bed.commands.at(-1)).toMatchObject({ request: { kind: 'fork_open', stepIndex: 1 } });
    bed.finish({ kind: 'fork_open', forkId: 5, fork });
    expect(bed.screen()).toContain('fork at step 1');
    // Nothing was done by hand: leaving loses nothing.
    bed.press('"SELECT 2"', 'ctrl-s');
    expect(bed.commands.at(-1)).toMatchObject({
      request: { kind: 'fork_run', input: 'sql', text: 'SELECT 2' },
    });
    bed.finish({
      kind: 'fork_run',
      fork: { trajectory: { ...parent, steps: parent.steps.slice(0, 2) }, ended: false },
    });
    expect(bed.screen()).toContain('by hand');
    bed.press('escape', 'q');
    expect(bed.screen()).toContain('leave without saving the fork?');
    bed.press('n', 'w');
    bed.finish({ kind: 'fork_save', episodeId: 'fork/1', fork: { ...fork, ended: true } });
    expect(bed.screen()).toContain('✓ saved as fork/1 in forks.jsonl');
    bed.press('q');
    expect(bed.commands.at(-1)).toEqual({ kind: 'discard_fork', forkId: 5 });
  });

  test('a fork that was opened after its wait was cancelled is closed', () => {
    const bed = new StateBed(records).press('enter', 'f', 'escape');
    bed.finish({
      kind: 'fork_open',
      forkId: 9,
      fork: { trajectory: records[0] as Trajectory, ended: false },
    });
    expect(bed.commands.at(-1)).toEqual({ kind: 'discard_fork', forkId: 9 });
    expect(bed.screen()).not.toContain('fork at step');
  });

  test('tab chooses between a query, an answer and a whole turn', () => {
    const fork = { trajectory: records[0] as Trajectory, ended: false };
    const bed = new StateBed(records)
      .press('enter', 'f')
      .finish({ kind: 'fork_open', forkId: 1, fork });
    expect(bed.press('tab').screen()).toContain('the final answer, as SQL');
    expect(bed.press('tab').screen()).toContain('a whole turn');
    bed.press('"hm"', 'ctrl-s');
    expect(bed.commands.at(-1)).toMatchObject({
      request: { kind: 'fork_run', input: 'turn', text: 'hm' },
    });
  });
});

describe('whatever happens', () => {
  const KEYS = [
    ...['up', 'down', 'left', 'right', 'home', 'end', 'page-up', 'page-down', 'enter', 'escape'],
    ...[
      'tab',
      'shift-tab',
      'ctrl-s',
      'ctrl-u',
      '/',
      '?',
      '!',
      '[',
      ']',
      '.',
      ',',
      ' ',
      'q',
      'g',
      'u',
    ],
    ...['o', 'O', 'r', 'c', 's', 'e', 'f', 'z', 't', 'w', 'i', 'n', 'y', 'a'],
  ];
  const sizes = fc.record({
    columns: fc.integer({ min: 1, max: 200 }),
    rows: fc.integer({ min: 1, max: 60 }),
  });
  const events = fc.array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...KEYS) },
      { weight: 1, arbitrary: sizes },
      { weight: 1, arbitrary: fc.constantFrom('#fail', '#tick') },
    ),
    { maxLength: 60 },
  );

  test('the screen is exactly as large as the terminal, and nothing raw is on it', () => {
    fc.assert(
      fc.property(events, sizes, (all, size) => {
        const bed = new StateBed(records, {}, size);
        for (const event of all) {
          if (typeof event === 'object') bed.send({ kind: 'resized', size: event });
          else if (event === '#tick') bed.send({ kind: 'tick' });
          else if (event === '#fail')
            bed.send({ kind: 'task_failed', id: bed.state.tasks[0]?.id ?? 0, message: 'no\x1b' });
          else bed.press(event);
          const lines = draw(bed.state);
          expect(lines).toHaveLength(bed.state.size.rows);
          for (const line of lines) expect(lineWidth(line)).toBe(bed.state.size.columns);
        }
        expect(bed.screen().replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
      }),
      { numRuns: 60 },
    );
  });
});
