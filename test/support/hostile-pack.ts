/**
 * SQL that tried to cheat, to steal or to break other servers (public reports and audits), for a database with a table of this
 * name. None may write, read another file, or change what anybody reads afterwards.
 */
export function hostilePack(table: string, folder: string): string[] {
  return [
    `DELETE FROM ${table}`,
    `UPDATE ${table} SET rowid = rowid + 1`,
    `DROP TABLE ${table}`,
    `INSERT INTO ${table} DEFAULT VALUES`,
    `ALTER TABLE ${table} RENAME TO gone`,
    `CREATE TEMP TABLE ${table} AS SELECT * FROM main.${table} WHERE 0`,
    `CREATE TEMP VIEW ${table} AS SELECT 'pwn' AS name`,
    `CREATE TABLE loot AS SELECT 1`,
    `CREATE INDEX slow ON ${table}(rowid)`,
    `CREATE TRIGGER t AFTER INSERT ON ${table} BEGIN SELECT 1; END`,
    `CREATE VIRTUAL TABLE f USING fts5(x)`,
    `VACUUM`,
    `VACUUM INTO '${folder}/steal.db'`,
    `ATTACH DATABASE '${folder}/other.db' AS other`,
    `ATTACH DATABASE ':memory:' AS other`,
    `DETACH DATABASE main`,
    `PRAGMA case_sensitive_like = ON`,
    `PRAGMA reverse_unordered_selects = ON`,
    `PRAGMA hard_heap_limit = 2000000`,
    `PRAGMA writable_schema = ON`,
    `PRAGMA query_only = OFF`,
    `PRAGMA database_list`,
    `SELECT * FROM pragma_database_list`,
    `SELECT file FROM pragma_database_list`,
    `SELECT load_extension('${folder}/evil.so')`,
    `SELECT * FROM dbstat`,
    `SELECT fts3_tokenizer('simple', x'4141414141414141')`,
    `SELECT sqlite_compileoption_get(0)`,
    `SELECT 1; DROP TABLE ${table}`,
    `SELECT 1;;`,
    `WITH x AS (SELECT 1) DELETE FROM ${table}`,
    `EXPLAIN DELETE FROM ${table}`,
    `/*SELECT*/ DROP TABLE ${table}`,
    `\uFEFFSELECT 1; DELETE FROM ${table}`,
    `-- harmless\nDELETE FROM ${table}`,
    `BEGIN IMMEDIATE`,
    `SAVEPOINT s`,
    `COMMIT`,
    `REINDEX`,
    `ANALYZE`,
    `SELECT hex(randomblob(200000000))`,
    `SELECT replace(hex(zeroblob(400000)), '0', hex(zeroblob(400000)))`,
    `SELECT * FROM no_such_table`,
    `SELECT '`,
    ``,
    `SELECT x'DEAD', CAST(x'636166e9' AS TEXT), 9007199254740993, 9e999`,
  ];
}

/** Queries that never end by themselves, or ask for more memory or disk than there is. */
export const RUNAWAY_PACK: readonly string[] = [
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c',
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT i FROM c WHERE i < 0',
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT * FROM c ORDER BY random()',
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT max(hex(randomblob(1000))) FROM c',
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(DISTINCT hex(randomblob(100))) FROM c',
  nestedCtes(24),
];

/** Each level names the one before twice: preparing it takes 2^depth steps in plain SQLite. */
export function nestedCtes(depth: number): string {
  const levels = Array.from(
    { length: depth },
    (_, index) => `c${index + 1}(x) AS (SELECT a.x FROM c${index} AS a, c${index} AS b)`,
  );
  return `WITH c0(x) AS (SELECT 1), ${levels.join(', ')} SELECT count(*) FROM c${depth}`;
}
