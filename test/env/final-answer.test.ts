import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extractAnswer } from '../../env/final-answer.ts';
import { runPython, timeMs } from './run-python.ts';

const FENCE = '```';
const statement = (text: string) => extractAnswer(text, 'statement');
const none = (text: string) => extractAnswer(text, 'none');

/** The rule as written down in the protocol, the slow way. */
const REFERENCE = `
import re
FENCE = re.compile(r"\`\`\`sql\\s*(.*?)\`\`\`", re.DOTALL | re.IGNORECASE | re.ASCII)
START = re.compile(r"(?im)^\\s*(?P<word>select|with)\\b")
TAG = re.compile(r"<[/|a-zA-Z]")
def extract(text, fallback):
    fences = FENCE.findall(text)
    if fences:
        return fences[-1].strip()
    if fallback == 'none':
        return ''
    starts = [m.start('word') for m in START.finditer(text)]
    if not starts:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        return lines[-1] if lines else ''
    start = starts[-1]
    for earlier in reversed(starts[:-1]):
        between = text[earlier:start]
        if ';' in between or '\\n\\n' in between or '\\n\\r\\n' in between or TAG.search(between):
            break
        start = earlier
    return text[start:].strip()
print(json.dumps([extract(*case) for case in input_value]))
`;

describe('extractAnswer, with a fence', () => {
  it.each([
    ['one', `${FENCE}sql\nSELECT 1\n${FENCE}`, 'SELECT 1'],
    ['text around it', `So:\n${FENCE}sql\nSELECT 1\n${FENCE}\nDone.`, 'SELECT 1'],
    [
      'the last of two',
      `${FENCE}sql\nSELECT 1\n${FENCE}\n${FENCE}sql\nSELECT 2\n${FENCE}`,
      'SELECT 2',
    ],
    ['upper case', `${FENCE}SQL SELECT 1${FENCE}`, 'SELECT 1'],
    ['no newline', `${FENCE}sqlSELECT 1${FENCE}`, 'SELECT 1'],
    [
      'an unclosed one after it',
      `${FENCE}sql\nSELECT 1\n${FENCE}\n${FENCE}sql\nSELECT 2`,
      'SELECT 1',
    ],
    ['four backticks', `${FENCE}\`sql\nSELECT 1\n${FENCE}\``, 'SELECT 1'],
    ['comments', `${FENCE}sql\n-- note\nSELECT 1 -- all\n${FENCE}`, '-- note\nSELECT 1 -- all'],
    ['a statement after it', `${FENCE}sql\nSELECT 1\n${FENCE}\nselect 2`, 'SELECT 1'],
    ['spaces of all kinds', `${FENCE}sql\u00a0\u3000\x1cSELECT 1\u2003\x85${FENCE}`, 'SELECT 1'],
  ])('%s', (_, text, sql) => {
    expect(statement(text)).toBe(sql);
    expect(none(text)).toBe(sql);
  });

  it('gives no answer for an empty fence, even after a full one', () => {
    expect(statement(`${FENCE}sql\nSELECT 1\n${FENCE} ${FENCE}sql\n${FENCE}`)).toBeUndefined();
  });

  it('does not count a fence without `sql`', () => {
    expect(none(`${FENCE}\nSELECT 1\n${FENCE}`)).toBeUndefined();
    expect(statement(`${FENCE}\nSELECT 1\n${FENCE}`)).toBe(`SELECT 1\n${FENCE}`);
  });
});

describe('extractAnswer, without a fence', () => {
  it.each([
    ['a statement', 'SELECT 1', 'SELECT 1'],
    ['prose before it', 'The answer is:\nselect name\nfrom t', 'select name\nfrom t'],
    ['a trailing comment', 'SELECT 1 -- all', 'SELECT 1 -- all'],
    ['indented', 'So:\n   SELECT 1', 'SELECT 1'],
    [
      'a UNION',
      'SELECT a FROM t\nUNION\nSELECT b FROM u',
      'SELECT a FROM t\nUNION\nSELECT b FROM u',
    ],
    [
      'a CTE',
      'WITH x AS (\n  SELECT 1\n)\nSELECT * FROM x',
      'WITH x AS (\n  SELECT 1\n)\nSELECT * FROM x',
    ],
    ['two statements', 'SELECT 1;\nSELECT 2', 'SELECT 2'],
    ['an empty line between', 'SELECT 1\n\nSELECT 2', 'SELECT 2'],
    ['an empty line with CR LF', 'SELECT 1\r\n\r\nSELECT 2', 'SELECT 2'],
    ['a tag between', 'SELECT 1\n</tool_response>\nSELECT 2', 'SELECT 2'],
    [
      'a `<` between',
      'SELECT 1 WHERE 1 < 2\nUNION\nSELECT 2',
      'SELECT 1 WHERE 1 < 2\nUNION\nSELECT 2',
    ],
    ['a word that begins with it', 'selected\nwithin\nthe end', 'the end'],
    ['no statement', 'I can not\nanswer.\n\n', 'answer.'],
    ['in the middle of a line', 'I would select 1', 'I would select 1'],
    ['line ends of Python', 'a\x1cb\u2028c\x0b', 'c'],
  ])('%s', (_, text, sql) => {
    expect(statement(text)).toBe(sql);
    expect(none(text)).toBeUndefined();
  });

  it('gives no answer for nothing', () => {
    for (const text of ['', ' \n\t', '\u3000\x1c\x85']) expect(statement(text)).toBeUndefined();
  });
});

describe('extractAnswer', () => {
  it('is the rule in Python, on any text', () => {
    const piece = fc.constantFrom(
      FENCE,
      `${FENCE}sql`,
      `${FENCE}SQL\n`,
      '`',
      'sql',
      'select',
      'SELECT a',
      'With x',
      'selects',
      '\n',
      '\n\n',
      '\r\n',
      ' ',
      '\t',
      '\x1c',
      '\x85',
      '\u2028',
      '\u00a0',
      '\ufeff',
      '\f',
      '\v',
      ';',
      '<',
      '<a',
      '</',
      '<|',
      '<1',
      '_',
      'é',
      '😀',
      '1',
      ',',
      'x',
    );
    const text = fc.array(piece, { maxLength: 14 }).map((parts) => parts.join(''));
    const cases = fc.sample(fc.tuple(text, fc.constantFrom('statement', 'none')), {
      numRuns: 8000,
      seed: 11,
    });
    const found = cases.map(([each, fallback]) =>
      extractAnswer(each, fallback === 'none' ? 'none' : 'statement'),
    );
    const expected = (runPython(REFERENCE, cases) as string[]).map((sql) => sql || undefined);
    expect(found.map((sql, index) => [cases[index], sql])).toEqual(
      expected.map((sql, index) => [cases[index], sql]),
    );
  });

  it('takes linear time on megabytes', () => {
    const size = 1_000_000;
    for (const text of [
      '`'.repeat(size),
      `${FENCE}sql`.repeat(size / 6),
      `${FENCE}sql ${FENCE}`.repeat(size / 10),
      'select\n'.repeat(size / 7),
      'select\n\n'.repeat(size / 8),
      'select <a\n'.repeat(size / 10),
      ' '.repeat(size),
      '\n'.repeat(size),
      ' \n'.repeat(size / 2),
      `${'\u2028'.repeat(size)}x`,
      `select${' '.repeat(size)}`,
    ]) {
      expect(timeMs(() => statement(text))).toBeLessThan(3000);
    }
  });
});
