import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { truncateText } from '../../../env/truncate.ts';
import { rowsAsLines, unifiedDiff } from '../../../src/replay/terminal/text/diff-lines.ts';
import { durationText, rewardText } from '../../../src/replay/terminal/text/format.ts';
import { observationText, sqlText, turnText } from '../../../src/replay/terminal/text/highlight.ts';
import { lineText, lineWidth, type Line } from '../../../src/replay/terminal/text/line.ts';
import { drawPane } from '../../../src/replay/terminal/text/pane.ts';
import { cellText, columnWidths, tableRow } from '../../../src/replay/terminal/text/table.ts';
import { cutCount, findCut } from '../../../src/replay/terminal/text/truncation.ts';
import { glyphsOf, textWidth, visible } from '../../../src/replay/terminal/text/visible.ts';
import {
  fitLine,
  fitText,
  fitTextEnd,
  plainText,
  TEXT_SHOWN_MAX,
  wrapStyled,
  wrapText,
} from '../../../src/replay/terminal/text/wrap.ts';

/** Texts with everything that is hard on a terminal. */
const hostile = fc.string({
  unit: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', 'SELECT', ' ', '"', "'", '<tool_call>') },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\x1b', '\x1b[2J', '\x9b', '\x07', '\r', '\b', '\x7f'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('\n', '\t', '\u2028', '\u200b', '\u202e', '\ufeff', '\u200d'),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('漢', 'é', 'e\u0301', '🎤', '👩\u200d💻', '❤\ufe0f', '🇩🇪', 'ש'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 2 }) },
  ),
  maxLength: 200,
});

// What a terminal may act on: controls, and characters without a width of their own or that turn the direction.
const RAW = /[\p{Cc}\p{Cs}\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;

function expectSafe(line: Line): void {
  const text = lineText(line);
  expect(text).not.toMatch(RAW);
  for (const span of line) expect(textWidth(span.text)).toBe(span.width);
}

describe('what is shown of a text', () => {
  test('control characters are shown as their pictures, never sent', () => {
    expect(lineText(visible('a\x1b[2Jb\x00\x7f\r\n\t'))).toBe('a␛[2Jb␀␡␍␊␉');
    expect(lineText(visible('\x9b31m'))).toBe('‹009B›31m');
  });

  test('what has no width, or turns the direction, is spelt out', () => {
    expect(lineText(visible('a\u200bb\u202ec\ufeff'))).toBe('a‹200B›b‹202E›c‹FEFF›');
    expect(lineText(visible('\ud800x'))).toBe('‹D800›x');
  });

  test('widths: wide letters and emoji take two columns, marks none', () => {
    expect(textWidth('abc')).toBe(3);
    expect(textWidth('漢字')).toBe(4);
    expect(textWidth('🎤')).toBe(2);
    expect(textWidth('e\u0301')).toBe(1);
    expect(textWidth('ｱ')).toBe(1);
    expect(textWidth('Ａ')).toBe(2);
    expect(textWidth('한')).toBe(2);
  });

  test('what terminals count differently is left out or spelt: joiners, looks, flags, towers of marks', () => {
    expect(lineText(visible('👩\u200d💻'))).toBe('👩💻');
    expect(lineText(visible('❤\ufe0f'))).toBe('❤');
    expect(lineText(visible('👍🏽'))).toBe('👍');
    expect(lineText(visible('🇩🇪'))).toBe('DE');
    expect(textWidth(`a${'\u0301'.repeat(4)}`)).toBe(1 + 6);
  });

  test('glyphs cover the text: their sizes sum up to its length', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const size = [...glyphsOf(text)].reduce((sum, glyph) => sum + glyph.size, 0);
        expect(size).toBe(text.length);
      }),
    );
  });

  test('nothing raw gets through, whatever the text', () => {
    fc.assert(fc.property(hostile, (text) => expectSafe(visible(text))));
  });
});

describe('laying out', () => {
  test('breaks at spaces, within words where it must, and at newlines', () => {
    const lines = wrapText('one two three\nabcdefghijklmno', 8, plainText).map(lineText);
    expect(lines).toEqual(['one two ', 'three', 'abcdefgh', 'ijklmno']);
  });

  test('a line that is broken at a space does not begin the next one with it', () => {
    expect(wrapText('12345678 next', 8, plainText).map(lineText)).toEqual(['12345678', 'next']);
  });

  test('a wide letter that does not fit goes to the next line whole', () => {
    expect(wrapText('漢字漢', 5, plainText).map(lineText)).toEqual(['漢字', '漢']);
  });

  test('a mark stays on its letter', () => {
    expect(wrapText('caf\u0065\u0301 ok', 20, plainText).map(lineText)).toEqual(['cafe\u0301 ok']);
  });

  test('a tab goes to the next of its stops', () => {
    expect(wrapText('a\tb', 20, plainText).map(lineText)).toEqual(['a   b']);
  });

  test('no line is too wide and nothing raw gets through, whatever the text and its highlighting', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.integer({ min: 10, max: 60 }),
        fc.constantFrom(plainText, sqlText, turnText, observationText),
        (text, width, highlight) => {
          for (const line of wrapStyled(highlight(text), width)) {
            expect(lineWidth(line)).toBeLessThanOrEqual(width);
            expectSafe(line);
          }
        },
      ),
    );
  });

  test('what follows the mark of a truncation in the middle of a text is told apart from the texts after it', () => {
    const parts = observationText('[["a", "b...(truncated)...c", 2], ["d", 3]]');
    expect(parts).toContainEqual({ text: 'c"', style: 'string' });
    expect(parts).toContainEqual({ text: '"d"', style: 'string' });
    expect(parts).toContainEqual({ text: '3', style: 'number' });
  });

  test('highlighting changes no character', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.constantFrom(sqlText, turnText, observationText),
        (text, highlight) => {
          expect(
            highlight(text)
              .map((part) => part.text)
              .join(''),
          ).toBe(text);
        },
      ),
    );
  });

  test('fitting gives exactly the width', () => {
    fc.assert(
      fc.property(hostile, fc.integer({ min: 1, max: 40 }), (text, width) => {
        expect(lineWidth(fitText(text, width))).toBe(width);
        expect(lineWidth(fitTextEnd(text, width))).toBe(width);
        expect(lineWidth(fitLine(visible(text), width))).toBe(width);
      }),
    );
    expect(lineText(fitTextEnd('demo/night_trains/11', 10))).toBe('…trains/11');
  });

  test('of a text that is far too long the beginning is laid out, and it says so', () => {
    const lines = wrapText('x'.repeat(TEXT_SHOWN_MAX + 1_500), 100, plainText);
    expect(lineText(lines.at(-1) ?? [])).toBe('(1,500 more characters are not shown)');
  });

  test('a pane is exactly as large as it should be', () => {
    fc.assert(
      fc.property(
        hostile,
        fc.integer({ min: 12, max: 90 }),
        fc.integer({ min: 3, max: 20 }),
        fc.integer({ min: -5, max: 50 }),
        fc.boolean(),
        (text, width, height, scroll, focused) => {
          const lines = wrapText(text, width - 4, plainText);
          const drawn = drawPane({
            title: text,
            note: text,
            lines,
            width,
            height,
            scroll,
            focused,
          });
          expect(drawn).toHaveLength(height);
          for (const line of drawn) expect(lineWidth(line)).toBe(width);
        },
      ),
    );
  });
});

describe('what was cut', () => {
  const sides = fc.constantFrom('left' as const, 'middle' as const, 'right' as const);

  test('is found in the whole text, for every text, size and side', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }),
        fc.integer({ min: 2, max: 40 }),
        sides,
        (whole, textSizeMax, truncateSide) => {
          const { text, truncated, textSize } = truncateText(whole, { textSizeMax, truncateSide });
          if (!truncated) return;
          const found = findCut(text, whole, truncateSide);
          expect(found).toBeDefined();
          expect(`${found?.head}${found?.cut}${found?.tail}`).toBe(whole);
          expect(cutCount(text, truncateSide, textSize)).toBe(Array.from(found?.cut ?? '').length);
        },
      ),
    );
  });

  test('a text that holds the mark itself is taken apart at the right one', () => {
    const whole = `ab...(truncated)...${'x'.repeat(50)}...(truncated)...yz`;
    const options = { textSizeMax: 46, truncateSide: 'middle' } as const;
    const { text } = truncateText(whole, options);
    expect(findCut(text, whole, 'middle')?.cut.length).toBe(whole.length - 46);
  });

  test('texts that do not belong together have no cut', () => {
    expect(findCut('ab...(truncated)...yz', 'other', 'middle')).toBeUndefined();
    expect(findCut('no mark', 'no mark at all', 'right')).toBeUndefined();
  });
});

describe('diffs', () => {
  const shown = (lines: ReturnType<typeof unifiedDiff>): string[] =>
    lines.map((line) => line.map((part) => part.text).join(''));

  test('equal texts have none', () => {
    expect(unifiedDiff('a\nb', 'a\nb', 'recorded', 'now')).toEqual([]);
  });

  test('one changed row is one line out and one in, with the changed part marked', () => {
    const recorded = rowsAsLines('{"columns": ["a"], "rows": [[1], [2], [3]]}');
    const now = rowsAsLines('{"columns": ["a"], "rows": [[1], [20], [3]]}');
    const lines = unifiedDiff(recorded, now, 'recorded', 'now');
    expect(shown(lines)).toContain('-[2],');
    expect(shown(lines)).toContain('+[20],');
    expect(lines.flat()).toContainEqual({ text: '20', style: 'added_part' });
  });

  test('a lost newline at the end is not lost on the reader', () => {
    expect(shown(unifiedDiff('a\n', 'a', 'recorded', 'now')).join('\n')).toContain('No newline');
  });
});

describe('tables', () => {
  test('numbers and texts that look like numbers are told apart', () => {
    expect([cellText('2'), cellText('"2"'), cellText('2.0'), cellText('"two"')]).toEqual([
      '2',
      '"2"',
      '2.0',
      'two',
    ]);
    expect([cellText('null'), cellText('"null"'), cellText('""'), cellText('" a"')]).toEqual([
      'null',
      '"null"',
      '""',
      '" a"',
    ]);
  });

  test('a table never is wider than its place', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(hostile, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 8, max: 80 }),
        (rows, width) => {
          const widths = columnWidths(rows[0] ?? [], rows, width);
          for (const row of rows) {
            expect(lineWidth(tableRow(row, widths, 'plain'))).toBeLessThanOrEqual(width);
          }
        },
      ),
    );
  });
});

test('numbers are short', () => {
  expect([0, 0.42, 3.14, 250.4, 1_500, 125_000].map(durationText)).toEqual([
    '0 ms',
    '0.42 ms',
    '3.1 ms',
    '250 ms',
    '1.5 s',
    '2 min 5 s',
  ]);
  expect([1, 0, 0.25, 1 / 3].map(rewardText)).toEqual(['1', '0', '0.25', '0.333']);
});
