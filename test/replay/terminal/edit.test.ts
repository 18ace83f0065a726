import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  editBuffer,
  editKey,
  EDIT_SIZE_MAX,
} from '../../../src/replay/terminal/state/edit-buffer.ts';
import type { EditBuffer } from '../../../src/replay/terminal/state/edit-buffer.ts';
import { KeyReader, type Key, type RawKey } from '../../../src/replay/terminal/state/key.ts';
import { rowOf, visualRows } from '../../../src/replay/terminal/state/visual-rows.ts';
import { lineText, lineWidth } from '../../../src/replay/terminal/text/line.ts';
import { sqlText } from '../../../src/replay/terminal/text/highlight.ts';
import { editorLines, inputLine } from '../../../src/replay/terminal/views/input.ts';

const NO_KEY: RawKey = {
  upArrow: false,
  downArrow: false,
  leftArrow: false,
  rightArrow: false,
  pageDown: false,
  pageUp: false,
  home: false,
  end: false,
  return: false,
  escape: false,
  ctrl: false,
  shift: false,
  tab: false,
  backspace: false,
  delete: false,
  meta: false,
};

const NAMED = [
  'left',
  'right',
  'up',
  'down',
  'home',
  'end',
  'ctrl-left',
  'ctrl-right',
  'backspace',
  'delete',
  'ctrl-w',
  'ctrl-u',
  'ctrl-k',
  'enter',
  'tab',
] as const;

function key(id: string): Key {
  return { id, text: id.length === 1 ? id : '' };
}

function after(text: string, ...keys: readonly (string | Key)[]): EditBuffer {
  return keys.reduce<EditBuffer>((buffer, one) => {
    const pressed = typeof one === 'string' ? key(one) : one;
    return editKey(buffer, pressed, 40) ?? buffer;
  }, editBuffer(text));
}

const anyKey = fc.oneof(
  fc.constantFrom(...NAMED, 'ctrl-z', 'ctrl-y').map(key),
  fc.constantFrom('a', ' ', '漢', '🎤', 'é').map((text) => ({ id: text, text })),
  fc.string({ unit: 'grapheme', minLength: 1 }).map((text) => ({ id: 'paste', text })),
);

describe('an editor', () => {
  test('types, moves and deletes', () => {
    expect(after('SELECT', ' ', '1').text).toBe('SELECT 1');
    expect(after('ab', 'left', 'X').text).toBe('aXb');
    expect(after('one two three', 'ctrl-w').text).toBe('one two ');
    expect(after('one\ntwo', 'home', 'ctrl-u').text).toBe('one\ntwo');
    expect(after('one\ntwo', 'ctrl-u').text).toBe('one\n');
    expect(after('one\ntwo', 'up', 'home', 'ctrl-k', 'ctrl-k').text).toBe('two');
  });

  test('goes through characters, not code units', () => {
    expect(after('a👩\u200d💻', 'backspace').text).toBe('a');
    expect(after('e\u0301x', 'home', 'delete').text).toBe('x');
  });

  test('up and down go by rows as they are seen and keep the column', () => {
    const buffer = after(`${'x'.repeat(60)}\nab\n${'y'.repeat(10)}`, 'up', 'up');
    // The row of ab is short; the one above is the second row of the long line.
    expect(buffer.cursor).toBe(40 + 10);
    expect(after('abc\nlonger', 'up', 'down').cursor).toBe('abc\nlonger'.length);
  });

  test('undo takes back a run of typing at once, and redo brings it again', () => {
    const typed = after('a', 'b', 'c', 'left', 'X');
    expect(typed.text).toBe('abXc');
    expect(after('a', 'b', 'c', 'ctrl-z').text).toBe('a');
    expect(after('a', 'b', 'c', 'ctrl-z', 'ctrl-y').text).toBe('abc');
  });

  test('undo leads back to the start from anywhere, and redo to the end again', () => {
    fc.assert(
      fc.property(fc.string(), fc.array(anyKey, { maxLength: 40 }), (text, keys) => {
        const start = editBuffer(text);
        const end = after(text, ...keys.filter(({ id }) => id !== 'ctrl-z' && id !== 'ctrl-y'));
        const undone = after2(
          end,
          Array.from({ length: 60 }, () => key('ctrl-z')),
        );
        expect(undone.text).toBe(start.text);
        const redone = after2(
          undone,
          Array.from({ length: 60 }, () => key('ctrl-y')),
        );
        expect(redone.text).toBe(end.text);
      }),
    );
  });

  test('the cursor stays within the text, and every row within its width', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme' }),
        fc.array(anyKey, { maxLength: 40 }),
        fc.integer({ min: 8, max: 30 }),
        (text, keys, width) => {
          const buffer = after(text, ...keys);
          expect(buffer.cursor).toBeGreaterThanOrEqual(0);
          expect(buffer.cursor).toBeLessThanOrEqual(buffer.text.length);
          const rows = visualRows(buffer.text, width);
          const at = rows[rowOf(rows, buffer.cursor)];
          expect(at?.start).toBeLessThanOrEqual(buffer.cursor);
          expect(at?.end).toBeGreaterThanOrEqual(buffer.cursor);
          const lines = editorLines(buffer, width, 5, sqlText, true);
          for (const line of lines) expect(lineWidth(line)).toBe(width);
          expect(lines.flat().filter(({ style }) => style === 'cursor')).toHaveLength(1);
          expect(lineWidth(inputLine(buffer, width))).toBe(width);
        },
      ),
    );
  });

  test('a paste in a field of one line has no line breaks', () => {
    const buffer = editKey(editBuffer('a'), { id: 'paste', text: 'b\nc' }, undefined);
    expect(buffer?.text).toBe('ab c');
  });

  test('a text that is too long is not taken', () => {
    const buffer = after('a', { id: 'paste', text: 'x'.repeat(EDIT_SIZE_MAX) });
    expect(buffer.text).toBe('a');
  });

  test('long rows show the part where the cursor is', () => {
    const line = inputLine(editBuffer(`${'x'.repeat(100)}END`), 20);
    expect(lineText(line)).toContain('END');
  });
});

function after2(buffer: EditBuffer, keys: readonly Key[]): EditBuffer {
  return keys.reduce((one, pressed) => editKey(one, pressed, 40) ?? one, buffer);
}

describe('keys', () => {
  const read = (input: string, raw: Partial<RawKey> = {}): string[] =>
    new KeyReader().read(input, { ...NO_KEY, ...raw }).map(({ id }) => id);

  test('have names', () => {
    expect(read('', { upArrow: true })).toEqual(['up']);
    expect(read('', { tab: true, shift: true })).toEqual(['shift-tab']);
    expect(read('s', { ctrl: true })).toEqual(['ctrl-s']);
    expect(read('', { return: true, meta: true })).toEqual(['alt-enter']);
    expect(read('', { escape: true, meta: true })).toEqual(['escape']);
    expect(read('[27;5;13~')).toEqual(['ctrl-enter']);
  });

  test('that were typed faster than they were read come one by one', () => {
    expect(read('jj\r\t\x7f\x13')).toEqual(['j', 'j', 'enter', 'tab', 'backspace', 'ctrl-s']);
  });

  test('sequences that nobody knows type nothing', () => {
    expect(read('[1;9X')).toEqual([]);
    expect(read('[?1;2c')).toEqual([]);
  });

  test('a paste is text, even if it looks like keys', () => {
    const reader = new KeyReader();
    const keys = ['[200~', 'q\rSELECT', '', '[31m', '[201~'].flatMap((input) =>
      reader.read(input, input === '' ? { ...NO_KEY, tab: true } : NO_KEY),
    );
    expect(keys).toEqual([{ id: 'paste', text: 'q\nSELECT\t[31m' }]);
  });
});

test('long SQL was broken within its words while it was edited', () => {
  const text = 'SELECT name FROM stations WHERE city IS NOT NULL';
  const rows = visualRows(text, 20).map(({ start, end }) => text.slice(start, end));
  expect(rows).toEqual(['SELECT name FROM ', 'stations WHERE city ', 'IS NOT NULL']);
  const word = 'x'.repeat(25);
  expect(visualRows(`a ${word}`, 20).map(({ end }) => end)).toEqual([20, 27]);
});
