/** A scripted policy: what it stands for among the rollouts of a real training batch. */
export type PolicyName = 'gold' | 'wrong' | 'malformed' | 'hostile' | 'runaway';

/** What a policy does: turns of assistant text, the last one its answer. */
export interface Script {
  readonly policy: PolicyName;
  readonly turns: readonly string[];
}

/** What a task's scripts are made from. */
export interface ScriptTask {
  readonly goldSql: string;
  readonly tableName: string;
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

/** How many of eight rollouts follow each policy; one of the eight is a runaway in every third task. */
const ROLLOUT_POLICIES: readonly PolicyName[] = [
  'gold',
  'gold',
  'gold',
  'wrong',
  'wrong',
  'malformed',
  'hostile',
];

/** The script of one rollout. The same indices give the same script. */
export function scriptOf(task: ScriptTask, taskIndex: number, rolloutIndex: number): Script {
  const policy = ROLLOUT_POLICIES[rolloutIndex] ?? (taskIndex % 3 === 0 ? 'runaway' : 'gold');
  const gold = answer(task.goldSql);
  switch (policy) {
    case 'gold':
      return { policy, turns: [toolCall(task.goldSql), gold] };
    case 'wrong':
      return {
        policy,
        turns: [toolCall(`SELECT * FROM ${task.tableName} LIMIT 5`), answer(wrongSql(task))],
      };
    case 'malformed':
      // Ends the episode as in verl: the turn is the answer, and holds none.
      return {
        policy,
        turns: ['<tool_call>\n{"name": "run_sql", "arguments": {"query": \n</tool_call>'],
      };
    case 'hostile': {
      const attack = HOSTILE[taskIndex % HOSTILE.length]?.(task.tableName) ?? '';
      return { policy, turns: [toolCall(attack), answer(attack)] };
    }
    case 'runaway':
      return { policy, turns: [toolCall(RUNAWAY), gold] };
  }
}

/** Reads the table, so that it isn't told apart by a flag, and is right for no task: no gold has so many columns. */
function wrongSql(task: ScriptTask): string {
  return `SELECT 1, 2, 3, 4, 5, 6, 7, 8, 9, count(*) FROM ${task.tableName}`;
}

function toolCall(query: string): string {
  return `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`;
}

function answer(sql: string): string {
  return `The answer:\n\`\`\`sql\n${sql}\n\`\`\``;
}
