import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { matchSpiderSql } from '../../../env/spider/exact-match.ts';
import { hardnessOf, spiderHardness } from '../../../env/spider/hardness.ts';
import { NESTED_QUERY_COUNT_MAX, parseSpiderSql } from '../../../env/spider/parse.ts';
import { spiderSchema } from '../../../env/spider/schema.ts';
import { tokenizeSpider } from '../../../env/spider/tokenize.ts';
import { isMissing, readJsonLines, readSchemas } from './fixture-data.ts';
import { officialTree } from './official-tree.ts';

interface ParseFixture {
  readonly db: string;
  readonly sql: string;
  /** A text instead of tokens says that tokenizing failed. */
  readonly tokens: readonly string[] | string;
  readonly parsed?: unknown;
  readonly error?: string;
  readonly hardness?: string;
}

const fixture = ['fixtures', 'parse_fixtures.jsonl.gz'] as const;

describe('the parser against the official one', () => {
  it.skipIf(isMissing(...fixture))('gives its tokens, tree, error class and hardness', () => {
    const schemas = readSchemas();
    const rows = readJsonLines<ParseFixture>(...fixture);
    const differing = rows.filter((row) => {
      const schema = schemas.get(row.db);
      if (schema === undefined) return true;
      const tokenized = tokenizeSpider(row.sql);
      const parse = parseSpiderSql(row.sql, schema);
      const ours = {
        tokens: tokenized.kind === 'tokens' ? tokenized.tokens : 'ERR Unexpected quote',
        ...(parse.kind === 'parsed'
          ? { parsed: officialTree(parse.sql), hardness: hardnessOf(parse.sql) }
          : { error: parse.errorClass }),
      };
      const { db: _db, sql: _sql, ...official } = row;
      return !sameJson(ours, official);
    });
    expect(differing).toEqual([]);
    expect(rows.length).toBe(25_697);
  });
});

describe('the parser', () => {
  const schema = spiderSchema([
    { name: 'T', columns: ['ID', 'Name', 'Market_Value'] },
    { name: 'u', columns: ['id', 't_id'] },
  ]);

  it('turns LIMIT into 1, or into its number for the legacy evaluator', () => {
    const sql = 'select name from t limit 3';
    expect(parseSpiderSql(sql, schema)).toMatchObject({ sql: { limit: 1n } });
    expect(parseSpiderSql(sql, schema, 'number')).toMatchObject({ sql: { limit: 3n } });
    expect(parseSpiderSql('select name from t limit x', schema, 'number')).toMatchObject({
      errorClass: 'ValueError',
    });
  });

  it.each([
    ['select id from t where name = "it\'s"', 'AssertionError'],
    ['select x.id from t', 'KeyError'],
    ['select a.b.c from t', 'ValueError'],
    ['select id from t limit', 'IndexError'],
    ['select id from t where id = (name)', 'IndexError'],
    ['select id from t as u', 'AssertionError'],
    ['', 'IndexError'],
  ])('fails on %s with %s', (sql, errorClass) => {
    expect(parseSpiderSql(sql, schema)).toMatchObject({ kind: 'unparseable', errorClass });
  });

  it('gives a bare column to the first table that has it', () => {
    const parse = parseSpiderSql('select id from u join t', schema);
    expect(parse).toMatchObject({
      sql: { select: { items: [{ unit: { left: { columnId: '__u.id__' } } }] } },
    });
  });

  it('loses what follows a column on the right-hand side, up to the next and', () => {
    const parse = parseSpiderSql('select id from t where id = name or id = 1 and id = 2', schema);
    expect(parse).toMatchObject({ sql: { where: [{ operator: '=' }, 'and', { operator: '=' }] } });
  });

  it('nests 200 queries and refuses one more', () => {
    const nest = (count: number): string =>
      `select id from t where id in (`.repeat(count - 1) +
      'select id from t' +
      ')'.repeat(count - 1);
    expect(NESTED_QUERY_COUNT_MAX).toBe(200);
    expect(parseSpiderSql(nest(199), schema).kind).toBe('parsed');
    expect(parseSpiderSql(nest(200), schema).kind).toBe('parsed');
    expect(parseSpiderSql(nest(201), schema)).toMatchObject({ errorClass: 'RecursionError' });
    const union = Array.from({ length: 20_000 }, () => 'select id from t').join(' union ');
    expect(parseSpiderSql(union, schema)).toMatchObject({ errorClass: 'RecursionError' });
  });

  it('calls no level for what it can not parse', () => {
    expect(spiderHardness('select id from t', schema)).toBe('easy');
    expect(spiderHardness('select id from t where id is null', schema)).toBeUndefined();
  });

  it('never throws', () => {
    const words =
      `select distinct count ( ) * id t.id t as x , from u join on = 1 "a" ' where group order by ` +
      'limit and or not in between like having union none - ; .';
    const queryLike = fc
      .array(fc.constantFrom(...words.split(' ')), { maxLength: 30 })
      .map((parts) => parts.join(' '));
    const anyText = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      queryLike,
      queryLike.map((text) => `select ${text}`),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(['tokens', 'unexpected_quote']).toContain(tokenizeSpider(text).kind);
        const parse = parseSpiderSql(text, schema);
        if (parse.kind === 'parsed') hardnessOf(parse.sql);
        for (const evaluator of ['test-suite', 'legacy'] as const) {
          const request = { schema, foreignKeys: new Map(), evaluator };
          matchSpiderSql({ ...request, gold: text, answer: 'select id from t' });
          matchSpiderSql({ ...request, gold: 'select id from t', answer: text });
        }
      }),
      { numRuns: 3000 },
    );
  });

  it('needs no more than linear time on long texts', () => {
    const texts = ['`', ' ', '.', ',', 'a. ', '(', "'", '((', 'a.(', '"" '].map((part) =>
      part.repeat(100_000),
    );
    const started = performance.now();
    for (const text of texts) parseSpiderSql(`select id from t where ${text}x`, schema);
    expect(performance.now() - started).toBeLessThan(10_000);
  });
});

/** Equal as JSON, whatever the order of the keys; much faster than the matcher's report on each of 25,697 trees. */
function sameJson(left: unknown, right: unknown): boolean {
  return sortedJson(left) === sortedJson(right);
}

function sortedJson(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(sortedJson).join()}]`;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${key}:${sortedJson(item)}`).join()}}`;
}
