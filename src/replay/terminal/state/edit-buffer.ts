import type { Key } from './key.ts';
import { rowOf, visualRows } from './visual-rows.ts';

/** Text that is being edited. A value: every change makes a new one. */
export interface EditBuffer {
  readonly text: string;
  /** UTF-16 index of the cursor; never inside a character. */
  readonly cursor: number;
  /** Place in its row that up and down try to keep; undefined: where the cursor is. */
  readonly column: number | undefined;
  readonly undone: readonly Past[];
  readonly past: readonly Past[];
  /** What the last change was: typing on is one change for undo. */
  readonly lastChange: 'typing' | 'other';
}

interface Past {
  readonly text: string;
  readonly cursor: number;
}

/** Changes that can be undone. */
const PAST_COUNT_MAX = 200;
/** UTF-16 units of a text that is edited here; `$EDITOR` is for longer ones. */
export const EDIT_SIZE_MAX = 200_000;

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** A cluster of more characters than this is stepped through in pieces. */
const CLUSTER_SIZE_MAX = 64;

/** A buffer with the cursor at the end of the text. */
export function editBuffer(text: string): EditBuffer {
  const clean = text.replaceAll('\r\n', '\n').replaceAll('\r', '\n').slice(0, EDIT_SIZE_MAX);
  return {
    text: clean,
    cursor: clean.length,
    column: undefined,
    undone: [],
    past: [],
    lastChange: 'other',
  };
}

/**
 * The buffer after a key; undefined if the key is none of an editor's. `width` is the columns of its rows; undefined for a
 * field of one line.
 */
export function editKey(
  buffer: EditBuffer,
  key: Key,
  width: number | undefined,
): EditBuffer | undefined {
  const multiLine = width !== undefined;
  if (key.id === 'paste') {
    return insert(buffer, multiLine ? key.text : key.text.replaceAll('\n', ' '), 'other');
  }
  if (key.text !== '') return insert(buffer, key.text, 'typing');
  if (multiLine) {
    const moved = multiLineKey(buffer, key.id, width);
    if (moved !== undefined) return moved;
  }
  return moveKey(buffer, key.id) ?? changeKey(buffer, key.id);
}

/** The buffer with all of its text replaced; what was there before can be had back. */
export function replaced(buffer: EditBuffer, text: string): EditBuffer {
  const fresh = editBuffer(text);
  return changed(buffer, fresh.text, fresh.cursor, 'other');
}

function multiLineKey(buffer: EditBuffer, id: string, width: number): EditBuffer | undefined {
  switch (id) {
    case 'enter':
      return insert(buffer, '\n', 'other');
    case 'tab':
      return insert(buffer, '  ', 'other');
    case 'up':
      return vertical(buffer, -1, width);
    case 'down':
      return vertical(buffer, 1, width);
    case 'page-up':
      return moveTo(buffer, 0);
    case 'page-down':
      return moveTo(buffer, buffer.text.length);
    default:
      return undefined;
  }
}

function moveKey(buffer: EditBuffer, id: string): EditBuffer | undefined {
  const { text, cursor } = buffer;
  switch (id) {
    case 'left':
      return moveTo(buffer, before(text, cursor));
    case 'right':
      return moveTo(buffer, after(text, cursor));
    case 'home':
    case 'ctrl-a':
      return moveTo(buffer, lineStart(buffer));
    case 'end':
    case 'ctrl-e':
      return moveTo(buffer, lineEnd(buffer));
    case 'ctrl-left':
    case 'alt-b':
    case 'alt-left':
      return moveTo(buffer, wordBefore(text, cursor));
    case 'ctrl-right':
    case 'alt-f':
    case 'alt-right':
      return moveTo(buffer, wordAfter(text, cursor));
    default:
      return undefined;
  }
}

function changeKey(buffer: EditBuffer, id: string): EditBuffer | undefined {
  const { text, cursor } = buffer;
  switch (id) {
    case 'backspace':
      return remove(buffer, before(text, cursor), cursor);
    case 'delete':
    case 'ctrl-d':
      return remove(buffer, cursor, after(text, cursor));
    case 'ctrl-w':
    case 'alt-backspace':
      return remove(buffer, wordBefore(text, cursor), cursor);
    case 'ctrl-u':
      return remove(buffer, lineStart(buffer), cursor);
    case 'ctrl-k':
      // At the end of a line it takes the line break.
      return remove(buffer, cursor, text[cursor] === '\n' ? cursor + 1 : lineEnd(buffer));
    case 'ctrl-z':
    case 'ctrl-_':
      return undo(buffer);
    case 'ctrl-y':
      return redo(buffer);
    default:
      return undefined;
  }
}

function insert(buffer: EditBuffer, added: string, change: EditBuffer['lastChange']): EditBuffer {
  const { text, cursor } = buffer;
  if (text.length + added.length > EDIT_SIZE_MAX) return buffer;
  const next = text.slice(0, cursor) + added + text.slice(cursor);
  return changed(buffer, next, cursor + added.length, change);
}

function remove(buffer: EditBuffer, start: number, end: number): EditBuffer {
  if (start >= end) return buffer;
  const { text } = buffer;
  return changed(buffer, text.slice(0, start) + text.slice(end), start, 'other');
}

function changed(
  buffer: EditBuffer,
  text: string,
  cursor: number,
  change: EditBuffer['lastChange'],
): EditBuffer {
  const goesOn = change === 'typing' && buffer.lastChange === 'typing' && buffer.past.length > 0;
  const past = goesOn
    ? buffer.past
    : [...buffer.past, { text: buffer.text, cursor: buffer.cursor }].slice(-PAST_COUNT_MAX);
  return { text, cursor, column: undefined, undone: [], past, lastChange: change };
}

function undo(buffer: EditBuffer): EditBuffer {
  const last = buffer.past.at(-1);
  if (last === undefined) return buffer;
  const undone = [...buffer.undone, { text: buffer.text, cursor: buffer.cursor }];
  return {
    ...last,
    column: undefined,
    undone,
    past: buffer.past.slice(0, -1),
    lastChange: 'other',
  };
}

function redo(buffer: EditBuffer): EditBuffer {
  const next = buffer.undone.at(-1);
  if (next === undefined) return buffer;
  const past = [...buffer.past, { text: buffer.text, cursor: buffer.cursor }];
  return {
    ...next,
    column: undefined,
    undone: buffer.undone.slice(0, -1),
    past,
    lastChange: 'other',
  };
}

function moveTo(buffer: EditBuffer, cursor: number): EditBuffer {
  return { ...buffer, cursor, column: undefined, lastChange: 'other' };
}

/** Up or down by a row as it is seen, in the column where the movement began. */
function vertical(buffer: EditBuffer, step: -1 | 1, width: number): EditBuffer {
  const { text, cursor } = buffer;
  const rows = visualRows(text, width);
  const at = rowOf(rows, cursor);
  const [from, to] = [rows[at], rows[at + step]];
  if (from === undefined || to === undefined) return moveTo(buffer, step === 1 ? text.length : 0);
  const column = buffer.column ?? cursor - from.start;
  // The end of a row that goes on in the next one is the start of that one.
  const goesOn = rows[at + step + 1]?.start === to.end;
  const last = goesOn ? Math.max(to.start, to.end - 1) : to.end;
  const target = onCharacter(text, to.start, Math.min(to.start + column, last));
  return { ...buffer, cursor: target, column, lastChange: 'other' };
}

function lineStart({ text, cursor }: EditBuffer): number {
  return cursor === 0 ? 0 : text.lastIndexOf('\n', cursor - 1) + 1;
}

function lineEnd({ text, cursor }: EditBuffer): number {
  const end = text.indexOf('\n', cursor);
  return end === -1 ? text.length : end;
}

/** The end of the character that begins at an index. */
function after(text: string, index: number): number {
  for (const { segment } of segmenter.segment(text.slice(index, index + CLUSTER_SIZE_MAX))) {
    return index + segment.length;
  }
  return index;
}

/** The start of the character that ends at an index. */
function before(text: string, index: number): number {
  const from = Math.max(0, index - CLUSTER_SIZE_MAX);
  let start = index;
  for (const { index: at } of segmenter.segment(text.slice(from, index))) start = from + at;
  return start;
}

/** The last start of a character of the line that is not after the index. */
function onCharacter(text: string, start: number, index: number): number {
  let at = start;
  for (let next = after(text, at); at < index && next <= index; next = after(text, at)) at = next;
  return at;
}

function wordBefore(text: string, index: number): number {
  const match = /[\p{L}\p{N}_]*[^\p{L}\p{N}_]*$/u.exec(
    text.slice(Math.max(0, index - 1_000), index),
  );
  return index - (match?.[0].length ?? 0);
}

function wordAfter(text: string, index: number): number {
  const match = /^[^\p{L}\p{N}_]*[\p{L}\p{N}_]*/u.exec(text.slice(index, index + 1_000));
  return index + (match?.[0].length ?? 0);
}
