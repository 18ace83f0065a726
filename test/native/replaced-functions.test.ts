import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { openGuarded } from '../support/guarded.ts';

const guarded = openGuarded();
const plain = new Database(':memory:');
plain.defaultSafeIntegers(true);

afterAll(() => {
  guarded.close();
  plain.close();
});

/** Few characters, so that parts are often found: one to four bytes long, halves of such, bytes that no UTF-8 has, NUL. */
const PIECES: readonly Buffer[] = [
  ...['a', 'b', 'ab', ' ', 'A', '4', 'aB', '\n', 'é', '漢', '😀', '\u0000', '\uFFFD', '\uFEFF'].map(
    (text) => Buffer.from(text),
  ),
  ...['c3', 'a9', '80', 'ff', 'fe', 'e6', 'e6bc', 'f09f98', 'eda080', 'c080', 'efbfbe', 'f8'].map(
    (hex) => Buffer.from(hex, 'hex'),
  ),
];

const bytes = (pieceCountMax: number) =>
  fc
    .array(fc.constantFrom(...PIECES), { maxLength: pieceCountMax })
    .map((pieces) => Buffer.concat(pieces).toString('hex'));

/** SQL of a value: TEXT and BLOB mostly, numbers and NULL too. */
const value = (pieceCountMax = 12) =>
  fc.oneof(
    { arbitrary: bytes(pieceCountMax).map((hex) => `CAST(x'${hex}' AS TEXT)`), weight: 8 },
    { arbitrary: bytes(pieceCountMax).map((hex) => `x'${hex}'`), weight: 3 },
    {
      arbitrary: fc.constantFrom('NULL', '0', '44', '-4', '4.5', '1e300', '9e999', 'zeroblob(3)'),
      weight: 1,
    },
  );

/** Type and bytes of a call's result and of its arguments afterwards: reading them must not change what they are. */
function resultOf(run: (sql: string) => unknown, name: string, args: readonly string[]): unknown {
  const names = args.map((_, index) => `a${index}`);
  const columns = args.map((sql, index) => `${sql} AS a${index}`);
  const types = names.map((each) => `typeof(${each})`);
  return run(
    `SELECT typeof(r), hex(r), ${types.join()} FROM
     (SELECT ${name}(${names.join()}) AS r, ${names.join()} FROM (SELECT ${columns.join()}))`,
  );
}

function expectSame(name: string, args: readonly string[]): void {
  const ours = resultOf((sql) => guarded.run(sql).rows, name, args);
  const theirs = resultOf((sql) => plain.prepare(sql).raw(true).all(), name, args);
  expect({ args, rows: ours }).toEqual({ args, rows: theirs });
}

describe('functions of the guard give what SQLite gives', () => {
  it.each([
    ['instr', 2],
    ['replace', 3],
    ['trim', 1],
    ['trim', 2],
    ['ltrim', 1],
    ['ltrim', 2],
    ['rtrim', 1],
    ['rtrim', 2],
    ['unhex', 2],
  ] as const)('%s with %i arguments', (name, count) => {
    const args = fc.tuple(
      ...Array.from({ length: count }, (_, index) => value(index === 0 ? 12 : 3)),
    );
    fc.assert(
      fc.property(args, (each) => expectSame(name, each)),
      { numRuns: 2_500 },
    );
  });

  it('unhex over digits mostly', () => {
    const digits = fc
      .array(fc.constantFrom('0', '4', 'a', 'F', '-', ' ', 'é', 'g'), { maxLength: 10 })
      .map((list) => `'${list.join('')}'`);
    fc.assert(
      fc.property(
        digits,
        fc.constantFrom("''", "' '", "'- '", "'é-'", "'gé -'", 'NULL', '4'),
        (hex, ignored) => expectSame('unhex', [hex, ignored]),
      ),
      { numRuns: 2_500 },
    );
  });

  it.each([
    ['instr', ["'a'", "''"]],
    ['instr', ["''", "'a'"]],
    ['instr', ["''", "''"]],
    ['instr', ["x''", "x'61'"]],
    ['instr', ["x'c3a9'", "'é'"]],
    ['instr', ["'né'", "x'a9'"]],
    ['instr', ["x'6ec3a9'", "x'a9'"]],
    ['instr', ['1234', '34']],
    ['replace', ["'aaa'", "'aa'", "'b'"]],
    ['replace', ["'abc'", "''", "'x'"]],
    ['replace', ["'abc'", "'b'", "''"]],
    ['replace', ["'abc'", 'NULL', "'x'"]],
    ['replace', ["'a1b1'", '1', '22']],
    ['replace', ["x'616263'", "'b'", "x'00'"]],
    ['trim', ["'  a  '"]],
    ['trim', ["'xxaxx'", "''"]],
    ['rtrim', ["'aé'", "'é'"]],
    ['trim', ["'漢a漢'", "'漢'"]],
    ['trim', ['NULL', "'a'"]],
    ['trim', ["'a'", 'NULL']],
    ['ltrim', ['0012', '0']],
  ] as const)('%s of %j', (name, args) => {
    expectSame(name, args);
  });

  it('on long texts, where they take another way', () => {
    const long = `CAST(zeroblob(70000) AS TEXT) || 'é' || printf('%.3000c', '漢') || 'needle' || printf('%.70000c', 'n')`;
    for (const part of [
      "'needle'",
      "'漢needle'",
      "printf('%.60000c','n')",
      "'needlx'",
      "CAST(x'a9' AS TEXT)",
    ]) {
      expectSame('instr', [long, part]);
      expectSame('replace', [long, part, "'-'"]);
      expectSame('rtrim', [long, part]);
      expectSame('trim', [long, part]);
    }
  });

  it('and are too big where SQLite says so', () => {
    expect(
      guarded.run("SELECT length(replace(printf('%.1000c','a'), 'a', printf('%.1000c','b')))").rows,
    ).toEqual([[1_000_000n]]);
    expect(
      guarded.run("SELECT length(replace(printf('%.1001c','a'), 'a', printf('%.1000c','b')))").kind,
    ).toBe('too_big');
  });

  it("unhex with one argument is SQLite's own still", () => {
    fc.assert(
      fc.property(value(4), (each) => expectSame('unhex', [each])),
      { numRuns: 500 },
    );
  });
});
