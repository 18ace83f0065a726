/**
 * One cell of a result, as SQLite stores it: INTEGER is a bigint (all 64 bits), REAL a number, TEXT a string,
 * BLOB its bytes, NULL is null. TEXT whose bytes are not valid UTF-8 keeps its bytes as {@link InvalidText}.
 */
export type SqlValue = null | bigint | number | string | Uint8Array | InvalidText;

/** One row of a result, cells by position. */
export type SqlRow = readonly SqlValue[];

/** TEXT that is not valid UTF-8: a string would lose bytes, and two different texts could become equal. */
export interface InvalidText {
  /** The bytes as SQLite holds them. */
  readonly textBytes: Uint8Array;
}

/** Tells TEXT with invalid UTF-8 from the other kinds of cell. */
export function isInvalidText(value: SqlValue): value is InvalidText {
  return typeof value === 'object' && value !== null && 'textBytes' in value;
}
