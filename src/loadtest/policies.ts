import { ConfigError } from '../config.ts';
import { suggest } from '../suggest.ts';

/**
 * What a rollout does. `gold`: runs the gold and answers with it. `wrong`: looks around and answers wrongly. `malformed`: ends
 * with a broken tool call. `repeated`: says word for word what a sibling of its group says. `hostile`: writes, attaches,
 * allocates. `runaway`: an endless query first, then as gold.
 */
export const POLICY_NAMES = [
  'gold',
  'wrong',
  'malformed',
  'repeated',
  'hostile',
  'runaway',
] as const;

/** Name of a scripted policy. */
export type PolicyName = (typeof POLICY_NAMES)[number];

/** Parts of the whole, by policy; they need not add up to 100. */
export type PolicyShares = Readonly<Record<PolicyName, number>>;

/** What a task's scripts are made from. */
export interface ScriptTask {
  readonly taskId: string;
  readonly databaseId: string;
  readonly goldSql: string;
  /** A table of the database. */
  readonly tableName: string;
}

/** Policies whose own queries are cheap: what others do to them is what a load test looks for. */
export const HONEST_POLICIES: ReadonlySet<string> = new Set([
  'gold',
  'wrong',
  'malformed',
  'repeated',
  'recorded',
]);

/** Reads `gold=60,wrong=20,malformed=5`. What is not named has no share. Throws `ConfigError`. */
export function parseShares(flag: string, text: string): PolicyShares {
  const shares = Object.fromEntries(POLICY_NAMES.map((name) => [name, 0])) as Record<
    PolicyName,
    number
  >;
  const seen = new Set<string>();
  for (const part of text.split(',')) {
    const [, name = '', share = ''] = /^\s*([^=]*?)\s*=\s*(\d{1,9})\s*$/.exec(part) ?? [];
    if (share === '') {
      throw misuse(flag, `${JSON.stringify(part)} must be NAME=SHARE, a whole number`);
    }
    const policy = POLICY_NAMES.find((known) => known === name);
    if (policy === undefined) {
      const hint = suggest(name, POLICY_NAMES) || `; there are ${POLICY_NAMES.join(', ')}`;
      throw misuse(flag, `there is no policy ${JSON.stringify(name)}${hint}`);
    }
    if (seen.has(name)) throw misuse(flag, `${name} is given twice`);
    seen.add(name);
    shares[policy] = Number(share);
  }
  if (Object.values(shares).every((share) => share === 0)) {
    throw misuse(flag, 'at least one share must be over 0');
  }
  return shares;
}

/**
 * The policies of `count` rollouts in shares that are exact: each policy gets its share of the whole, rounded by largest
 * remainders (ties go to the one that is named first), and they are spread as evenly as can be, so that every group has about
 * the same mix.
 */
export function allocate(shares: PolicyShares, count: number): PolicyName[] {
  const counts = exactCounts(shares, count);
  const credits = POLICY_NAMES.map(() => 0);
  // Smooth weighted round robin: all get their due, one takes a turn and pays for it.
  return Array.from({ length: count }, () => {
    for (const [index, name] of POLICY_NAMES.entries()) {
      credits[index] = (credits[index] ?? 0) + counts[name];
    }
    const best = credits.indexOf(Math.max(...credits));
    credits[best] = (credits[best] ?? 0) - count;
    return POLICY_NAMES[best] ?? 'gold';
  });
}

/** How many of `count` rollouts follow each policy. */
export function exactCounts(shares: PolicyShares, count: number): Record<PolicyName, number> {
  const total = POLICY_NAMES.reduce((sum, name) => sum + shares[name], 0);
  const parts = POLICY_NAMES.map((name) => {
    const exact = shares[name] * count;
    return { name, floor: Math.floor(exact / total), rest: exact % total };
  });
  let left = count - parts.reduce((sum, { floor }) => sum + floor, 0);
  const byRest = parts.toSorted((a, b) => b.rest - a.rest);
  const extra = new Set<PolicyName>();
  for (const { name } of byRest) if (left-- > 0) extra.add(name);
  return Object.fromEntries(
    parts.map(({ name, floor }) => [name, floor + (extra.has(name) ? 1 : 0)]),
  ) as Record<PolicyName, number>;
}

/** Where a script stands: it names its queries, so that no two of them are the same text. */
export interface ScriptPlace {
  readonly batchIndex: number;
  /** In the batch. */
  readonly episodeIndex: number;
  readonly turnCount: number;
}

type OwnPolicy = Exclude<PolicyName, 'repeated'>;

/** The turns of one rollout, as the model would write them; the last one is its answer. */
export function scriptTurns(policy: OwnPolicy, task: ScriptTask, place: ScriptPlace): string[] {
  const calls = Array.from({ length: place.turnCount - 1 }, (_, turnIndex) =>
    toolCall(toolSql(policy, task, place, turnIndex)),
  );
  return [...calls, lastTurn(policy, task, place)];
}

/** What the script earns. */
export function scriptedReturn(policy: OwnPolicy): number {
  return policy === 'gold' || policy === 'runaway' ? 1 : 0;
}

const HOSTILE: readonly ((table: string) => string)[] = [
  (table) => `DROP TABLE ${table}`,
  (table) => `CREATE TEMP TABLE ${table} AS SELECT 1`,
  () => "ATTACH DATABASE '/tmp/other.db' AS other",
  () => "VACUUM INTO '/tmp/stolen.db'",
  () => 'PRAGMA case_sensitive_like = ON',
  () => "SELECT load_extension('/tmp/evil')",
  (table) => `SELECT 1; DELETE FROM ${table}`,
  () => 'SELECT hex(randomblob(200000000))',
];

const RUNAWAY =
  'WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c) SELECT count(*) FROM c';

function toolSql(
  policy: OwnPolicy,
  task: ScriptTask,
  place: ScriptPlace,
  turnIndex: number,
): string {
  const table = quoted(task.tableName);
  const mark = markOf(place, turnIndex);
  switch (policy) {
    case 'gold':
      return `${mark} ${task.goldSql}`;
    case 'wrong':
    case 'malformed':
      return `${mark} SELECT * FROM ${table} LIMIT ${5 + turnIndex}`;
    case 'hostile':
      return attack(table, place.episodeIndex + turnIndex);
    case 'runaway':
      return turnIndex === 0 ? `${mark} ${RUNAWAY}` : `${mark} ${task.goldSql}`;
  }
}

function lastTurn(policy: OwnPolicy, task: ScriptTask, place: ScriptPlace): string {
  const table = quoted(task.tableName);
  const mark = markOf(place, place.turnCount - 1);
  switch (policy) {
    case 'gold':
    case 'runaway':
      return answer(`${mark} ${task.goldSql}`);
    case 'wrong':
      // It reads the table, so that no flag tells it apart, and is right for no task: no gold has so many columns.
      return answer(`${mark} SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, count(*) FROM ${table}`);
    case 'malformed':
      return '<tool_call>\n{"name": "run_sql", "arguments": {"query": \n</tool_call>';
    case 'hostile':
      return answer(attack(table, place.episodeIndex));
  }
}

/** A comment that makes a query a text of its own: nothing that the server has kept of another one serves it. */
function markOf({ batchIndex, episodeIndex }: ScriptPlace, turnIndex: number): string {
  return `/* ${batchIndex}.${episodeIndex}.${turnIndex} */`;
}

function attack(table: string, index: number): string {
  return HOSTILE[index % HOSTILE.length]?.(table) ?? '';
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

function toolCall(query: string): string {
  return `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`;
}

function answer(sql: string): string {
  return `The answer:\n\`\`\`sql\n${sql}\n\`\`\``;
}

function misuse(flag: string, text: string): ConfigError {
  return new ConfigError([`${flag}: ${text}`]);
}
