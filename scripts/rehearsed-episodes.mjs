// Plays believable rollouts on the demo tasks against a real server, for the pictures in docs/: models that look around, slip, and get
// better. The same seed gives the same episodes, but for times and episode ids.
import { startChildServer } from '../dist/src/cli/child-server.js';
import { connectClient } from '../dist/src/rpc/client.js';

const ROLLOUT_COUNT = 8;

/** Records `taskCount` groups of eight rollouts into a folder. */
export async function recordRehearsedEpisodes(folder, taskCount) {
  const server = await startChildServer([
    '--demo',
    '--record',
    folder,
    '--record-gold',
    '--log-level',
    'error',
  ]);
  const client = connectClient(server.address);
  try {
    const { tasks } = await client.listTasks({ pageSize: 200, includeGold: true });
    const chosen = everyOther(tasks, taskCount);
    const random = randomNumbers(7);
    // In waves, as training steps are: each a little better than the one before.
    for (const [index, task] of chosen.entries()) {
      const skill = 0.3 + 0.5 * (index / chosen.length);
      const plans = Array.from({ length: ROLLOUT_COUNT }, () => planOf(task, skill, random));
      await Promise.all(plans.map((plan, rollout) => play(client, task, plan, { index, rollout })));
    }
  } finally {
    client.disconnect();
    await server.stop();
  }
}

/** Spread over all databases and in a mixed order, as a shuffled data set is. */
function everyOther(tasks, count) {
  const stride = 37;
  return Array.from({ length: Math.min(count, tasks.length) }, (_, place) => {
    return tasks[(place * stride) % tasks.length];
  });
}

async function play(client, task, { turns, limits }, { index, rollout }) {
  const episodeId = `step-${String(index + 1).padStart(3, '0')}/rollout-${rollout + 1}`;
  await client.reset({ episodeId, taskId: task.taskId, groupId: `prompt-${index + 1}`, limits });
  for (const [stepIndex, assistantText] of turns.entries()) {
    const completionTokenCount = Math.ceil(assistantText.length / 3.6);
    const step = { episodeId, stepIndex, assistantText, completionTokenCount };
    const { terminated, truncated } = await client.step(step);
    if (terminated || truncated) return;
  }
  await client.close({ episodeId });
}

function planOf({ goldSql, difficulty }, skill, random) {
  const hardness = { easy: 0.25, medium: 0.05, hard: -0.1, extra: -0.25 }[difficulty] ?? 0;
  const isRight = random() < skill + hardness;
  const table = /\bFROM (\w+)/.exec(goldSql)?.[1] ?? 'sqlite_master';
  const turns = [];
  if (random() < 0.75) {
    turns.push(
      `I should see what the rows of ${table} look like before I write the query.\n${call(`SELECT * FROM ${table} LIMIT 12`)}`,
    );
  }
  if (random() < 0.2) {
    turns.push(`Let me try it directly.\n${call(`SELECT full_title FROM ${table}`)}`);
  }
  const wanders = random() < 0.05;
  if (wanders) {
    const columns = ['*', 'rowid, *', 'count(*)', '1'];
    for (const column of columns) turns.push(call(`SELECT ${column} FROM ${table}`));
    return { turns, limits: { stepCountMax: 3 } };
  }
  const slips = slipsOf(goldSql, table);
  const sql = isRight ? goldSql : slips[Math.floor(random() * slips.length)];
  if (random() < 0.6) {
    turns.push(`Now I can answer. I check the query first.\n${call(sql)}`);
  }
  if (random() < 0.04)
    turns.push('<tool_call>\n{"name": "run_sql", "arguments": {"query": \n</tool_call>');
  turns.push(`The query below gives what was asked for.\n\n\`\`\`sql\n${broken(sql)}\n\`\`\``);
  return { turns, limits: {} };
}

/** What models really get wrong: a condition forgotten, a bound off by one, rows doubled by a join, a column too many. */
function slipsOf(goldSql, table) {
  const variants = [
    goldSql.replace(/\bDISTINCT /, ''),
    goldSql.replace(/ AND [^()]+?(?=$| GROUP| ORDER| EXCEPT| INTERSECT)/, ''),
    goldSql.replace(/ WHERE [^()]+?(?=$| GROUP| ORDER| EXCEPT| INTERSECT)/, ''),
    goldSql.replace(/ LIMIT \d+/, ' LIMIT 3'),
    goldSql.replace(/ > /, ' >= ').replace(/ < /, ' <= '),
    goldSql.replace(/ JOIN /, ' LEFT JOIN ').replace(/ HAVING .*$/, ''),
    goldSql.replace(/^SELECT (.+?) FROM/, 'SELECT $1, 1 FROM'),
    goldSql.replace(/ NOT IN /, ' IN '),
    goldSql.replace(/^SELECT .+? FROM/, 'SELECT name_of_it FROM'),
    `SELECT count(*) FROM ${table}`,
  ];
  return variants.filter((sql) => sql !== goldSql);
}

/** On lines, as models write it. */
function broken(sql) {
  return sql.replace(
    / (FROM|WHERE|GROUP BY|ORDER BY|HAVING|EXCEPT|INTERSECT|JOIN|LEFT JOIN) /g,
    '\n$1 ',
  );
}

function call(query) {
  return `<tool_call>\n${JSON.stringify({ name: 'run_sql', arguments: { query } })}\n</tool_call>`;
}

/** Numbers between 0 and 1, the same ones for the same seed (mulberry32). */
function randomNumbers(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
