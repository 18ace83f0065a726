import { isInvalidText, type SqlValue } from './compare/value.ts';
import { decodeBackslashReplace, utf8Prefix } from './utf8.ts';

/** One cell as JSON text. */
export interface JsonCell {
  readonly json: string;
  /** The cell was over the limit, and its text ends in `...(cut)`. */
  readonly cut: boolean;
}

const CUT_MARK = '...(cut)';
const NULL_CELL: JsonCell = { json: 'null', cut: false };

/** Text that JSON holds as it is. */
const PLAIN = /^[ !#-[\]-~]*$/;
const BEYOND_ASCII = /[\u007f-\uffff]/g;
const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** `json.dumps(text)` of Python: ASCII only, other UTF-16 units (and DEL) as `\uXXXX` in lower-case hex. */
export function jsonString(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  // JSON.stringify escapes the ASCII part exactly as Python does.
  return JSON.stringify(text).replace(BEYOND_ASCII, escapeUnit);
}

/** `repr(x)` of a Python float: JavaScript's shortest digits in Python's layout. */
export function floatRepr(x: number): string {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf';
  if (x === 0) return Object.is(x, -0) ? '-0.0' : '0.0';
  const size = Math.abs(x);
  // JavaScript takes an exponent only below 1e-6 and from 1e21 up.
  if (size >= 1e-4 && size < 1e16) return Number.isInteger(x) ? `${x}.0` : String(x);
  return exponentRepr(x);
}

/**
 * A cell as `json.dumps` writes it, cut at a code point if its text takes more than `cellBytesMax` bytes of UTF-8. A BLOB is
 * lower-case hex, ill-formed TEXT is decoded with `backslashreplace`. Numbers are never cut.
 */
export function jsonCell(value: SqlValue, cellBytesMax: number): JsonCell {
  if (typeof value === 'string') return textCell(value, cellBytesMax);
  if (typeof value === 'bigint') return { json: String(value), cut: false };
  if (value === null) return NULL_CELL;
  if (typeof value === 'number') return { json: jsonFloat(value), cut: false };
  if (isInvalidText(value)) return invalidTextCell(value.textBytes, cellBytesMax);
  return blobCell(value, cellBytesMax);
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

function exponentRepr(x: number): string {
  const text = x.toExponential();
  const split = text.indexOf('e');
  const sign = text.charAt(split + 1);
  return `${text.slice(0, split)}e${sign}${text.slice(split + 2).padStart(2, '0')}`;
}

function jsonFloat(x: number): string {
  if (Number.isFinite(x)) return floatRepr(x);
  return Number.isNaN(x) ? 'NaN' : x > 0 ? 'Infinity' : '-Infinity';
}

function textCell(text: string, cellBytesMax: number): JsonCell {
  if (text.length * 3 <= cellBytesMax) return { json: jsonString(text), cut: false };
  const prefix = utf8Prefix(text, cellBytesMax);
  if (prefix.length === text.length) return { json: jsonString(text), cut: false };
  return { json: jsonString(prefix + CUT_MARK), cut: true };
}

function invalidTextCell(bytes: Uint8Array, cellBytesMax: number): JsonCell {
  // A byte never decodes to less than a byte of text, so what follows can't be shown; the 4 keep the cut's sequence whole.
  return textCell(decodeBackslashReplace(bytes.subarray(0, cellBytesMax + 4)), cellBytesMax);
}

function blobCell(bytes: Uint8Array, cellBytesMax: number): JsonCell {
  const cut = bytes.length * 2 > cellBytesMax;
  let hex = '';
  for (const byte of cut ? bytes.subarray(0, cellBytesMax >> 1) : bytes) hex += HEX_BYTES[byte];
  return { json: `"${hex}${cut ? CUT_MARK : ''}"`, cut };
}
