import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkArguments, checkSql, parseToolCalls } from '../../env/hermes.ts';
import {
  forbiddenText,
  malformedCallText,
  timeLimitText,
  tooBigText,
  unknownToolText,
} from '../../env/refusals.ts';
import { runPython, timeMs } from './run-python.ts';

const call = (query: string) =>
  `<tool_call>\n{"name": "run_sql", "arguments": {"query": ${JSON.stringify(query)}}}\n</tool_call>`;

/** What verl finds: `tool_parser.py`, with the standard library's `re` for the package `regex`. */
const REFERENCE = `
import re
PATTERN = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL)
def find(text):
    if "<tool_call>" not in text or "</tool_call>" not in text:
        return []
    names = []
    for match in PATTERN.findall(text):
        try:
            call = json.loads(match)
            name, arguments = call["name"], call["arguments"]
            if not isinstance(name, str):
                raise TypeError(name)
            names.append([name, json.dumps(arguments, sort_keys=False)])
        except Exception:
            pass
    return names
print(json.dumps([find(t) for t in input_value]))
`;

const dumps = (value: unknown): string =>
  value instanceof Map
    ? `{${[...(value as Map<string, unknown>)].map(([k, v]) => `${dumps(k)}: ${dumps(v)}`).join(', ')}}`
    : Array.isArray(value)
      ? `[${value.map(dumps).join(', ')}]`
      : JSON.stringify(value);

describe('parseToolCalls', () => {
  it('finds a call, with newlines and other keys around', () => {
    expect(parseToolCalls(`I look.\n${call('SELECT 1')}\n`)).toEqual({
      calls: [{ kind: 'call', name: 'run_sql', arguments: new Map([['query', 'SELECT 1']]) }],
      hasTags: true,
    });
    const other = '<tool_call>{"id": 1, "name": "x", "arguments": null, "z": []}</tool_call>';
    expect(parseToolCalls(other).calls).toEqual([{ kind: 'call', name: 'x', arguments: null }]);
  });

  it.each([
    [
      'malformed JSON',
      '<tool_call>{"name": "run_sql", "arguments": {"query": "SELECT 1}</tool_call>',
    ],
    ['a trailing comma', '<tool_call>{"name": "run_sql", "arguments": {},}</tool_call>'],
    ['single quotes', "<tool_call>{'name': 'run_sql', 'arguments': {}}</tool_call>"],
    ['a raw newline in a string', '<tool_call>{"name": "a\nb", "arguments": {}}</tool_call>'],
    [
      '`parameters` for `arguments`',
      '<tool_call>{"name": "run_sql", "parameters": {}}</tool_call>',
    ],
    ['a name that is no string', '<tool_call>{"name": 7, "arguments": {}}</tool_call>'],
    ['no name', '<tool_call>{"arguments": {}}</tool_call>'],
    ['a list', '<tool_call>["run_sql", {}]</tool_call>'],
    ['a string', '<tool_call>"name arguments"</tool_call>'],
    ['nothing', '<tool_call></tool_call>'],
    ['a tag inside', `<tool_call> ${call('SELECT 1')}`],
    ['no end tag', '<tool_call>{"name": "run_sql", "arguments": {}}'],
    ['the tags in the wrong order', '</tool_call>{"name": "x", "arguments": {}}<tool_call>'],
  ])('calls %s malformed', (_, text) => {
    expect(parseToolCalls(text)).toEqual({ calls: [{ kind: 'malformed' }], hasTags: true });
  });

  it.each([
    ['no tag', 'SELECT 1'],
    ['only an end tag', '{"name": "run_sql", "arguments": {}}</tool_call>'],
    ['another tag', '<tool_calls>{"name": "run_sql", "arguments": {}}</tool_calls>'],
    ['upper case', call('SELECT 1').toUpperCase()],
  ])('finds nothing in text with %s', (_, text) => {
    expect(parseToolCalls(text)).toEqual({ calls: [], hasTags: false });
  });

  it('keeps the order of good and bad calls', () => {
    const text = `${call('a')}<tool_call>oops</tool_call>${call('b')}<tool_call>{`;
    expect(parseToolCalls(text).calls.map((each) => each.kind)).toEqual([
      'call',
      'malformed',
      'call',
      'malformed',
    ]);
  });

  it('finds the calls that verl finds, in any text', () => {
    const piece = fc.constantFrom(
      '<tool_call>',
      '</tool_call>',
      '<tool_call',
      'tool_call>',
      '<',
      '>',
      '\n',
      ' ',
      '😀',
      '{"name": "run_sql", "arguments": {"query": "SELECT 1"}}',
      '{"name": "x", "arguments": 1}',
      '{"name": "x", "arguments": [1, {"a": null}]}',
      '{"name": 1, "arguments": {}}',
      '{}',
      '[]',
      '{"name": "x", "arguments": "\\ud800"}',
      '{"name": "a", "name": "b", "arguments": {}}',
      '{"name": "é", "arguments": "</tool_call>"}',
      '{"arguments": {}, "name": "y"',
      '}',
      '"',
      'x',
    );
    const wrapped = piece.map((text) => `<tool_call>${text}</tool_call>`);
    const text = fc
      .array(fc.oneof(piece, wrapped), { maxLength: 8 })
      .map((parts) => parts.join(''));
    const texts = fc.sample(text, { numRuns: 4000, seed: 10 });
    const found = texts.map((each) =>
      parseToolCalls(each).calls.flatMap((one) =>
        one.kind === 'call' ? [[one.name, dumps(one.arguments)]] : [],
      ),
    );
    expect(found).toEqual(runPython(REFERENCE, texts));
  });

  it('takes linear time on megabytes of tags', () => {
    for (const text of [
      '<tool_call>'.repeat(100_000),
      '</tool_call>'.repeat(100_000),
      '<tool_call></tool_call>'.repeat(45_000),
      `${'<tool_call>'.repeat(90_000)}</tool_call>`,
      `<tool_call>${'{"name":'.repeat(100_000)}</tool_call>`,
    ]) {
      expect(timeMs(() => parseToolCalls(text))).toBeLessThan(3000);
    }
  });
});

describe('checkArguments', () => {
  it.each([
    ['an object', '{"query": "SELECT 1"}'],
    ['a string that holds one', '"{\\"query\\": \\"SELECT 1\\"}"'],
    ['other keys', '{"timeout": 5, "query": "SELECT 1", "x": null}'],
    ['the last of two keys', '{"query": "SELECT 2", "query": "SELECT 1"}'],
  ])('takes %s', (_, json) => {
    expect(checkArguments(json)).toEqual({ ok: true, sql: 'SELECT 1' });
  });

  it('takes SQL as it is: comments, quotes, blanks, nothing', () => {
    for (const sql of ['-- note\nSELECT 1', "SELECT 'two  spaces'", '', ' ', 'SELECT "é😀"']) {
      expect(checkArguments(JSON.stringify({ query: sql }))).toEqual({ ok: true, sql });
    }
  });

  it.each([
    ['no JSON', 'SELECT 1', "they are not valid JSON; the string field 'query' is required"],
    ['nothing', '', "they are not valid JSON; the string field 'query' is required"],
    [
      'a cut object',
      '{"query": "SEL',
      "they are not valid JSON; the string field 'query' is required",
    ],
    ['null', 'null', "they must be an object with the string field 'query'"],
    ['a list', '["SELECT 1"]', "they must be an object with the string field 'query'"],
    ['a number', '7', "they must be an object with the string field 'query'"],
    ['SQL as a string', '"SELECT 1"', "they must be an object with the string field 'query'"],
    ['a list in a string', '"[1]"', "they must be an object with the string field 'query'"],
    [
      'an object in two strings',
      '"\\"{}\\""',
      "they must be an object with the string field 'query'",
    ],
    ['no query', '{}', "the field 'query' is missing"],
    ['another name', '{"sql": "SELECT 1"}', "the field 'query' is missing"],
    ['a null query', '{"query": null}', "the field 'query' is missing"],
    ['an inherited name', '{"__proto__": {"query": "SELECT 1"}}', "the field 'query' is missing"],
    ['a number', '{"query": 1}', "the field 'query' must be a string"],
    ['a list of queries', '{"query": ["SELECT 1"]}', "the field 'query' must be a string"],
    [
      'a half pair',
      '{"query": "\\ud800"}',
      "the field 'query' holds a lone surrogate, which SQL can't hold",
    ],
    [
      'a NUL',
      '{"query": "a\\u0000b"}',
      "the field 'query' holds a NUL character, which SQL can't hold",
    ],
    [
      'SQL over the limit',
      JSON.stringify({ query: 'é'.repeat(32_769) }),
      "the field 'query' is longer than 65536 bytes",
    ],
  ])('names the field for %s', (_, json, problem) => {
    const text = `{"error": "invalid arguments for run_sql: ${problem}"}`;
    expect(checkArguments(json)).toEqual({ ok: false, status: 'invalid_arguments', text });
  });

  it('takes SQL up to the limit', () => {
    expect(checkSql('é'.repeat(32_768)).ok).toBe(true);
    expect(checkSql('a'.repeat(65_535)).ok).toBe(true);
    expect(checkSql('a'.repeat(65_537)).ok).toBe(false);
  });
});

describe('refusals', () => {
  it('answers an unknown tool as verl does', () => {
    expect(unknownToolText('runsql')).toBe(
      "Unknown function 'runsql'. Available tools: ['run_sql']",
    );
    expect(unknownToolText('a\ud800b😀')).toBe(
      "Unknown function 'a\\ud800b😀'. Available tools: ['run_sql']",
    );
  });

  it('names the clock and the limit', () => {
    const limits = { queryCpuMsMax: 2000, queryWallMsMax: 10_000 };
    expect(timeLimitText('cpu', limits)).toBe(
      '{"error": "query took too long: over 2000 ms of CPU time"}',
    );
    expect(timeLimitText('wall', limits)).toBe(
      '{"error": "query took too long: over 10000 ms of wall-clock time"}',
    );
  });

  it('fits into the default observation size, and holds no tag', () => {
    const problem = checkArguments('{"query": "\\u0000"}');
    const texts = [
      malformedCallText(),
      forbiddenText(),
      tooBigText(),
      problem.ok ? '' : problem.text,
    ];
    for (const text of texts) {
      expect(text.length).toBeLessThanOrEqual(256);
      expect(text).not.toContain('<');
      expect(Object.keys(JSON.parse(text) as object)).toEqual(['error']);
    }
  });
});
