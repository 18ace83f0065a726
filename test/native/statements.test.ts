import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isInvalidText, type SqlRow, type SqlValue } from '../../env/compare/value.ts';
import { Connection } from '../../src/sqlite/connection.ts';
import { guardedRun } from '../../src/sqlite/guarded-run.ts';
import { loadGuard } from '../../src/sqlite/native-guard.ts';
import { openGuarded, PATIENT, repeat, type GuardedDatabase } from '../support/guarded.ts';

const guard = loadGuard();
let guarded: GuardedDatabase;

beforeAll(() => {
  guarded = openGuarded(
    `CREATE TABLE singer (singer_id INTEGER PRIMARY KEY, name TEXT, age INTEGER);
     INSERT INTO singer VALUES (1, 'Ann', 30), (2, 'Bob', 40), (3, 'Ann', 50);`,
  );
});

afterAll(() => {
  guarded.close();
});

/** What better-sqlite3 itself fetches; text that is not UTF-8 by its bytes. */
function reference(rows: readonly SqlRow[]): unknown[] {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'sqlenv-reference-')), 'db.sqlite');
  const database = new Database(file);
  try {
    return rows.map((row) => {
      const cells = row.map((cell) => (textBytesOf(cell) ? 'CAST(? AS TEXT)' : '?'));
      const values = row.map((cell) => textBytesOf(cell) ?? cell);
      return database
        .prepare(`SELECT ${cells.join()}`)
        .raw(true)
        .safeIntegers(true)
        .get(...values);
    });
  } finally {
    database.close();
    rmSync(path.dirname(file), { recursive: true });
  }
}

function textBytesOf(cell: SqlValue): Uint8Array | undefined {
  return typeof cell === 'object' && cell !== null && isInvalidText(cell)
    ? cell.textBytes
    : undefined;
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function literal(cell: SqlValue): string {
  const bytes = textBytesOf(cell);
  if (bytes) return `CAST(x'${hex(bytes)}' AS TEXT)`;
  if (cell === null) return 'NULL';
  if (typeof cell === 'string') return `CAST(x'${hex(Buffer.from(cell))}' AS TEXT)`;
  if (cell instanceof Uint8Array) return `x'${hex(cell)}'`;
  if (typeof cell === 'bigint') return cell < 0n ? `(${cell + 1n} - 1)` : String(cell);
  if (typeof cell !== 'number') throw new Error('a cell of no kind');
  return Object.is(cell, -0) ? '0.0' : Number.isInteger(cell) ? `${cell}.0` : String(cell);
}

const INT64_MAX = 2n ** 63n - 1n;

const cell: fc.Arbitrary<SqlValue> = fc.oneof(
  fc.constant(null),
  fc.bigInt({ min: -INT64_MAX, max: INT64_MAX }),
  fc.integer({ min: -99_999, max: 99_999 }).map((n) => n / 8),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'grapheme-composite', maxLength: 12 }),
  fc.uint8Array({ maxLength: 24 }),
  fc.uint8Array({ minLength: 1, maxLength: 9 }).map((textBytes): SqlValue => {
    const text = Buffer.from(textBytes).toString();
    return Buffer.from(text).equals(textBytes) ? text : { textBytes };
  }),
);

/** A cell of which equal ones look equal. */
function shown(value: unknown): unknown {
  if (value instanceof Uint8Array) return `blob ${hex(value)}`;
  const bytes = textBytesOf(value as SqlValue);
  return bytes ? Buffer.from(bytes).toString() : value;
}

describe('rows', () => {
  it('are what better-sqlite3 fetches, whatever is in them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { maxLength: 9 }),
        (rows) => {
          if (rows.length === 0) return;
          const sql = `VALUES ${rows.map((row) => `(${row.map(literal).join()})`).join()}`;
          const fetched = guarded.run(sql);
          expect(fetched.kind).toBe('ok');
          expect(fetched.rows.map((row) => row.map(shown))).toEqual(
            reference(rows).map((row) => (row as unknown[]).map(shown)),
          );
          // Bytes that are no text are kept, not replaced.
          const bytes = fetched.rows.flat().map((value) => textBytesOf(value));
          expect(bytes.map((each) => each && hex(each))).toEqual(
            rows.flat().map((value) => {
              const each = textBytesOf(value);
              return each && hex(each);
            }),
          );
        },
      ),
      { numRuns: 400 },
    );
  });

  it.each([
    ['c080', 'a NUL of two bytes'],
    ['c1bf', 'a letter of two bytes'],
    ['e09f bf', 'three bytes for two'],
    ['eda080', 'half a pair'],
    ['f08fbfbf', 'four bytes for three'],
    ['f4908080', 'over U+10FFFF'],
    ['f5808080', 'a lead byte that there is not'],
    ['80', 'a byte that continues nothing'],
    ['61 e2 82', 'a character that is cut'],
    ['e28261', 'a character that is broken off'],
  ])('keep text that is not UTF-8 as bytes: %s, %s', (bytes) => {
    const wanted = bytes.replaceAll(' ', '');
    const [row] = guarded.run(`SELECT CAST(x'${wanted}' AS TEXT), 'after'`).rows;
    expect(hex(textBytesOf(row?.[0] ?? null) ?? new Uint8Array())).toBe(wanted);
    expect(row?.[1]).toBe('after');
  });

  it.each(['7f', 'c280', 'dfbf', 'e0a080', 'ed9fbf', 'ee8080', 'efbfbd', 'f0908080', 'f48fbfbf'])(
    'take UTF-8 at its borders for text: %s',
    (bytes) => {
      const text = Buffer.from(bytes, 'hex').toString();
      const [row] = guarded.run(
        `SELECT CAST(x'${bytes}' AS TEXT), 'a' || char(128512), 'after'`,
      ).rows;
      expect(row).toEqual([text, 'a😀', 'after']);
    },
  );

  it('are whole when they are larger than the memory that they are handed over in', () => {
    const long = "printf('%.300000c', 'x')";
    const { rows } = guarded.run(
      `WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 5)
       SELECT i, CASE i % 2 WHEN 0 THEN ${long} || char(233) ELSE 'short' END, zeroblob(i * 50000) FROM n`,
    );
    expect(
      rows.map(([i, text, blob]) => [i, (text as string).length, (blob as Uint8Array).length]),
    ).toEqual([
      [1n, 5, 50_000],
      [2n, 300_001, 100_000],
      [3n, 5, 150_000],
      [4n, 300_001, 200_000],
      [5n, 5, 250_000],
    ]);
    expect(rows[3]?.[1]).toBe(`${'x'.repeat(300_000)}é`);
  });

  it('are whole when there are more cells than fit at once', () => {
    const columns = repeat(500, (index) => `i * 1000 + ${index}`);
    const { rows } = guarded.run(
      `WITH n(i) AS (VALUES(0) UNION ALL SELECT i + 1 FROM n WHERE i < 99) SELECT ${columns} FROM n`,
    );
    expect(rows.length).toBe(100);
    rows.forEach((row, i) =>
      row.forEach((value, index) => {
        if (value !== BigInt(i * 1_000 + index)) throw new Error(`${i}, ${index}: wrong`);
      }),
    );
  });

  it('before an error are handed over, and then the error', () => {
    const { kind, message, rows } = guarded.run(
      `WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 9) SELECT abs(CASE i WHEN 4 THEN -9223372036854775808 ELSE i END) FROM n`,
    );
    expect([kind, message]).toEqual(['sql_error', 'integer overflow']);
    expect(rows).toEqual([[1n], [2n], [3n]]);
  });

  it('beyond those that are wanted can not fail', () => {
    const sql = 'SELECT 1 UNION ALL SELECT abs(-9223372036854775808)';
    const count = (rowCountMax: number, takes: number) =>
      guarded.connection.run(sql, rowCountMax, () => {
        let taken = 0;
        return { addRow: () => (taken += 1) < takes, finish: () => taken };
      });
    expect(count(1, 9)).toBe(1);
    expect(count(9, 1)).toBe(1);
    expect(() => count(9, 9)).toThrow('integer overflow');
  });
});

describe('work for rows that nobody wants', () => {
  /** Rows that take longer and longer, of which the reader wants two. */
  const SLOW = `WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 9)
    SELECT i, (WITH m(j) AS (VALUES(1) UNION ALL SELECT j + 1 FROM m WHERE j < CASE WHEN i > 3 THEN 1e12 ELSE 9 END)
               SELECT count(*) FROM m WHERE j > i) FROM n`;

  const two = () => {
    let count = 0;
    return { addRow: () => (count += 1) < 3, finish: () => count };
  };

  it('ends, and is not the fault of those that were wanted', () => {
    // The fourth row takes forever, and no time limit is passed for it that anybody is told.
    const query = { queryId: guard.queryId(), clocks: { cpuMs: 200, wallMs: 60_000 } };
    const outcome = guardedRun(guard, guarded.connection, query, () =>
      guarded.connection.run(SLOW, Infinity, two),
    );
    expect(outcome).toMatchObject({ kind: 'value', value: 3, facts: { stop: 'none' } });
  });

  it('is not done where each row takes long', () => {
    const sql = `WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n WHERE i < 900)
      SELECT i, (WITH m(j) AS (VALUES(1) UNION ALL SELECT j + 1 FROM m WHERE j < 9000) SELECT count(*) FROM m WHERE j > i) FROM n`;
    const query = { queryId: guard.queryId(), clocks: PATIENT };
    const cpuUsOf = (rowCountMax: number) =>
      guardedRun(guard, guarded.connection, query, () =>
        guarded.connection.run(sql, Infinity, () => {
          let count = 0;
          return { addRow: () => (count += 1) < rowCountMax, finish: () => count };
        }),
      ).times.cpuUs;
    cpuUsOf(1);
    expect(cpuUsOf(3) * 20).toBeLessThan(cpuUsOf(900));
  });

  it('does not excuse another run of the same statement', () => {
    const sql = 'SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3';
    for (const _ of [1, 2, 3]) guarded.connection.run(sql, Infinity, two);
    const query = { queryId: guard.queryId(), clocks: { cpuMs: 5, wallMs: 60_000 } };
    const outcome = guardedRun(guard, guarded.connection, query, () =>
      guarded.connection.run(sql, Infinity, () => {
        const end = performance.now() + 60;
        while (performance.now() < end);
        throw new Error('a reader that can not begin');
      }),
    );
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'time_limit' } });
  });

  it('does not excuse what comes after it', () => {
    const endless = 'WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n';
    const query = { queryId: guard.queryId(), clocks: { cpuMs: 50, wallMs: 60_000 } };
    const outcome = guardedRun(guard, guarded.connection, query, () => {
      guarded.connection.run('SELECT 1 UNION ALL SELECT 2', 9, () => ({
        addRow: () => false,
        finish: () => 0,
      }));
      return guarded.connection.run(endless, Infinity, two);
    });
    expect(outcome).toMatchObject({ kind: 'failed', failure: { kind: 'time_limit' } });
  });
});

describe('statements that are kept', () => {
  const factsOf = (sql: string) => {
    const query = { queryId: guard.queryId(), clocks: PATIENT };
    const { kind, facts } = guardedRun(guard, guarded.connection, query, () =>
      guarded.connection.run(sql, Infinity, () => ({ addRow: () => true, finish: () => 0 })),
    );
    return { kind, ...facts };
  };

  it.each([
    ['SELECT count(*) FROM singer', { volatile: false, reads: true }],
    ['SELECT random() FROM singer', { volatile: true, reads: true }],
    ["SELECT date('now')", { volatile: true, reads: false }],
    ['SELECT 6', { volatile: false, reads: false }],
  ])('tell the same of each run: %s', (sql, { volatile, reads }) => {
    const facts = [factsOf(sql), factsOf(sql), factsOf(sql)];
    expect(facts[0]).toMatchObject({ kind: 'value', volatile });
    expect((facts[0]?.tableReadCount ?? 0) > 0).toBe(reads);
    expect(facts[1]).toEqual(facts[0]);
    expect(facts[2]).toEqual(facts[0]);
  });

  it('run anew each time', () => {
    const values = [1, 2, 3].map(() => guarded.run('SELECT random()').rows[0]?.[0]);
    expect(new Set(values).size).toBe(3);
  });

  it('are asked for by every letter: a blank more is another one', () => {
    expect(guarded.run("SELECT 'a'").columns).toEqual(["'a'"]);
    expect(guarded.run("SELECT  'A'").columns).toEqual(["'A'"]);
    expect(guarded.run("SELECT 'a'").rows).toEqual([['a']]);
  });

  it('fail again where they failed, and run where they were stopped', () => {
    for (const _ of [1, 2]) {
      expect(guarded.run('SELECT abs(-9223372036854775808)').message).toBe('integer overflow');
      expect(guarded.run('SELECT nme FROM singer').message).toBe('no such column: nme');
      expect(guarded.run('DELETE FROM singer').kind).toBe('forbidden');
      expect(guarded.run('EXPLAIN SELECT 1').kind).toBe('forbidden');
      expect(guarded.run('SELECT ?').message).toBe('query parameters are not supported');
    }
    const sql =
      'WITH n(i) AS (VALUES(1) UNION ALL SELECT i + 1 FROM n LIMIT 300000) SELECT max(i) FROM n';
    // Asked for twice it is kept.
    expect(guarded.run(sql).rows).toEqual([[300_000n]]);
    expect(guarded.run(sql).rows).toEqual([[300_000n]]);
    expect(guarded.run(sql, { cpuMs: 1, wallMs: 60_000 }).kind).toBe('time_limit');
    expect(guarded.run(sql).rows).toEqual([[300_000n]]);
  });

  it('each have the limit on values that their own length gives them', () => {
    // 20 kB of SQL: values of 50 kB at the most; a short statement's may be 1 MB.
    const long = `SELECT length(printf('%.60000c', 'x')) /* ${'-'.repeat(20_000)} */`;
    const short = "SELECT length(printf('%.900000c', 'x'))";
    for (const _ of [1, 2, 3]) {
      expect(guarded.run(long).kind).toBe('too_big');
      expect(guarded.run(short).rows).toEqual([[900_000n]]);
    }
  });

  it('are not what they were after a change of the schema: SQLite prepares them anew', () => {
    const file = path.join(guarded.folder, 'db.sqlite');
    const change = (sql: string) => {
      const database = new Database(file);
      database.exec(sql);
      database.close();
    };
    const sql = 'SELECT * FROM changing';
    change('CREATE VIEW changing AS SELECT 1 AS a');
    for (const _ of [1, 2, 3]) expect(factsOf(sql).volatile).toBe(false);
    change('DROP VIEW changing; CREATE VIEW changing AS SELECT random() AS a, 2 AS b');
    for (const _ of [1, 2, 3]) expect(factsOf(sql).volatile).toBe(true);
    expect(guarded.run(sql).columns).toEqual(['a', 'b']);
    change('DROP VIEW changing');
    expect(guarded.run(sql).message).toBe('no such table: changing');
  });

  it('make room for others, and are few: more can be prepared than a thread can hold', () => {
    for (let index = 0; index < 1_200; index += 1) {
      for (const _ of [1, 2]) {
        const { rows } = guarded.run(`SELECT ${index}, name FROM singer LIMIT 1`);
        expect(rows).toEqual([[BigInt(index), 'Ann']]);
      }
    }
  });

  it('are small: a large one is let go of', () => {
    const { number } = guarded.connection;
    const small = guard.prepare(number, 'SELECT 1', true);
    expect(guard.finish(small, true, false)).toBe(true);
    expect(guard.finish(small, false, false)).toBe(false);
    const large = guard.prepare(
      number,
      `SELECT ${repeat(500, (index) => `'${'x'.repeat(180)}${index}'`)}`,
      true,
    );
    expect(guard.finish(large, true, false)).toBe(false);
    expect(() => guard.fetch(large, 1)).toThrow('no such statement');
  });

  it('can be asked for while they run', () => {
    const sql = 'SELECT name FROM singer';
    const count = (depth: number): number =>
      guarded.connection.run(sql, Infinity, () => {
        let rows = 0;
        return {
          addRow: () => {
            rows += depth > 0 ? count(depth - 1) : 1;
            return true;
          },
          finish: () => rows,
        };
      });
    expect([count(0), count(2), count(0)]).toEqual([3, 27, 3]);
  });
});

/** Descriptors of this process on a file. */
function descriptorsOn(file: string): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === file;
    } catch {
      return false;
    }
  }).length;
}

describe.runIf(existsSync('/proc/self/fd'))('a file is let go of', () => {
  it('when its connection closes, whatever statements were kept', () => {
    const file = path.join(guarded.folder, 'db.sqlite');
    const before = descriptorsOn(file);
    for (let index = 0; index < 20; index += 1) {
      const connection = Connection.open(file, guard);
      const rows = connection.run('SELECT name FROM singer', 9, () => {
        let count = 0;
        return { addRow: () => (count += 1) > 0, finish: () => count };
      });
      expect(rows).toBe(3);
      connection.close();
    }
    expect(descriptorsOn(file)).toBe(before);
  });

  it('when its thread ends', async () => {
    const file = path.join(guarded.folder, 'db.sqlite');
    const before = descriptorsOn(file);
    const connectionModule = new URL('../../dist/src/sqlite/connection.js', import.meta.url).href;
    const guardModule = new URL('../../dist/src/sqlite/native-guard.js', import.meta.url).href;
    const code = `
      const { parentPort } = require('node:worker_threads');
      Promise.all([import('${connectionModule}'), import('${guardModule}')]).then(([{ Connection }, { loadGuard }]) => {
        const guard = loadGuard();
        Connection.openEmpty(guard);
        const connection = Connection.open(${JSON.stringify(file)}, guard);
        for (const _ of [1, 2, 3]) {
          connection.run('SELECT name FROM singer', 9, () => ({ addRow: () => true, finish: () => 0 }));
        }
        parentPort.postMessage('ran');
        parentPort.once('message', () => process.exit(0));
      });`;
    const worker = new Worker(code, { eval: true });
    await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
    expect(descriptorsOn(file)).toBe(before + 1);
    const ended = new Promise((resolve) => worker.once('exit', resolve));
    worker.postMessage('end');
    await ended;
    expect(descriptorsOn(file)).toBe(before);
  });
});
