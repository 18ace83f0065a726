import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePythonJson, type JsonParsed, type JsonValue } from '../../env/json-parse.ts';
import { runPython, timeMs } from './run-python.ts';

/** Maps as lists of entries in the order of first insertion, numbers as text: what both languages can be asked for. */
function canonical(value: JsonValue): unknown {
  if (value instanceof Map) {
    return { entries: [...value].map(([key, item]) => [key, canonical(item as JsonValue)]) };
  }
  if (Array.isArray(value)) return value.map(canonical);
  if (typeof value === 'bigint') return { number: String(Number(value)) };
  if (typeof value === 'number') return { number: String(value) };
  return value;
}

const shown = (parsed: JsonParsed): unknown =>
  parsed.ok ? { value: canonical(parsed.value) } : 'malformed';

const REFERENCE = `
import struct
def canonical(value):
    if isinstance(value, dict):
        return {'entries': [[k, canonical(v)] for k, v in value.items()]}
    if isinstance(value, list):
        return [canonical(v) for v in value]
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return value
    return {'double': struct.pack('>d', as_double(value)).hex()}
def as_double(value):
    try:
        return float(value)
    except OverflowError:
        return float('inf') if value > 0 else float('-inf')
def shown(text):
    try:
        return {'value': canonical(json.loads(text))}
    except Exception:
        return 'malformed'
print(json.dumps([shown(t) for t in input_value]))
`;

/** Doubles travel as bits, since JSON has no NaN. */
function withDoubles(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withDoubles);
  if (typeof value !== 'object' || value === null) return value;
  if ('double' in value && typeof value.double === 'string') {
    const x = Buffer.from(value.double, 'hex').readDoubleBE(0);
    return { number: String(x) };
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withDoubles(item)]));
}

function expectSameAsPython(texts: readonly string[]): void {
  const expected = withDoubles(runPython(REFERENCE, texts));
  expect(texts.map((text) => ({ text, result: shown(parsePythonJson(text)) }))).toEqual(
    texts.map((text, index) => ({ text, result: (expected as unknown[])[index] })),
  );
}

describe('parsePythonJson', () => {
  it('reads and refuses what json.loads reads and refuses', () => {
    expectSameAsPython([
      '',
      ' ',
      'null',
      'true',
      'false',
      'nul',
      'nullx',
      'True',
      '1',
      '-1',
      '0',
      '-0',
      '01',
      '-',
      '1.',
      '1.5',
      '.5',
      '1e5',
      '1E+5',
      '1e',
      '1e-',
      '-1.5e-3',
      '+1',
      '1_000',
      '0x10',
      '1e999',
      'NaN',
      '-NaN',
      'Infinity',
      '-Infinity',
      'inf',
      '[NaN, -Infinity]',
      '9007199254740993',
      '123456789012345678901234567890',
      '"a"',
      '"a',
      "'a'",
      '"	"',
      '"\n"',
      '"\0"',
      '""',
      '"\\n\\t\\"\\\\\\/\\b\\f\\r"',
      '"\\x41"',
      '"\\u0041"',
      '"\\u004"',
      '"\\u00zz"',
      '"\\U0041"',
      '"\\ud83d\\ude00"',
      '"\\ud800"',
      '"\\udc00"',
      '"\\ud800\\ud800"',
      '"\\ud800\\u0041"',
      '"\\ud800\\n"',
      '"\\ud800\\uZZZZ"',
      '"\\ud800\\',
      '"\\',
      '"é😀中"',
      '"\\u 041"',
      '"\\u+041"',
      '[]',
      '[ ]',
      '[1,]',
      '[,1]',
      '[1 2]',
      '[1, 2]',
      '[',
      ']',
      '[[[]]]',
      '{}',
      '{ }',
      '{"a"}',
      '{"a":1}',
      '{"a": 1,}',
      '{,}',
      "{'a': 1}",
      '{a: 1}',
      '{1: 2}',
      '{"a":1,"b":2,"a":3}',
      '{"__proto__": 1}',
      '{"__proto__": {"x": 1}}',
      '{"constructor": null}',
      '{"": ""}',
      ' 	\n\r1 	\n\r',
      '\xA01',
      '1\xA0',
      '\v1',
      '\f1',
      '﻿1',
      '1﻿',
      '{"a"\xA0:1}',
      '{} {}',
      '1 1',
      '[1]]',
      '{"a": 1}}',
      '// c\n1',
      '1 // c',
      '/* c */ 1',
      '"a" "b"',
      '{"query": "SELECT 1',
      '{"query": "SELECT 1"',
      '{"query": "a\nb"}',
      '{"query": "a\\nb"}',
    ]);
  });

  it('reads random documents, whole and damaged, as json.loads does', () => {
    const documents = fc.sample(fc.json({ stringUnit: 'binary' }), { numRuns: 1000, seed: 5 });
    const damage = fc.sample(
      fc.record({
        at: fc.nat(),
        with: fc.constantFrom('', ',', '"', '\\', '0', ' ', '}', '\n', 'é'),
      }),
      { numRuns: 1000, seed: 6 },
    );
    const damaged = documents.map((text, index) => {
      const change = damage[index];
      if (change === undefined) return text;
      const at = change.at % (text.length + 1);
      return text.slice(0, at) + change.with + text.slice(at + 1);
    });
    const soup = fc.sample(
      fc.string({
        unit: fc.constantFrom(...Array.from('{}[]",:\\u0d8e1.-+ \n\tntrufals')),
        maxLength: 14,
      }),
      { numRuns: 4000, seed: 7 },
    );
    // A raw half pair next to an escaped one is one character here and two in Python; UTF-8 input can't hold it.
    const wellFormed = (text: string) => !/[\ud800-\udfff]/u.test(text);
    expectSameAsPython([...documents, ...damaged, ...soup].filter(wellFormed));
  });

  it('keeps big integers, duplicate keys and keys named like properties of objects', () => {
    const parsed = parsePythonJson(
      '{"n": 9007199254740993, "a": 1, "a": 2, "__proto__": {"x": 3}}',
    );
    const value = parsed.ok ? parsed.value : null;
    expect(value).toBeInstanceOf(Map);
    const fields = value as ReadonlyMap<string, JsonValue>;
    expect(fields.get('n')).toBe(9007199254740993n);
    expect(fields.get('a')).toBe(2);
    expect(fields.get('__proto__')).toEqual(new Map([['x', 3]]));
    expect(fields.get('x')).toBeUndefined();
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  it('refuses nesting near the recursion limit of Python, however deep, without a stack overflow', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parsePythonJson(nested(900)).ok).toBe(true);
    expect(parsePythonJson(nested(990)).ok).toBe(true);
    expect(parsePythonJson(nested(991)).ok).toBe(false);
    expect(parsePythonJson(nested(1_000_000)).ok).toBe(false);
    expect(parsePythonJson('{"a":'.repeat(100_000)).ok).toBe(false);
    const script = `
def reads(text):
    try:
        json.loads(text)
        return True
    except RecursionError:
        return False
print(json.dumps([reads(t) for t in input_value]))
`;
    expect(runPython(script, [nested(900), nested(1001)])).toEqual([true, false]);
  });

  it('refuses integers over the digit limit of Python', () => {
    const texts = [
      '1'.repeat(4300),
      `-${'1'.repeat(4300)}`,
      '1'.repeat(4301),
      `${'1'.repeat(4301)}.0`,
    ];
    expect(texts.map((text) => parsePythonJson(text).ok)).toEqual([true, true, false, true]);
  });

  it('takes linear time on megabytes', () => {
    const size = 1_000_000;
    for (const text of [
      `"${'a'.repeat(size)}"`,
      `"${'\\n'.repeat(size)}"`,
      `[${'1,'.repeat(size)}1]`,
      '1'.repeat(size),
      ' '.repeat(size),
      `"${'\\ud800'.repeat(size / 5)}"`,
    ]) {
      expect(timeMs(() => parsePythonJson(text))).toBeLessThan(5000);
    }
  });
});
