import { isInvalidText, type SqlRow, type SqlValue } from './value.ts';

/** First REAL above every 64-bit INTEGER: from here on (and below its negative) no INTEGER can be equal. */
const INTEGER_END = 2 ** 63;

/** `String.fromCharCode` takes its characters as arguments, and too many of those overflow the stack. */
const CHUNK_SIZE = 8192;

/**
 * A string that is equal for two cells exactly when Python's `==` holds between them: INTEGER and REAL compare as
 * exact numbers (2 = 2.0, 2^53 + 1 differs from 2^53 as REAL, -0.0 = 0.0), TEXT and BLOB by their bytes and never
 * with one another, NULL equals only NULL.
 *
 * Keys delimit themselves, so that keys written one after the other stay unambiguous: see {@link rowEqualityKey}.
 */
export function equalityKey(value: SqlValue): string {
  if (typeof value === 'string') return `s${value.length}:${value}`;
  if (typeof value === 'bigint') return `i${value};`;
  if (typeof value === 'number') return realKey(value);
  if (value === null) return 'n';
  if (isInvalidText(value)) return `t${bytesKey(value.textBytes)}`;
  return `b${bytesKey(value)}`;
}

/** The key of a whole row: two rows of any widths have the same key exactly when they are equal cell by cell. */
export function rowEqualityKey(row: SqlRow): string {
  let key = '';
  for (const value of row) key += equalityKey(value);
  return key;
}

function realKey(value: number): string {
  // The shortest text of a REAL is unique, and that of a safe whole number is the INTEGER's own (-0 reads "0").
  if (Number.isSafeInteger(value)) return `i${value};`;
  if (!Number.isInteger(value) || value >= INTEGER_END || value < -INTEGER_END) return `r${value};`;
  return `i${BigInt(value)};`;
}

function bytesKey(bytes: Uint8Array): string {
  let text = `${bytes.length}:`;
  for (let start = 0; start < bytes.length; start += CHUNK_SIZE) {
    text += String.fromCharCode(...bytes.subarray(start, start + CHUNK_SIZE));
  }
  return text;
}
