import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TruncateSide } from '../../env/query.ts';
import { truncateText } from '../../env/truncate.ts';
import { runPython, timeMs } from './run-python.ts';

const SIDES = ['middle', 'left', 'right'] as const;

const cut = (text: string, textSizeMax: number, truncateSide: TruncateSide = 'middle') =>
  truncateText(text, { textSizeMax, truncateSide });

describe('truncateText', () => {
  it('leaves a text alone that fits, and all texts when it is off', () => {
    expect(cut('a'.repeat(255), 256)).toEqual({
      text: 'a'.repeat(255),
      truncated: false,
      textSize: 255,
    });
    expect(cut('a'.repeat(256), 256).truncated).toBe(false);
    expect(cut('a'.repeat(100_000), 0)).toEqual({
      text: 'a'.repeat(100_000),
      truncated: false,
      textSize: 100_000,
    });
    expect(cut('', 256)).toEqual({ text: '', truncated: false, textSize: 0 });
  });

  it('cuts 257 characters to 273', () => {
    const { text, truncated, textSize } = cut(`${'a'.repeat(200)}${'b'.repeat(57)}`, 256);
    expect(text).toBe(`${'a'.repeat(128)}...(truncated)...${'a'.repeat(71)}${'b'.repeat(57)}`);
    expect([text.length, truncated, textSize]).toEqual([273, true, 257]);
  });

  it('keeps the end that the side names, as verl does from 0.8 on', () => {
    expect(cut('abcdef', 4, 'left').text).toBe('(truncated)...cdef');
    expect(cut('abcdef', 4, 'right').text).toBe('abcd...(truncated)');
    expect(cut('abcdef', 4, 'middle').text).toBe('ab...(truncated)...ef');
    expect(cut('abcdef', 5, 'middle').text).toBe('ab...(truncated)...ef');
  });

  it('shows the whole text as the tail for N = 1, as text[-0:] of Python', () => {
    expect(cut('abc', 1).text).toBe('...(truncated)...abc');
    expect(cut('abc', 1, 'left').text).toBe('(truncated)...c');
    expect(cut('abc', 1, 'right').text).toBe('a...(truncated)');
  });

  it('counts code points, not UTF-16 units', () => {
    expect(cut('😀'.repeat(256), 256)).toEqual({
      text: '😀'.repeat(256),
      truncated: false,
      textSize: 256,
    });
    expect(cut('😀'.repeat(5), 4).text).toBe('😀😀...(truncated)...😀😀');
    expect(cut('a😀b😀c', 2).text).toBe('a...(truncated)...c');
    expect(cut('\ud83d\ud83d\ude00\ude00', 2)).toMatchObject({
      text: '\ud83d...(truncated)...\ude00',
      textSize: 3,
    });
  });

  it('is what Python slices, on any text', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 60 }),
      fc.string({ unit: fc.constantFrom('a', 'é', '😀', '\ud83d', '\ude00'), maxLength: 60 }),
      fc.string({ unit: 'binary-ascii', maxLength: 60 }),
    );
    const cases = fc.sample(fc.tuple(text, fc.nat(40), fc.constantFrom(...SIDES)), {
      numRuns: 5000,
      seed: 8,
    });
    const expected = runPython(
      `
def cut(text, n, side):
    # UTF-16 half pairs that meet are one character in JavaScript.
    text = text.encode('utf-16', 'surrogatepass').decode('utf-16', 'surrogatepass')
    if n and len(text) > n:
        if side == 'left':
            out = '(truncated)...' + text[-n:]
        elif side == 'right':
            out = text[:n] + '...(truncated)'
        else:
            out = text[:n // 2] + '...(truncated)...' + text[-(n // 2):]
        return {'text': out, 'truncated': True, 'textSize': len(text)}
    return {'text': text, 'truncated': False, 'textSize': len(text)}
print(json.dumps([cut(*case) for case in input_value]))
`,
      cases,
    );
    expect(cases.map(([each, size, side]) => cut(each, size, side))).toEqual(expected);
  });

  it('is idempotent in the middle for even sizes, so that verl changes nothing', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary', maxLength: 400 }),
        fc.integer({ min: 1, max: 60 }),
        (text, half) => {
          const once = cut(text, half * 2).text;
          expect(cut(once, half * 2).text).toBe(once);
        },
      ),
    );
  });

  it('takes linear time on megabytes', () => {
    expect(timeMs(() => cut('😀'.repeat(2_000_000), 256))).toBeLessThan(3000);
    expect(timeMs(() => cut('\ud83d'.repeat(4_000_000), 4_000_000 - 1))).toBeLessThan(3000);
  });
});
