import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import Database from 'better-sqlite3';

import type { SqlRow, SqlValue } from '../../../env/compare/value.ts';
import { foreignKeyMap, type ForeignKeyMap } from '../../../env/spider/foreign-keys.ts';
import { spiderSchema, type SpiderSchema } from '../../../env/spider/schema.ts';
import { besideSpider, spiderFolder } from './fixture-data.ts';

/** One row of a prediction file with the official verdicts on it. */
export interface OfficialRow {
  readonly index: number;
  readonly database: string;
  readonly gold: string;
  readonly answer: string;
  readonly hardness: string;
  readonly exec: boolean;
  readonly exact: boolean;
  readonly isParsed: boolean;
  /** Set when the official run was cut short on this row, so that its verdict isn't one. */
  readonly note: string;
}

/** The prediction files, all on the 1,034 rows of the dev set. */
export const predictionNames = [
  'codes_1b',
  'dail_gpt4',
  'graphix',
  'c3sql',
  'gpt4_zeroshot',
  'din_codex',
] as const;

/** The dev golds with a prediction file and the verdicts of one official run. */
export function readOfficialRows(name: string, verdicts: string): OfficialRow[] {
  const golds = lines(join(spiderFolder, 'dev_gold.sql'));
  // Only the first field of a line is the prediction.
  const answers = name === 'gold' ? golds : lines(besideSpider('pred', `${name}.txt`));
  const official = lines(besideSpider('official', verdicts)).slice(1);
  return official.map((line, index) => {
    const [, database = '', hardness = '', exec, exact, parsed, , note = ''] = line.split('\t');
    const [gold = ''] = golds[index]?.split('\t') ?? [];
    const [answer = ''] = answers[index]?.split('\t') ?? [];
    const flags = { exec: exec === '1', exact: exact === '1', isParsed: parsed === '1' };
    return { index, database, gold: gold.trim(), answer: answer.trim(), hardness, note, ...flags };
  });
}

/** The foreign keys of all databases, from a file with the layout of tables.json. */
export function readForeignKeys(path: string): Map<string, ForeignKeyMap> {
  const entries = JSON.parse(readFileSync(path, 'utf8')) as {
    db_id: string;
    table_names_original: string[];
    column_names_original: [number, string][];
    foreign_keys: [number, number][];
  }[];
  return new Map(
    entries.map((entry) => [
      entry.db_id,
      foreignKeyMap({
        tableNames: entry.table_names_original,
        columnNames: entry.column_names_original,
        foreignKeys: entry.foreign_keys,
      }),
    ]),
  );
}

/** What a query gave; undefined when it failed. */
export type QueryRun = readonly SqlRow[] | undefined;

/** A database for queries as the official scripts run them, double-quoted strings included. */
export class OfficialDatabase {
  readonly #database: Database.Database;

  constructor(path: string) {
    this.#database = new Database(path, { readonly: true });
  }

  /** Runs one statement; stops after `rowCountMax` rows. */
  run(sql: string, rowCountMax = Number.POSITIVE_INFINITY): QueryRun {
    let text = sql;
    for (;;) {
      try {
        return this.#fetch(text, rowCountMax);
      } catch (error) {
        const message = error instanceof Error ? error.message : '';
        const literal = /no such column: "(.*)" - should this be a string literal/su.exec(message);
        const next = text.replaceAll(
          `"${literal?.[1]}"`,
          `'${literal?.[1]?.replaceAll("'", "''")}'`,
        );
        if (literal === null || next === text) return undefined;
        text = next;
      }
    }
  }

  /** Runs a query with one column of TEXT, whose bytes needn't be UTF-8. */
  runAsText(sql: string): QueryRun {
    const rows = this.run(`WITH result(cell) AS (${sql}) SELECT CAST(cell AS BLOB) FROM result`);
    return rows?.map(([cell]) => [textOf(cell)]);
  }

  /** The schema as the official script reads it from the database. */
  schema(): SpiderSchema {
    const tables = this.#names("SELECT name FROM sqlite_master WHERE type = 'table'");
    return spiderSchema(
      tables.map((name) => ({
        name,
        columns: this.#names(`SELECT name FROM pragma_table_info('${name}')`),
      })),
    );
  }

  close(): void {
    this.#database.close();
  }

  #names(sql: string): string[] {
    return (this.run(sql) ?? []).map(([name]) => (typeof name === 'string' ? name : ''));
  }

  #fetch(sql: string, rowCountMax: number): SqlRow[] {
    // Python's sqlite3 takes the second semicolon for a second statement; better-sqlite3 doesn't.
    if (/;\s*;\s*$/u.test(sql)) throw new Error('more than one statement');
    const statement = this.#database.prepare(sql);
    if (!statement.reader) throw new Error('no rows to read');
    const rows: SqlRow[] = [];
    for (const row of statement.raw(true).safeIntegers(true).iterate()) {
      if (rows.length >= rowCountMax) break;
      rows.push(row as SqlRow);
    }
    return rows;
  }
}

/** A query that took longer than this isn't run again: several modes run the same cross joins. */
const SLOW_MS = 20;

/** Open databases, and the rows of golds and slow answers by database and query. */
export class QueryRuns {
  readonly #databases = new Map<string, OfficialDatabase>();
  readonly #runs = new Map<string, QueryRun>();

  database(path: string): OfficialDatabase {
    let database = this.#databases.get(path);
    if (database === undefined) {
      if (!existsSync(path)) throw new Error(`${path} is missing`);
      database = new OfficialDatabase(path);
      this.#databases.set(path, database);
    }
    return database;
  }

  gold(path: string, sql: string): QueryRun {
    const key = `${path}\n${sql}`;
    if (!this.#runs.has(key)) this.#runs.set(key, this.database(path).run(sql));
    return this.#runs.get(key);
  }

  answer(path: string, sql: string, rowCountMax: number): QueryRun {
    const key = `${path}\n${rowCountMax}\n${sql}`;
    if (this.#runs.has(key)) return this.#runs.get(key);
    const started = performance.now();
    const rows = this.database(path).run(sql, rowCountMax);
    if (performance.now() - started > SLOW_MS) this.#runs.set(key, rows);
    return rows;
  }

  close(): void {
    for (const database of this.#databases.values()) database.close();
  }
}

function textOf(cell: SqlValue | undefined): SqlValue {
  if (!(cell instanceof Uint8Array)) return cell ?? null;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(cell);
  } catch {
    return { textBytes: cell };
  }
}

function lines(path: string): string[] {
  return readFileSync(path, 'utf8').trimEnd().split('\n');
}
