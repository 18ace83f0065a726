import { decodeIgnoringErrors } from '../utf8.ts';
import { isInvalidText, type SqlValue } from './value.ts';

/**
 * The text by which the official script sorts the cells of a row: Python's `str` of the value, then that of its type.
 * Different values have different texts, also 1 and 1.0, which are equal otherwise.
 */
export function pythonSortKey(value: SqlValue): string {
  if (typeof value === 'string') return `${value}<class 'str'>`;
  if (typeof value === 'bigint') return `${value}<class 'int'>`;
  if (typeof value === 'number') return `${pythonFloatText(value)}<class 'float'>`;
  if (value === null) return "None<class 'NoneType'>";
  if (isInvalidText(value)) return `${decodeIgnoringErrors(value.textBytes)}<class 'str'>`;
  return `${pythonBytesText(value)}<class 'bytes'>`;
}

/** Orders texts by code points, as Python does; JavaScript orders by units, which puts U+FFFF after U+10000. */
export function compareCodePoints(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let index = 0; index < length; index += 1) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return codePointRank(a) - codePointRank(b);
  }
  return left.length - right.length;
}

/** The halves of a surrogate pair stand for code points above all others. */
function codePointRank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit;
}

/** `str` of a float: the shortest digits, as in JavaScript, but `1.0`, and an exponent sooner and with two digits. */
function pythonFloatText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const size = Math.abs(value);
  if (size === 0 || (size >= 1e-4 && size < 1e16)) {
    const plain = Object.is(value, -0) ? '-0' : String(value);
    return plain.includes('.') ? plain : `${plain}.0`;
  }
  const [mantissa = '', exponent = ''] = value.toExponential().split('e');
  return `${mantissa}e${exponent.charAt(0)}${exponent.slice(1).padStart(2, '0')}`;
}

/** `str` of bytes: `b'..'`, printable ASCII as it is, double quotes around it when it holds single ones only. */
function pythonBytesText(bytes: Uint8Array): string {
  const quote = bytes.includes(0x27) && !bytes.includes(0x22) ? '"' : "'";
  let text = `b${quote}`;
  for (const byte of bytes) text += byteText(byte, quote);
  return text + quote;
}

function byteText(byte: number, quote: string): string {
  const character = String.fromCharCode(byte);
  switch (character) {
    case '\t':
      return '\\t';
    case '\n':
      return '\\n';
    case '\r':
      return '\\r';
    case '\\':
    case quote:
      return `\\${character}`;
    default:
      return byte >= 0x20 && byte < 0x7f ? character : `\\x${byte.toString(16).padStart(2, '0')}`;
  }
}
