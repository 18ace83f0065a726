import { recordHolds } from './filter.ts';
import { readFully, withSource, type RecordPlace, type RecordPlaces } from './record-places.ts';

/** Bytes that are read at a time, unless a single record is longer. */
const WINDOW_BYTES = 1024 * 1024;

const ESCAPE = Buffer.from('\\u');
/** The two characters beyond ASCII whose lower case has a letter of ASCII in it. */
const KELVIN_SIGN = Buffer.from('\u212A');
const DOTTED_I = Buffer.from('\u0130');

/**
 * A test whether the record of a line holds a text anywhere in its values, case ignored. Most lines are ruled out by their
 * bytes; only the others are parsed, since escapes and letters beyond ASCII hide what a record says.
 */
export function lineTest(text: string): (line: Buffer) => boolean {
  const mayHold = byteTest(text);
  return (line) => mayHold(line) && recordHolds(JSON.parse(line.toString('utf8')), text);
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
  const piece = pieces.reduce((longest, one) => (one.length > longest.length ? one : longest), '');
  if (piece === '') return () => true;
  const pattern = new RegExp(piece.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, '\\$&'), 'i');
  const hasKelvin = /k/i.test(piece);
  const hasDotted = /i/i.test(piece);
  return (line) =>
    pattern.test(line.toString('latin1')) ||
    line.includes(ESCAPE) ||
    (hasKelvin && line.includes(KELVIN_SIGN)) ||
    (hasDotted && line.includes(DOTTED_I));
}
