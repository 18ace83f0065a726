import { describe, expect, it } from 'vitest';
import { rowKeys } from '../../env/compare/row-keys.ts';
import { deriveTies, type Ties } from '../../env/compare/ties.ts';
import type { SqlRow } from '../../env/compare/value.ts';
import { sortKeyQuery } from '../../env/sort-keys.ts';
import { runPython, timeMs } from './run-python.ts';

const sqlOf = (gold: string) => sortKeyQuery(gold)?.sql;

describe('sortKeyQuery', () => {
  it.each([
    ['SELECT a FROM t ORDER BY b', 'SELECT a, b FROM t ORDER BY b'],
    ['select a from t order by b desc, c asc;', 'select a, b, c from t order by b desc , c asc'],
    [
      'SELECT year FROM concert GROUP BY year ORDER BY count(*) DESC LIMIT 1',
      'SELECT year, count ( * ) FROM concert GROUP BY year ORDER BY count ( * ) DESC LIMIT 2',
    ],
    [
      'SELECT a FROM t ORDER BY b LIMIT 3 OFFSET 2',
      'SELECT a, b FROM t ORDER BY b LIMIT 4 OFFSET 2',
    ],
    ['SELECT a FROM t ORDER BY b LIMIT 2, 3', 'SELECT a, b FROM t ORDER BY b LIMIT 2 , 4'],
    ['SELECT a FROM t ORDER BY b LIMIT 1+1', 'SELECT a, b FROM t ORDER BY b LIMIT 1 + 1'],
    ['SELECT a FROM t ORDER BY b LIMIT -1', 'SELECT a, b FROM t ORDER BY b LIMIT - 1'],
    ['SELECT a, b FROM t ORDER BY 2', 'SELECT a , b, b FROM t ORDER BY 2'],
    ['SELECT a, b AS c FROM t ORDER BY 2', 'SELECT a , b AS c, b FROM t ORDER BY 2'],
    [
      'SELECT a, count(*) AS n FROM t GROUP BY a ORDER BY n',
      'SELECT a , count ( * ) AS n, count ( * ) FROM t GROUP BY a ORDER BY n',
    ],
    [
      'SELECT a, count(*) "N" FROM t GROUP BY a ORDER BY n DESC',
      'SELECT a , count ( * ) "N", count ( * ) FROM t GROUP BY a ORDER BY n DESC',
    ],
    ['SELECT a b FROM t ORDER BY b', 'SELECT a b, a FROM t ORDER BY b'],
    ['SELECT a AS b, b AS a FROM t ORDER BY a', 'SELECT a AS b , b AS a, b FROM t ORDER BY a'],
    ['SELECT * FROM t ORDER BY a', 'SELECT *, a FROM t ORDER BY a'],
    ['SELECT t.* FROM t ORDER BY t.a', 'SELECT t . *, t . a FROM t ORDER BY t . a'],
    ['SELECT a AS x FROM t ORDER BY t.x', 'SELECT a AS x, t . x FROM t ORDER BY t . x'],
    [
      'SELECT a FROM t ORDER BY b COLLATE NOCASE DESC NULLS LAST',
      'SELECT a, b FROM t ORDER BY b COLLATE NOCASE DESC NULLS LAST',
    ],
    ['SELECT ALL a FROM t ORDER BY b', 'SELECT ALL a, b FROM t ORDER BY b'],
    ['SELECT a -- one\nFROM t ORDER BY b -- two', 'SELECT a, b FROM t ORDER BY b'],
    [
      'SELECT a IS NOT DISTINCT FROM b FROM t ORDER BY b',
      'SELECT a IS NOT DISTINCT FROM b, b FROM t ORDER BY b',
    ],
    [
      'WITH c AS (SELECT 1 AS a UNION SELECT 2) SELECT a FROM c ORDER BY -a',
      'WITH c AS ( SELECT 1 AS a UNION SELECT 2 ) SELECT a, - a FROM c ORDER BY - a',
    ],
    [
      'SELECT a FROM t WHERE x IN (SELECT x FROM u ORDER BY x LIMIT 1) ORDER BY b',
      'SELECT a, b FROM t WHERE x IN ( SELECT x FROM u ORDER BY x LIMIT 1 ) ORDER BY b',
    ],
    [
      'SELECT sum(a) OVER w FROM t WINDOW w AS (ORDER BY b) ORDER BY 1',
      'SELECT sum ( a ) OVER w, sum ( a ) OVER w FROM t WINDOW w AS ( ORDER BY b ) ORDER BY 1',
    ],
    [
      'SELECT a + b, CASE WHEN a THEN b END FROM t ORDER BY 2, 1',
      'SELECT a + b , CASE WHEN a THEN b END, CASE WHEN a THEN b END, a + b FROM t ORDER BY 2 , 1',
    ],
  ])('%s', (gold, sql) => {
    expect(sqlOf(gold)).toBe(sql);
  });

  it('tells how many keys there are, and the LIMIT', () => {
    expect(sortKeyQuery('SELECT a FROM t ORDER BY b, c LIMIT 5')).toMatchObject({
      keyCount: 2,
      limit: 5,
    });
    expect(sortKeyQuery('SELECT a FROM t ORDER BY b')?.limit).toBeUndefined();
    expect(sortKeyQuery('SELECT a FROM t ORDER BY b LIMIT 0')).toMatchObject({ limit: 0 });
    expect(sortKeyQuery('SELECT a FROM t ORDER BY b LIMIT (SELECT 1)')?.limit).toBeUndefined();
  });

  it.each([
    'SELECT a FROM t',
    'SELECT DISTINCT a FROM t ORDER BY b',
    'SELECT 1 ORDER BY 1',
    'SELECT a FROM t UNION SELECT b FROM u ORDER BY 1',
    'SELECT a FROM t EXCEPT SELECT b FROM u ORDER BY a',
    'VALUES (1), (2) ORDER BY 1',
    'SELECT a AS x FROM t ORDER BY x + 1',
    'SELECT a AS x FROM t ORDER BY (x)',
    'SELECT a x FROM t ORDER BY abs(x)',
    'SELECT a FROM t ORDER BY 2',
    'SELECT * FROM t ORDER BY 1',
    'SELECT t.*, a FROM t ORDER BY 2',
    'SELECT a FROM t ORDER BY (1)',
    'SELECT a FROM t ORDER BY +1',
    "SELECT a FROM t ORDER BY 'a'",
    'SELECT a FROM t ORDER BY ?1',
    'SELECT a FROM t ORDER BY random()',
    "SELECT a FROM t WHERE d < date('now') ORDER BY a",
    'SELECT a FROM t ORDER BY b; SELECT 1',
    'SELECT a FROM t ORDER BY (b',
    'SELECT a FROM t ORDER BY b)',
    "SELECT a FROM t ORDER BY 'b",
    'SELECT a FROM t ORDER BY',
    'SELECT a FROM t ORDER BY b,',
    'SELECT FROM t ORDER BY b',
    'DELETE FROM t ORDER BY b',
    'ORDER BY FROM SELECT',
    '',
  ])('does not know the keys of: %s', (gold) => {
    expect(sortKeyQuery(gold)).toBeUndefined();
  });

  it('takes linear time', () => {
    const many = Array.from({ length: 2000 }, (_, index) => `c${index} AS a${index}`).join(', ');
    const terms = Array.from({ length: 300 }, (_, index) => `b${index}`).join(', ');
    expect(timeMs(() => sortKeyQuery(`SELECT ${many} FROM t ORDER BY ${terms}`))).toBeLessThan(
      5000,
    );
  });
});

const SCRIPT = `
import sqlite3
db = sqlite3.connect(':memory:')
db.executescript(input_value['schema'])
def run(sql):
    try:
        return db.execute(sql).fetchall()
    except sqlite3.Error as e:
        return str(e)
print(json.dumps([run(q) for q in input_value['queries']]))
`;

const CONCERTS = `
CREATE TABLE concert (id INTEGER PRIMARY KEY, year INT, name TEXT, score REAL);
INSERT INTO concert (year, name, score) VALUES
  (2014, 'a', 1), (2015, 'b', 2), (2014, 'c', 2), (2015, 'd', 3), (2014, 'e', 1), (2015, 'f', 1), (2013, 'g', NULL);
CREATE INDEX by_score ON concert (score, name);
`;

/** Runs a gold and its sort-key query on SQLite. */
function tiesOf(golds: readonly string[]): (Ties | undefined | string)[] {
  const keyQueries = golds.map((gold) => sortKeyQuery(gold));
  const queries = [...golds, ...keyQueries.map((query) => query?.sql ?? 'SELECT 1')];
  const results = runPython(SCRIPT, { schema: CONCERTS, queries }) as (SqlRow[] | string)[];
  return golds.map((_, index) => {
    const [query, gold, keyed] = [keyQueries[index], results[index], results[golds.length + index]];
    if (!query || !gold || !keyed || typeof gold === 'string' || typeof keyed === 'string') {
      return JSON.stringify([gold, keyed]);
    }
    const { keyCount, limit } = query;
    return deriveTies({ goldRowKeys: rowKeys(gold), keyRows: keyed, keyCount, limit });
  });
}

describe('deriveTies', () => {
  it('finds the ties of golds that SQLite ran', () => {
    expect(
      tiesOf([
        'SELECT name FROM concert ORDER BY score',
        'SELECT name FROM concert ORDER BY score, name',
        'SELECT year FROM concert GROUP BY year ORDER BY count(*) DESC LIMIT 1',
        'SELECT year FROM concert GROUP BY year ORDER BY count(*) DESC LIMIT 2',
        'SELECT name, score AS s FROM concert WHERE score > 1 ORDER BY s DESC',
        'SELECT name FROM concert ORDER BY year LIMIT 2',
        'SELECT name FROM concert ORDER BY year LIMIT 100',
        'SELECT * FROM concert ORDER BY year DESC',
        'SELECT name FROM concert WHERE year = 1 ORDER BY name',
        'SELECT name FROM concert ORDER BY name LIMIT 0',
      ]),
    ).toEqual([
      { tieSizes: [1, 3, 2, 1], tie: false },
      { tieSizes: [1, 1, 1, 1, 1, 1, 1], tie: false },
      { tieSizes: [1], tie: true },
      { tieSizes: [2], tie: false },
      { tieSizes: [1, 2], tie: false },
      { tieSizes: [1, 1], tie: true },
      { tieSizes: [1, 3, 3], tie: false },
      { tieSizes: [3, 3, 1], tie: false },
      { tieSizes: [], tie: false },
      { tieSizes: [], tie: false },
    ]);
  });

  const derive = (gold: SqlRow[], keyRows: SqlRow[], limit?: number) =>
    deriveTies({ goldRowKeys: rowKeys(gold), keyRows, keyCount: 1, limit });

  it('takes rows of a tie in another order', () => {
    const rows: SqlRow[] = [
      ['b', 1n],
      ['a', 1n],
      ['c', 2n],
    ];
    expect(derive([['a'], ['b'], ['c']], rows)).toEqual({ tieSizes: [2, 1], tie: false });
  });

  it('calls 1 and 1.0 a tie, NULL and NULL too, but not NULL and 0', () => {
    const rows: SqlRow[] = [
      ['a', null],
      ['b', null],
      ['c', 0n],
      ['d', -0],
      ['e', 1n],
      ['f', 1],
    ];
    const gold = rows.map((row) => row.slice(0, 1));
    expect(derive(gold, rows)).toEqual({ tieSizes: [2, 2, 2], tie: false });
  });

  it('takes other rows in the tie that the LIMIT cuts, and only there', () => {
    const rows: SqlRow[] = [
      ['a', 1n],
      ['b', 2n],
      ['c', 2n],
    ];
    expect(derive([['a'], ['c']], rows, 2)).toEqual({ tieSizes: [1, 1], tie: true });
    expect(derive([['x'], ['b']], rows, 2)).toBeUndefined();
  });

  it('knows nothing when the rows are not those of the gold', () => {
    expect(derive([['a'], ['b']], [['a', 1n]])).toBeUndefined();
    expect(derive([['a']], [['b', 1n]])).toBeUndefined();
    expect(
      derive(
        [['a']],
        [
          ['a', 1n],
          ['b', 2n],
        ],
      ),
    ).toBeUndefined();
    expect(
      derive(
        [['a']],
        [
          ['a', 1n],
          ['b', 2n],
        ],
        2,
      ),
    ).toBeUndefined();
    expect(
      derive(
        [['a']],
        [
          ['a', 1n],
          ['b', 2n],
        ],
        1,
      ),
    ).toEqual({ tieSizes: [1], tie: false });
    expect(derive([['a', 1n]], [['a', 1n]])).toBeUndefined();
  });
});
