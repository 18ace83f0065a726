import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FILTER_FIELDS, filterKey, type FilterKey } from '../../src/replay/filter-fields.ts';
import { globTest } from '../../src/replay/filter-glob.ts';
import { FILTER_SIZE_MAX } from '../../src/replay/filter-parse.ts';
import type { FilterTerm, FilterText } from '../../src/replay/filter-terms.ts';
import {
  FILTER_KEYS,
  filterTest,
  formatFilter,
  parseFilter,
  type EpisodeFilter,
} from '../../src/replay/filter.ts';
import type { EpisodeSummary } from '../../src/replay/ports.ts';
import { recordHolds } from '../../src/replay/record-holds.ts';
import { summary } from '../support/episode-summary.ts';

function parsed(source: string): EpisodeFilter {
  const result = parseFilter(source);
  if (result.kind === 'problem') throw new Error(`${source}: ${result.message}`);
  return result.filter;
}

function problemOf(source: string): string {
  const result = parseFilter(source);
  return result.kind === 'problem' ? `${result.offset}: ${result.message}` : 'none';
}

const passes = (source: string, changes: Partial<EpisodeSummary> = {}): boolean =>
  filterTest(parsed(source))(summary(changes));

describe('what is wrong with a filter is said', () => {
  test.each([
    ['databse:x', '0: there is no key databse; did you mean database?'],
    ['verdit:match', '0: there is no key verdit; did you mean verdict?'],
    ['reward:1 tool_cals>1', '9: there is no key tool_cals; did you mean tool_calls?'],
    ['qqqqqqqq:1', '0: there is no key qqqqqqqq; put "qqqqqqqq:..." in quotes to search for it'],
    ['a>b', expect.stringContaining('there is no key a') as string],
    ['tool_calls:many', '11: tool_calls takes a number, as in tool_calls>1; "many" is none'],
    ['tool_calls>', '11: tool_calls: a value is missing'],
    ['steps>none', '6: steps takes a number, as in steps>1; "none" is none'],
    ['steps>1,2', '9: steps> takes one number; several are for steps:1,2'],
    ['steps:0x10', expect.stringContaining('takes a number') as string],
    ['steps:Infinity', expect.stringContaining('takes a number') as string],
    ['steps:1e999', expect.stringContaining('takes a number') as string],
    ['db>a', '3: db takes a text, as in db:a'],
    ['db:', '3: db: a value is missing'],
    ['db:a,', '5: db: a value is missing'],
    ['db:,a', '3: db: a value is missing'],
    ['mode:evil', '5: mode is one of train, eval; did you mean eval?'],
    ['end:finished', expect.stringContaining('end is one of terminated, truncated,') as string],
    ['fork:maybe', expect.stringContaining('fork takes yes or no') as string],
    ['fork>yes', expect.stringContaining('fork takes yes or no') as string],
    ['text:', '5: text: a word is missing, as in text:JOIN'],
    ['sql:', '4: sql: a word is missing, as in sql:JOIN'],
    ['text>JOIN', expect.stringContaining('text takes a colon') as string],
    ['"open', '0: the quote is not closed'],
    ['"open\\"', '0: the quote is not closed'],
    ['db:"a"b', expect.stringContaining('a space after a closing quote') as string],
    ['wo"rd"', expect.stringContaining('a quote must be at the start') as string],
    ['x'.repeat(FILTER_SIZE_MAX + 1), expect.stringContaining('at most 10000') as string],
  ])('%s', (source, message) => {
    expect(problemOf(source)).toEqual(message);
  });

  test('and nothing is wrong with a filter of the greatest size', () => {
    expect(problemOf('x'.repeat(FILTER_SIZE_MAX))).toBe('none');
    expect(problemOf(`"${'\\"'.repeat(FILTER_SIZE_MAX / 2 - 1)}"`)).toBe('none');
  });
});

describe('a filter lets pass', () => {
  test.each<[string, Partial<EpisodeSummary>, boolean]>([
    ['', {}, true],
    ['  ', {}, true],
    ['reward:0 verdict:mismatch', { reward: 0, verdict: 'mismatch' }, true],
    ['reward:0 verdict:mismatch', { reward: 0 }, false],
    ['verdict:MATCH', {}, true],
    ['db:concert_singer', {}, true],
    ['db:concert', {}, false],
    ['db:concert*', {}, true],
    ['db:"concert*"', {}, false],
    ['db:*_singer,pets', {}, true],
    ['database_id:pets,concert_singer', {}, true],
    ['-db:pets', {}, true],
    ['-db:pets,concert_singer', {}, false],
    ['task:spider/dev/17', {}, true],
    ['task:spider/dev/1', {}, false],
    ['difficulty:none', { difficulty: '' }, true],
    ['difficulty:none', {}, false],
    ['difficulty:"none"', { difficulty: 'none' }, true],
    ['hardness:easy', {}, true],
    ['mode:train', {}, true],
    ['mode:tr*', {}, true],
    ['flag:both_empty', { flags: ['gold_tie', 'both_empty'] }, true],
    ['flag:both_empty', {}, false],
    ['flag:none', {}, true],
    ['flag:none', { flags: ['gold_tie'] }, false],
    ['flag:*', { flags: ['gold_tie'] }, true],
    ['end:truncated reason:step_limit', { end: 'truncated', endReason: 'step_limit' }, true],
    ['tool_calls>1', { toolCallCount: 2 }, true],
    ['tool_calls>1', { toolCallCount: 1 }, false],
    ['steps>=3', { stepCount: 3 }, true],
    ['steps<=3 steps:>2', { stepCount: 3 }, true],
    ['steps=2,4', { stepCount: 4 }, true],
    ['steps:2,4', { stepCount: 3 }, false],
    ['truncated>0', { truncatedCount: 1 }, true],
    ['failed>0', {}, false],
    ['tokens<500', {}, true],
    ['step_ms>12.4', {}, true],
    ['duration_ms>1e3', {}, false],
    ['reward:none', { reward: undefined }, true],
    ['reward:none', {}, false],
    ['reward<1', { reward: undefined }, false],
    ['-reward:1', { reward: undefined }, true],
    ['reward>-1', { reward: 0 }, true],
    ['fork:yes', { parentId: 'e/0' }, true],
    ['fork:no', {}, true],
    ['-fork:no', {}, false],
    ['parent:e/0', { parentId: 'e/0' }, true],
    ['SINGERS', {}, true],
    ['dev/17', {}, true],
    ['e/1', {}, true],
    ['concert_singer', {}, false],
    ['-singers', {}, false],
    ['"singers are"', {}, true],
    ['singers are', {}, true],
    ['are singers', {}, true],
    ['"are singers"', {}, false],
    ['many*there', {}, true],
    ['"many*there"', {}, false],
    ['question:"many singers"', {}, true],
    ['none', {}, false],
    ['none', { question: 'Is there none?' }, true],
    ['-', { question: 'A - B' }, true],
    ['"-x"', { question: 'a-x' }, true],
    ['"db:pets"', { question: 'what is db:pets?' }, true],
  ])('%s %j: %s', (source, changes, passed) => {
    expect(passes(source, changes)).toBe(passed);
  });

  test('texts are kept apart, since they need the record', () => {
    expect(parsed('reward:1 text:JOIN -text:"GROUP BY" text:count(*),x').textTerms).toEqual([
      { text: { words: 'JOIN', where: 'text' }, negated: false },
      { text: { words: 'GROUP BY', where: 'text' }, negated: true },
      { text: { words: 'count(*),x', where: 'text' }, negated: false },
    ]);
    expect(parsed('SQL:"order by"').textTerms).toEqual([
      { text: { words: 'order by', where: 'sql' }, negated: false },
    ]);
    expect(passes('text:whatever')).toBe(true);
  });

  test('every key that is offered is understood', () => {
    for (const key of FILTER_KEYS) {
      if (key === 'text' || key === 'sql') continue;
      const field = FILTER_FIELDS[filterKey(key) as FilterKey];
      const value = { text: '*', number: '1', switch: 'yes' }[field.kind];
      expect(parseFilter(`${key}:${value}`).kind, key).toBe('filter');
    }
  });
});

describe('fuzz', () => {
  const pieces = fc.constantFrom(
    ...['"', '\\', '-', ':', '>', '<', '=', ',', '*', ' ', '\n', 'none', 'db', 'steps', 'text'],
    ...['fork', 'yes', 'a', '1', '.', 'e', 'é', '\u{1F3A4}', '\u2028', '\0', 'reward', '--'],
  );
  const sources = fc.oneof(
    fc.array(pieces, { maxLength: 30 }).map((parts) => parts.join('')),
    fc.string({ unit: 'binary', maxLength: 60 }),
  );

  test('no text makes the parser throw, and what it understands survives printing', () => {
    let understood = 0;
    fc.assert(
      fc.property(sources, (source) => {
        const result = parseFilter(source);
        if (result.kind === 'problem') {
          expect(result.message).not.toBe('');
          expect(result.offset).toBeLessThanOrEqual(source.length);
          return;
        }
        understood += 1;
        expect(parseFilter(formatFilter(result.filter))).toEqual(result);
        filterTest(result.filter)(summary());
      }),
      { numRuns: 5_000 },
    );
    expect(understood).toBeGreaterThan(500);
  });

  test('every filter can be printed and comes back the same', () => {
    const literal: fc.Arbitrary<FilterText> = fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .map((text) => ({ text, wildcard: false }));
    const wildcard: fc.Arbitrary<FilterText> = fc
      .array(fc.constantFrom('*', 'a', 'é', '/', '_', '-'), { minLength: 1, maxLength: 6 })
      .map((parts) => ({ text: `a${parts.join('')}*`, wildcard: true }));
    const text = fc.oneof(literal, wildcard);
    const keysOf = (kind: 'text' | 'number' | 'switch'): FilterKey[] =>
      (Object.keys(FILTER_FIELDS) as FilterKey[]).filter(
        (key) => FILTER_FIELDS[key].kind === kind && !('allowed' in FILTER_FIELDS[key]),
      );
    const negated = fc.boolean();
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
      fc.integer(),
    );
    const term: fc.Arbitrary<FilterTerm> = fc.oneof(
      fc.record({ kind: fc.constant('words' as const), words: text, negated }),
      fc.record({
        kind: fc.constant('texts' as const),
        key: fc.constantFrom(...keysOf('text')),
        texts: fc.array(text, { minLength: 1, maxLength: 3 }),
        negated,
      }),
      fc.record({
        kind: fc.constant('numbers' as const),
        key: fc.constantFrom(...keysOf('number')),
        operator: fc.constant('=' as const),
        numbers: fc.array(fc.option(number, { nil: undefined }), { minLength: 1, maxLength: 3 }),
        negated,
      }),
      fc.record({
        kind: fc.constant('numbers' as const),
        key: fc.constantFrom(...keysOf('number')),
        operator: fc.constantFrom('>' as const, '>=' as const, '<' as const, '<=' as const),
        numbers: number.map((value) => [value]),
        negated,
      }),
      fc.record({
        kind: fc.constant('switch' as const),
        key: fc.constantFrom(...keysOf('switch')),
        wanted: fc.boolean(),
        negated,
      }),
    );
    const textTerm = fc.record({
      text: fc.record({
        words: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
        where: fc.constantFrom('text' as const, 'sql' as const),
      }),
      negated,
    });
    const filters = fc.record({
      terms: fc.array(term, { maxLength: 4 }),
      textTerms: fc.array(textTerm, { maxLength: 2 }),
    });
    fc.assert(
      fc.property(filters, (filter) => {
        const printed = formatFilter(filter);
        expect(parseFilter(printed), printed).toEqual({ kind: 'filter', filter });
      }),
      { numRuns: 3_000 },
    );
  });

  test('a pattern with stars is what the regular expression says', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'B', '.'), { maxLength: 8 });
    const patterns = fc.array(fc.constantFrom('a', 'b', '*', '.'), { maxLength: 6 });
    fc.assert(
      fc.property(patterns, letters, (pattern, text) => {
        const source = pattern.map((part) => (part === '*' ? '.*' : part.replace('.', '\\.')));
        const expected = new RegExp(`^${source.join('')}$`, 'i').test(text.join(''));
        expect(globTest(pattern.join(''))(text.join(''))).toBe(expected);
      }),
      { numRuns: 2_000 },
    );
  });

  test('a pattern of many stars does not hold up the list', () => {
    const test = globTest(`${'a*'.repeat(2_000)}b`);
    expect(test('a'.repeat(100_000))).toBe(false);
  });
});

test('a record holds a text in any of its values, not in its keys', () => {
  const record = {
    key: ['x', { inner: 'SELECT "a"\nFROM t' }],
    messages: [],
    number: 7,
    steps: [],
  };
  const holds = (words: string): boolean =>
    recordHolds({ ...record, grade: null }, { words, where: 'text' });
  expect(holds('select "A"\nfrom')).toBe(true);
  expect(holds('inner')).toBe(false);
  expect(holds('')).toBe(true);
});

test('bug: a verdict or a flag that there is not let nothing pass, without a word', () => {
  expect(problemOf('verdict:mismach')).toContain('; did you mean mismatch?');
  expect(problemOf('flag:both_emtpy')).toContain('; did you mean both_empty?');
  expect(problemOf('-verdict:wrong')).toMatch(/^9: verdict is one of none, match, mismatch, /);
  expect(problemOf('verdict:"match*"')).toContain('verdict is one of');
  for (const fine of ['verdict:answer_*', 'verdict:None', 'flag:none,Gold_Tie', 'flag:*']) {
    expect(problemOf(fine)).toBe('none');
  }
});
