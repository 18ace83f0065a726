import xterm from '@xterm/headless';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FrameWriter } from '../../../src/replay/terminal/frame.ts';
import type { Line } from '../../../src/replay/terminal/text/line.ts';
import { visible } from '../../../src/replay/terminal/text/visible.ts';
import { themeFor } from '../../../src/replay/terminal/theme.ts';
import { fitText } from '../../../src/replay/terminal/text/wrap.ts';
import { screenText } from '../../support/terminal.ts';

const SIZE = { columns: 40, rows: 6 };

const theme = themeFor({});

function frameOf(...texts: readonly string[]): Line[] {
  return texts.map((text) => visible(text, text.includes('x') ? 'bad' : 'plain'));
}

async function shownAfter(frames: readonly (readonly Line[])[]): Promise<string> {
  const emulator = new xterm.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    allowProposedApi: true,
  });
  const writer = new FrameWriter(theme);
  for (const frame of frames) {
    const bytes = writer.next(frame, undefined, SIZE.columns);
    await new Promise<void>((resolve) => emulator.write(bytes, resolve));
  }
  const shown = screenText(emulator);
  emulator.dispose();
  return shown;
}

test('a frame after another shows what it would show alone', async () => {
  const line = fc.string({
    unit: fc.constantFrom('a', ' ', '│', 'é', 'x', '漢'),
    maxLength: 30,
  });
  const frame = fc
    .array(line, { minLength: 1, maxLength: SIZE.rows })
    .map((lines) => frameOf(...lines));
  await fc.assert(
    fc.asyncProperty(fc.array(frame, { minLength: 1, maxLength: 4 }), async (frames) => {
      expect(await shownAfter(frames)).toBe(await shownAfter(frames.slice(-1)));
    }),
    { numRuns: 50 },
  );
});

test('only lines that changed are written', () => {
  const writer = new FrameWriter(theme);
  writer.next(frameOf('one', 'two', 'three'), undefined, SIZE.columns);
  const bytes = writer.next(frameOf('one', 'TWO', 'three'), undefined, SIZE.columns);
  expect(bytes).toContain('TWO');
  expect(bytes).not.toContain('one');
  expect(writer.next(frameOf('one', 'TWO', 'three'), undefined, SIZE.columns)).toBe('');
});

test('a moved cursor is written though no line changed', () => {
  const writer = new FrameWriter(theme);
  writer.next(frameOf('one'), { row: 0, column: 1 }, SIZE.columns);
  expect(writer.next(frameOf('one'), { row: 0, column: 2 }, SIZE.columns)).toContain('\x1b[1;3H');
});

test('a terminal that counts emoji otherwise still has the edge in its column', async () => {
  // The emulator here takes one column for 🎤, as old terminals do; this program counts two.
  const line = [...fitText('🎤 sings 👩\u200d💻 and codes', 38), ...visible('│')];
  const shown = await shownAfter([[line]]);
  // By characters: each is one of the emulator's cells.
  expect(Array.from(shown.split('\n')[0] ?? '').indexOf('│')).toBe(38);
});

test('rows that a frame no longer has are cleared', async () => {
  expect(await shownAfter([frameOf('one', 'two'), frameOf('one')])).toBe(
    await shownAfter([frameOf('one')]),
  );
});

test('the last column was cleared again: behind a full line the cursor stands on its last cell', async () => {
  const full = `${'─'.repeat(SIZE.columns - 1)}╮`;
  const bytes = new FrameWriter(theme).next(frameOf(full, 'short'), undefined, SIZE.columns);
  // The emulator keeps the cursor behind the last cell, where others have it on the cell. A step back and forth tells no more.
  const strict = bytes.replaceAll('\x1b[K', '\x1b[D\x1b[C\x1b[K');
  const emulator = new xterm.Terminal({
    cols: SIZE.columns,
    rows: SIZE.rows,
    allowProposedApi: true,
  });
  await new Promise<void>((resolve) => emulator.write(`\x1b[?7l${strict}`, resolve));
  expect(screenText(emulator).split('\n').slice(0, 2)).toEqual([full, 'short']);
  emulator.dispose();
});
