import type { Trajectory } from '../../env/trajectory.ts';
import type { SearchedText } from './filter-terms.ts';
import { recordHolds } from './record-holds.ts';
import { readFully, withSource, type RecordPlace, type RecordPlaces } from './record-places.ts';

/** Bytes that are read at a time, unless a single record is longer. */
const WINDOW_BYTES = 1024 * 1024;

const ESCAPE = Buffer.from('\\u');
/** The two characters beyond ASCII whose lower case has a letter of ASCII in it. */
const KELVIN_SIGN = Buffer.from('\u212A');
const DOTTED_I = Buffer.from('\u0130');

const BACKSLASH = 0x5c;
const QUOTE = 0x22;
/** Neither can stand within a text, where quotes are escaped. */
const SYSTEM = Buffer.from('"messages":[{"role":"system","content":"');
const STEPS = Buffer.from('"steps":[');
const LOWER = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x41 && byte <= 0x5a ? byte + 0x20 : byte,
);

/**
 * A test whether the record of a line holds a text in its values, case ignored. Most lines are ruled out by their
 * bytes; only the others are parsed, since escapes and letters beyond ASCII hide what a record says.
 */
export function lineTest(text: SearchedText): (line: Buffer) => boolean {
  const mayHold = byteTest(text.words);
  return (line) =>
    mayHold(line) && recordHolds(JSON.parse(line.toString('utf8')) as Trajectory, text);
}

/**
 * Hands the lines of records to `onLine`, all from one source, in the order of their indices from `start` on; gives the
 * first position that is of another source, or the end. `indices` ascend, so that each file is read once, from its start.
 */
export async function readRun(
  places: RecordPlaces,
  indices: Uint32Array,
  start: number,
  signal: AbortSignal,
  onLine: (line: Buffer, index: number, place: RecordPlace) => void,
): Promise<number> {
  const source = places.at(indices[start] ?? 0)?.source;
  if (source === undefined) return indices.length;
  return await withSource(source, async (handle) => {
    const buffer = Buffer.allocUnsafe(WINDOW_BYTES);
    let windowStart = 0;
    let window: Buffer = buffer.subarray(0, 0);
    let position = start;
    for (; position < indices.length; position += 1) {
      const index = indices[position] ?? 0;
      const place = places.at(index);
      if (place?.source !== source) break;
      const { offset, size } = place;
      if (offset < windowStart || offset + size > windowStart + window.length) {
        signal.throwIfAborted();
        const target = size > WINDOW_BYTES ? Buffer.allocUnsafe(size) : buffer;
        window = await readFully(handle, target, offset);
        windowStart = offset;
      }
      onLine(window.subarray(offset - windowStart, offset - windowStart + size), index, place);
    }
    return position;
  });
}

/** False only if the record can't hold the text: looks for the longest piece of it that JSON writes as it is. */
function byteTest(text: string): (line: Buffer) => boolean {
  const pieces = text.match(/[ !#-.0-[\]-~]+/g) ?? [];
  const longest = pieces.reduce((one, other) => (other.length > one.length ? other : one), '');
  if (longest === '') return () => true;
  const piece = Buffer.from(longest.toLowerCase());
  const hasKelvin = /k/i.test(longest);
  const hasDotted = /i/i.test(longest);
  const folded = folder();
  const mayHold = (part: Buffer): boolean =>
    folded(part).includes(piece) ||
    holdsEscape(part) ||
    (hasKelvin && part.includes(KELVIN_SIGN)) ||
    (hasDotted && part.includes(DOTTED_I));
  return (line) => {
    const [start, end] = systemMessage(line);
    if (end === 0) return mayHold(line);
    return mayHold(line.subarray(0, start)) || mayHold(line.subarray(end));
  };
}

/**
 * Gives bytes with the letters of ASCII in lower case, valid until the next call. A string of each line, to be matched
 * without regard to case, made more garbage than the program has memory while 100,000 records were searched.
 */
function folder(): (bytes: Buffer) => Buffer {
  let scratch = Buffer.alloc(0);
  return (bytes) => {
    const { length } = bytes;
    if (scratch.length < length) scratch = Buffer.allocUnsafe(length * 2);
    for (let index = 0; index < length; index += 1) scratch[index] = LOWER[bytes[index] ?? 0] ?? 0;
    return scratch.subarray(0, length);
  };
}

/** Whether a character is written as an escape: `\\u` is a backslash and a letter, as in the JSON of an observation. */
function holdsEscape(bytes: Buffer): boolean {
  for (let at = bytes.indexOf(ESCAPE); at !== -1; at = bytes.indexOf(ESCAPE, at + 1)) {
    if (backslashCount(bytes, at) % 2 === 0) return true;
  }
  return false;
}

/** First byte of the system message's text, and the one behind it, where the line is written as the recorder does; else zeros. */
function systemMessage(line: Buffer): readonly [number, number] {
  const at = line.indexOf(SYSTEM);
  const stepsAt = line.indexOf(STEPS);
  if (at === -1 || (stepsAt !== -1 && stepsAt < at)) return [0, 0];
  const start = at + SYSTEM.length;
  let end = line.indexOf(QUOTE, start);
  while (end !== -1 && backslashCount(line, end) % 2 === 1) end = line.indexOf(QUOTE, end + 1);
  return end === -1 ? [0, 0] : [start, end];
}

function backslashCount(bytes: Buffer, end: number): number {
  let start = end;
  while (bytes[start - 1] === BACKSLASH) start -= 1;
  return end - start;
}
