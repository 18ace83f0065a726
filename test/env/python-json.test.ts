import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SqlValue } from '../../env/compare/value.ts';
import { floatRepr, jsonCell, jsonString } from '../../env/python-json.ts';
import { pythonTexts, timeMs } from './run-python.ts';

const CELL_MAX = 1_000_000;

const cell = (value: SqlValue, cellBytesMax = CELL_MAX) => jsonCell(value, cellBytesMax);
const invalid = (...bytes: number[]) => ({ textBytes: Uint8Array.from(bytes) });

function bitsOf(x: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, x);
  return view.getBigUint64(0).toString(16).padStart(16, '0');
}

function fromBits(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

describe('floatRepr', () => {
  it.each([
    [2, '2.0'],
    [0.1, '0.1'],
    [1e16, '1e+16'],
    [1e15, '1000000000000000.0'],
    [9999999999999998, '9999999999999998.0'],
    [1.2345e22, '1.2345e+22'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [1.5e-7, '1.5e-07'],
    [1e-100, '1e-100'],
    [1e100, '1e+100'],
    [0, '0.0'],
    [-0, '-0.0'],
    [-2.5, '-2.5'],
    [5e-324, '5e-324'],
    [1.7976931348623157e308, '1.7976931348623157e+308'],
    [Infinity, 'inf'],
    [-Infinity, '-inf'],
    [Number.NaN, 'nan'],
  ])('%d is %s', (x, repr) => {
    expect(floatRepr(x)).toBe(repr);
  });

  it('is json.dumps of Python for random bit patterns and for doubles around the layout changes', () => {
    const random = fc
      .sample(fc.bigInt({ min: 0n, max: (1n << 64n) - 1n }), { numRuns: 3000, seed: 1 })
      .map(fromBits);
    const decimal = fc.sample(fc.double(), { numRuns: 2000, seed: 2 });
    const powers = Array.from({ length: 640 }, (_, index) => Number(`1e${index - 330}`));
    const near = [1e-5, 1e-4, 1e15, 1e16, 1e17, 1e21, 1e22, 2 ** 53, 2 ** 63].flatMap((x) => [
      x,
      -x,
      x * (1 + Number.EPSILON),
      x * (1 - Number.EPSILON / 2),
    ]);
    const doubles = [...random, ...decimal, ...powers, ...near].filter((x) => !Number.isNaN(x));
    const expected = pythonTexts(
      'import struct\n' +
        "print(json.dumps([json.dumps(struct.unpack('>d', bytes.fromhex(b))[0]) for b in input_value]))",
      doubles.map(bitsOf),
    );
    expect(doubles.map((x) => cell(x).json)).toEqual(expected);
  });
});

describe('jsonString', () => {
  it.each([
    ['plain text', '"plain text"'],
    ['', '""'],
    ['a/b', '"a/b"'],
    ['"\\', '"\\"\\\\"'],
    ['\n\r\t\b\f', '"\\n\\r\\t\\b\\f"'],
    ['\u0000\u001f', '"\\u0000\\u001f"'],
    ['\u007f', '"\\u007f"'],
    ['é', '"\\u00e9"'],
    ['中', '"\\u4e2d"'],
    ['😀', '"\\ud83d\\ude00"'],
    ['\ud800', '"\\ud800"'],
    ['\u2028', '"\\u2028"'],
  ])('%j is %s', (text, json) => {
    expect(jsonString(text)).toBe(json);
  });

  it('is json.dumps of Python for text of all planes, lone surrogates and every ASCII character', () => {
    const units = fc.string({ unit: 'binary', maxLength: 40 });
    const texts = [
      ...fc.sample(units, { numRuns: 2000, seed: 3 }),
      ...Array.from({ length: 0x180 }, (_, code) => `x${String.fromCharCode(code)}y`),
      ...Array.from({ length: 0x800 }, (_, index) => String.fromCharCode(0xd800 + index)),
    ];
    const script = 'print(json.dumps([json.dumps(t) for t in input_value]))';
    expect(texts.map(jsonString)).toEqual(pythonTexts(script, texts));
  });
});

describe('jsonCell', () => {
  it('writes 64-bit integers exactly', () => {
    expect(cell(9007199254740993n).json).toBe('9007199254740993');
    expect(cell(-9223372036854775808n).json).toBe('-9223372036854775808');
    expect(cell(9223372036854775807n, 16)).toEqual({ json: '9223372036854775807', cut: false });
  });

  it('writes NULL, infinities and BLOBs', () => {
    expect(cell(null).json).toBe('null');
    expect(cell(Infinity).json).toBe('Infinity');
    expect(cell(-Infinity).json).toBe('-Infinity');
    expect(cell(Uint8Array.of(0xde, 0xad, 0x00)).json).toBe('"dead00"');
    expect(cell(new Uint8Array()).json).toBe('""');
  });

  it('keeps the bytes of ill-formed text as backslashreplace does', () => {
    expect(cell(invalid(0x63, 0x61, 0x66, 0xe9)).json).toBe('"caf\\\\xe9"');
    expect(cell(invalid(0xe2, 0x82, 0x41)).json).toBe('"\\\\xe2\\\\x82A"');
    expect(cell(invalid(0xed, 0xa0, 0x80)).json).toBe('"\\\\xed\\\\xa0\\\\x80"');
    expect(cell(invalid(0xf0, 0x9f, 0x98, 0x80, 0xff)).json).toBe('"\\ud83d\\ude00\\\\xff"');
  });

  it('decodes random bytes as Python does', () => {
    const interesting = fc.constantFrom(
      0x00,
      0x41,
      0x7f,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbf,
      0xc0,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xe1,
      0xed,
      0xef,
      0xf0,
      0xf1,
      0xf3,
      0xf4,
      0xf5,
      0xff,
    );
    const bytes = fc.array(fc.oneof(interesting, fc.nat(255)), { maxLength: 12 });
    const cases = fc.sample(bytes, { numRuns: 5000, seed: 4 });
    const expected = pythonTexts(
      "print(json.dumps([json.dumps(bytes(b).decode('utf-8', 'backslashreplace')) for b in input_value]))",
      cases,
    );
    expect(cases.map((each) => cell(invalid(...each)).json)).toEqual(expected);
  });

  describe('cuts at cellBytesMax', () => {
    it.each([
      ['one byte less', 'a'.repeat(15), false],
      ['exactly', 'a'.repeat(16), false],
      ['one byte more', 'a'.repeat(17), true],
    ])('%s', (_, text, cut) => {
      const shown = cut ? `"${'a'.repeat(16)}...(cut)"` : `"${text}"`;
      expect(cell(text, 16)).toEqual({ json: shown, cut });
    });

    it('counts UTF-8 bytes and cuts between code points', () => {
      expect(cell('中'.repeat(5), 16)).toEqual({ json: jsonString('中'.repeat(5)), cut: false });
      expect(cell('中'.repeat(6), 16).json).toBe(jsonString(`${'中'.repeat(5)}...(cut)`));
      expect(cell('é'.repeat(8), 16).cut).toBe(false);
      expect(cell('é'.repeat(9), 16).json).toBe(jsonString(`${'é'.repeat(8)}...(cut)`));
      expect(cell(`abc${'😀'.repeat(4)}`, 16).json).toBe(jsonString('abc😀😀😀...(cut)'));
    });

    it('counts a BLOB as the hex that is shown', () => {
      expect(cell(new Uint8Array(8), 16)).toEqual({ json: `"${'00'.repeat(8)}"`, cut: false });
      expect(cell(new Uint8Array(9), 16).json).toBe(`"${'00'.repeat(8)}...(cut)"`);
      expect(cell(new Uint8Array(9), 17).json).toBe(`"${'00'.repeat(8)}...(cut)"`);
    });

    it('counts ill-formed text as it is shown', () => {
      expect(cell(invalid(...Array.from({ length: 4 }, () => 0xff)), 16).cut).toBe(false);
      const five = cell(invalid(...Array.from({ length: 5 }, () => 0xff)), 16);
      expect(five.json).toBe(`"${'\\\\xff'.repeat(4)}...(cut)"`);
      const long = [...Buffer.from('中'.repeat(5)), 0xff, ...Buffer.from('中'.repeat(50))];
      expect(cell(invalid(...long), 17).json).toBe(jsonString(`${'中'.repeat(5)}\\x...(cut)`));
      expect(cell(invalid(...long.slice(3)), 16).json).toBe(
        jsonString(`${'中'.repeat(4)}\\xff...(cut)`),
      );
    });
  });

  it('takes linear time on megabytes', () => {
    const size = 1_000_000;
    const bytes = new Uint8Array(size).fill(0xe9);
    expect(timeMs(() => cell('中'.repeat(size), size * 3))).toBeLessThan(5000);
    expect(timeMs(() => cell({ textBytes: bytes }, size * 4))).toBeLessThan(5000);
    expect(timeMs(() => cell(bytes, size * 2))).toBeLessThan(5000);
  });
});
