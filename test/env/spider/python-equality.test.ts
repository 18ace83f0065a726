import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { decodeIgnoringErrors } from '../../../env/utf8.ts';
import { equalityKey, rowEqualityKey } from '../../../env/compare/python-equality.ts';
import { compareCodePoints, pythonSortKey } from '../../../env/compare/python-sort-key.ts';
import type { SqlValue } from '../../../env/compare/value.ts';

const bytes = (...values: number[]): Uint8Array => new Uint8Array(values);

describe('equalityKey', () => {
  it.each<[SqlValue, SqlValue]>([
    [2n, 2],
    [0n, -0],
    [9007199254740992n, 9007199254740992],
    [-9223372036854775808n, -(2 ** 63)],
    [1152921504606846976n, 2 ** 60],
    [null, null],
    ['ä', 'ä'],
    [bytes(1, 2), bytes(1, 2)],
    [{ textBytes: bytes(0xff) }, { textBytes: bytes(0xff) }],
    [Infinity, Infinity],
  ])('is the same for %s and %s', (left, right) => {
    expect(equalityKey(left)).toBe(equalityKey(right));
  });

  it.each<[SqlValue, SqlValue]>([
    [9007199254740993n, 9007199254740992],
    [9223372036854775807n, 2 ** 63],
    [1n, '1'],
    [1, 1.0000000000000002],
    ['', null],
    ['a', bytes(0x61)],
    ['ÿ', { textBytes: bytes(0xff) }],
    [bytes(0xff), { textBytes: bytes(0xff) }],
    ['a', 'A'],
    [Infinity, -Infinity],
    [Infinity, 'inf'],
  ])('differs for %s and %s', (left, right) => {
    expect(equalityKey(left)).not.toBe(equalityKey(right));
  });

  it('agrees with comparing INTEGER and REAL as exact numbers', () => {
    const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    const real = fc.oneof(fc.double({ noNaN: true }), integer.map(Number));
    fc.assert(
      fc.property(integer, real, (left, right) => {
        // JavaScript compares a bigint with a number exactly, as Python does.
        // oxlint-disable-next-line eqeqeq -- the loose comparison is the exact one
        const isEqual = (left as unknown) == right;
        expect(equalityKey(left) === equalityKey(right)).toBe(isEqual);
        expect(equalityKey(BigInt.asIntN(64, left)) === equalityKey(left)).toBe(true);
      }),
    );
  });

  it('delimits itself, so that rows with equal keys are equal cell by cell', () => {
    const cell = fc.constantFrom<SqlValue>(null, 1n, 11n, 1.5, '', 'n', 'i1;', '1:', 's1:a', 'a');
    const row = fc.array(cell, { maxLength: 4 });
    fc.assert(
      fc.property(row, row, (left, right) => {
        const same =
          left.length === right.length &&
          left.every((value, at) => equalityKey(value) === equalityKey(right[at] ?? null));
        expect(rowEqualityKey(left) === rowEqualityKey(right)).toBe(same);
      }),
      { numRuns: 2000 },
    );
  });

  it('takes long BLOBs', () => {
    expect(equalityKey(new Uint8Array(1_000_000)).length).toBe(1_000_009);
  });
});

describe('pythonSortKey', () => {
  it.each<[SqlValue, string]>([
    [1n, "1<class 'int'>"],
    [1, "1.0<class 'float'>"],
    [-0, "-0.0<class 'float'>"],
    [0.0001, "0.0001<class 'float'>"],
    [0.00001, "1e-05<class 'float'>"],
    [1.5e-7, "1.5e-07<class 'float'>"],
    [9999999999999998, "9999999999999998.0<class 'float'>"],
    [1e16, "1e+16<class 'float'>"],
    [-1.25e100, "-1.25e+100<class 'float'>"],
    [Infinity, "inf<class 'float'>"],
    [-Infinity, "-inf<class 'float'>"],
    [null, "None<class 'NoneType'>"],
    ['x', "x<class 'str'>"],
    [{ textBytes: bytes(0x61, 0xff) }, "a<class 'str'>"],
    [bytes(0x61, 0x00, 0x0a, 0x5c, 0xff), "b'a\\x00\\n\\\\\\xff'<class 'bytes'>"],
    [bytes(0x27), `b"'"<class 'bytes'>`],
    [bytes(0x27, 0x22), `b'\\'"'<class 'bytes'>`],
  ])('of %s is %s', (value, expected) => {
    expect(pythonSortKey(value)).toBe(expected);
  });

  it('orders by code points', () => {
    expect(compareCodePoints('\uffff', '\u{10000}')).toBeLessThan(0);
    expect(compareCodePoints('a', 'ab')).toBeLessThan(0);
    expect(compareCodePoints('b', 'ab')).toBeGreaterThan(0);
    expect(compareCodePoints('ab', 'ab')).toBe(0);
  });
});

describe('decodeIgnoringErrors', () => {
  it('is the text of valid UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(decodeIgnoringErrors(new TextEncoder().encode(text))).toBe(text);
      }),
    );
  });

  it('is the text without what TextDecoder replaces', () => {
    const part = fc.constantFrom(
      0x41,
      0x80,
      0xbf,
      0xc2,
      0xc3,
      0xe0,
      0xa0,
      0xed,
      0xe2,
      0x82,
      0xf0,
      0x9f,
      0xf4,
      0x8f,
      0xff,
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 8 }), (values) => {
        const data = new Uint8Array(values);
        const replaced = new TextDecoder().decode(data);
        expect(decodeIgnoringErrors(data)).toBe(replaced.replaceAll('\ufffd', ''));
      }),
      { numRuns: 3000 },
    );
  });
});
